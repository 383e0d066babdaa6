import { DataError } from './data-error.ts';

/** A repository, as its URL names it. */
export interface RepositoryPath {
  account_id: string;
  repository_id: string;
}

/** The maximum length of a key in S3. In storage, a key also has the storage prefix, so the proxy may refuse it. */
const keyBytesMax = 1024;

/** Returns the reason why a browser cannot request a key; undefined for a usable key. */
export function findKeyFault(key: string): 'empty' | 'dots' | 'control' | 'too_long' | 'not_text' | undefined {
  if (key === '' || key === '/') return 'empty';
  if (!key.isWellFormed()) return 'not_text';
  if (steps.test(key)) return 'dots';
  // Lists and deletions contain keys in XML, which does not allow these characters.
  if (/[\u0000-\u001f\u007f\ufffe\uffff]/.test(key)) return 'control';
  // A UTF-16 unit has at most three bytes in UTF-8, so most names need no encoding to decide.
  if (key.length * 3 <= keyBytesMax) return undefined;
  return new TextEncoder().encode(key).length > keyBytesMax ? 'too_long' : undefined;
}

/** Returns the name of a file or a folder within its parent folder, without a slash at its end. */
export function labelOf(key: string): string {
  return key.replace(/\/$/, '').split('/').at(-1) ?? '';
}

/** Path segments that browsers resolve before they send a request. The request would then name another object. */
const steps = /(?:^|\/)\.\.?(?:\/|$)/;

/**
 * Returns the URL path of a key in its repository. It also encodes `+`, which aws4fetch would treat as a space. Throws
 * a DataError for a key that some storages accept but no browser can request.
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
 * Returns a text whose UTF-16 order is the order of the key in lists: by UTF-8 bytes, which is the order of code points.
 * UTF-16 has surrogates, for the highest code points, below the units from U+E000.
 */
export function sortTextOf(key: string): string {
  return key.replace(/[\ud800-\uffff]/g, (unit) => {
    const code = unit.charCodeAt(0);
    return String.fromCharCode(code < 0xe000 ? code + 0x2000 : code - 0x800);
  });
}
