import { expect, test } from 'vitest';
import { texts } from '../../../site/console/files/texts.ts';

test.each([
  [texts.planned(1, 5), '1 file (5 bytes) goes to'],
  [texts.existing(1), '1 file already exists.'],
  [
    texts.existingSame(1, 1),
    'It has the same size and was stored after the last change of your copy, so probably the same content.',
  ],
  [
    texts.existingSame(1, 2),
    '1 of them has the same size and was stored after the last change of your copy, so probably the same content.',
  ],
  [texts.skipExisting(1), 'Skip existing file'],
  [texts.overwrite(1), 'Replace it'],
  [texts.leftOut('too_large', 1, 'a'), '1 file left out, larger than 5 TB: a'],
  [texts.deleteWhat(1, 5), 'This deletes 1 file (5 bytes) for good. Readers of it then get an error.'],
])('uses the singular for one: %s', (said, sentence) => {
  expect(said).toBe(sentence);
});

test.each([
  [texts.planned(2, 5), '2 files (5 bytes) go to'],
  [texts.existingSame(2, 3), /^2 of them have the same size and were stored/],
  [texts.leftOut('system', 2, 'a'), /^2 files left out, created by the operating system: a and others$/],
  [texts.renamed(2, 'a'), /can type them: a and others$/],
  [texts.skipExisting(2), 'Skip existing files'],
  [texts.overwrite(2), 'Replace all of them'],
])('uses the plural for several: %s', (said, sentence) => {
  expect(said).toMatch(sentence);
});
