import { DataError } from './data-error.ts';

/** A repository, identified by the two IDs in its URL. */
export interface RepositoryPath {
  account_id: string;
  repository_id: string;
}

/**
 * The maximum length of a key in S3. The proxy adds the storage prefix to the key, so storage may refuse a shorter key.
 */
const keyBytesMax = 1024;

/** Returns the reason why a browser cannot request a key, or undefined if it can. */
export function findKeyFault(key: string): 'empty' | 'dots' | 'control' | 'too_long' | 'not_text' | undefined {
  if (key === '' || key === '/') return 'empty';
  if (!key.isWellFormed()) return 'not_text';
  if (steps.test(key)) return 'dots';
  // Lists and deletions send keys as XML, which does not allow these control characters.
  if (/[\u0000-\u001f\u007f\ufffe\uffff]/.test(key)) return 'control';
  // A UTF-16 unit has at most three bytes in UTF-8. A key of a third of the maximum length therefore needs no encoding.
  if (key.length * 3 <= keyBytesMax) return undefined;
  return new TextEncoder().encode(key).length > keyBytesMax ? 'too_long' : undefined;
}

/** Returns the name of a file or folder within its parent folder, without the final slash. */
export function labelOf(key: string): string {
  return key.replace(/\/$/, '').split('/').at(-1) ?? '';
}

/**
 * Matches the path segments `.` and `..`. Browsers resolve them before a request, and would then request another
 * object.
 */
const steps = /(?:^|\/)\.\.?(?:\/|$)/;

/**
 * Returns the URL path of a key within its repository. Also encodes `+`, because aws4fetch would read it as a space.
 * Throws a DataError for a key that some storage accepts but that no browser can request.
 */
export function pathOfKey(key: string): string {
  if (steps.test(key)) {
    const sentence = `${key} has a part . or .. in its name, so no browser can request it. Use a program such as the AWS CLI.`;
    throw new DataError('failed', sentence);
  }
  return encodeKey(key);
}

export function encodeKey(key: string): string {
  return encodeURIComponent(key)
    .replaceAll('%2F', '/')
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

/**
 * Returns a text that sorts by UTF-16 units in the same order as S3 sorts the key. S3 sorts by UTF-8 bytes, which is
 * the order of code points.
 * The two orders differ because UTF-16 encodes the highest code points with surrogates, and surrogates are smaller than
 * the units from U+E000.
 */
export function sortTextOf(key: string): string {
  return key.replace(/[\ud800-\uffff]/g, (unit) => {
    const code = unit.charCodeAt(0);
    return String.fromCharCode(code < 0xe000 ? code + 0x2000 : code - 0x800);
  });
}
