import { utf8Bytes } from '../utf8-bytes.ts';

const nameBytesMax = 255;

/**
 * Returns a message if git does not allow this short name of a branch or tag (rules of `git check-ref-format
 * --branch`), otherwise undefined.
 */
export function refNameFault(name: string): string | undefined {
  if (name.startsWith('refs/')) return 'must be the short name, without "refs/heads/" or "refs/tags/"';
  if (!name.isWellFormed()) return 'must not hold broken Unicode';
  if (utf8Bytes(name) > nameBytesMax) return `must be at most ${nameBytesMax} bytes`;
  return rules.find(([breaks]) => breaks.test(name))?.[1];
}

const rules: readonly (readonly [RegExp, string])[] = [
  // Git forbids only the ASCII characters of this kind. The others would make two names look alike.
  [/[\p{Z}\p{Cc}\p{Cf}]/u, 'must not hold spaces, control characters or others that cannot be seen'],
  [/[~^:?*[\\]/, 'must not hold "~", "^", ":", "?", "*", "[" or "\\"'],
  [/\.\.|@\{|^@$/, 'must not be "@" or hold ".." or "@{"'],
  [/^\/|\/$|\/\//, 'must not start or end with "/" or hold "//"'],
  [/^-/, 'must not start with "-"'],
  [/(?:^|\/)\.|\.$/, 'must not start a part with "." or end with "."'],
  [/\.lock(?:\/|$)/, 'must not end a part with ".lock"'],
];
