import { expect, test } from 'vitest';
import { shownText } from '../../../lib/domain/shown-text.ts';

test.each<[string, string, string]>([
  ['plain text', 'repo:a/b:ref:refs/heads/main', 'repo:a/b:ref:refs/heads/main'],
  ['letters of any script', 'grün/枝', 'grün/枝'],
  ['a line break and a zero byte', 'a\nb\0c', 'a\\u{a}b\\u{0}c'],
  ['a turn of the reading direction', 'a\u202eb', 'a\\u{202e}b'],
  ['a zero-width space', 'a\u200bb', 'a\\u{200b}b'],
  ['a line separator', 'a\u2028b', 'a\\u{2028}b'],
  ['half a surrogate pair', 'a\ud800b', 'a\\u{d800}b'],
  ['a backslash, so that no text looks like an escape', 'a\\u{a}', 'a\\u{5c}u{a}'],
])('%s is shown so that it can be read', (_, text, shown) => {
  expect(shownText(text, 512)).toBe(shown);
});

test.each<[string, string, number, string]>([
  ['fits to the byte', 'abcdef', 6, 'abcdef'],
  ['is a byte too long', 'abcdefg', 6, 'abc…'],
  ['would be cut within a character', 'abééé', 7, 'abé…'],
  ['would be cut within an escape', 'abc\n\n', 8, 'abc…'],
])('text that %s', (_, text, bytesMax, shown) => {
  expect(shownText(text, bytesMax)).toBe(shown);
  expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(bytesMax);
});
