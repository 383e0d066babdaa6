import { expect, test } from 'vitest';
import { shownText } from '../../../lib/domain/shown-text.ts';

test.each<[string, string, string]>([
  ['plain text', 'repo:a/b:ref:refs/heads/main', 'repo:a/b:ref:refs/heads/main'],
  ['letters of any script', 'grün/枝', 'grün/枝'],
  ['a line break and a zero byte', 'a\nb\0c', 'a\\u{a}b\\u{0}c'],
  ['a right-to-left override', 'a\u202eb', 'a\\u{202e}b'],
  ['a zero-width space', 'a\u200bb', 'a\\u{200b}b'],
  ['a line separator', 'a\u2028b', 'a\\u{2028}b'],
  ['half a surrogate pair', 'a\ud800b', 'a\\u{d800}b'],
  ['a backslash, so that no text looks like an escape', 'a\\u{a}', 'a\\u{5c}u{a}'],
])('the shown text escapes invisible characters: %s', (_, text, shown) => {
  expect(shownText(text, 512)).toBe(shown);
});

test.each<[string, string, number, string]>([
  ['fits to the byte', 'abcdef', 6, 'abcdef'],
  ['is a byte too long', 'abcdefg', 6, 'abc…'],
  ['would be cut within a character', 'abééé', 7, 'abé…'],
  ['would be cut within an escape', 'abc\n\n', 8, 'abc…'],
])('the shown text stays within its length: a text that %s', (_, text, bytesMax, shown) => {
  expect(shownText(text, bytesMax)).toBe(shown);
  expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(bytesMax);
});
