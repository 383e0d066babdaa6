import { DataError } from './data-error.ts';

/** A repository, as its URL names it. */
export interface RepositoryPath {
  account_id: string;
  repository_id: string;
}

const encoder = new TextEncoder();

/** The longest key of S3. The storage prefix counts too; for that, the proxy refuses a key that is too long. */
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
  return encoder.encode(key).length > keyBytesMax ? 'too_long' : undefined;
}

/** Returns the name of a file or a folder within its parent folder, without a slash at its end. */
export function labelOf(key: string): string {
  return key.replace(/\/$/, '').split('/').at(-1) ?? '';
}

/**
 * Path segments that browsers resolve before they send a request. The signed request would then name another object.
 */
const steps = /(?:^|\/)\.\.?(?:\/|$)/;

/**
 * Returns the URL path of a key in its repository. It also encodes `+`, which aws4fetch would treat as a space. Throws
 * a DataError for a key that some storages accept but no browser can request.
 */
export function pathOfKey(key: string): string {
  if (steps.test(key)) {
    const sentence = `${key} has a part . or .. in its name. No browser can ask for it; read, copy or rename it with a program such as the AWS CLI.`;
    throw new DataError('failed', sentence);
  }
  return encodeKey(key);
}

export function encodeKey(key: string): string {
  return encodeURIComponent(key)
    .replaceAll('%2F', '/')
    .replace(/[!'()*]/g, encodeStrictly);
}

function encodeStrictly(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/**
 * Compares keys in the order of lists: by UTF-8 bytes. This equals the order of code points, but not of JavaScript's
 * UTF-16 units.
 */
export function compareKeys(one: string, other: string): number {
  for (let index = 0; index < one.length && index < other.length; index += 1) {
    const [a = 0, b = 0] = [one.charCodeAt(index), other.charCodeAt(index)];
    if (a === b) continue;
    // Surrogates represent code points above all others.
    const [isHighA, isHighB] = [(a & 0xf800) === 0xd800, (b & 0xf800) === 0xd800];
    return isHighA === isHighB ? a - b : isHighA ? 1 : -1;
  }
  return one.length - other.length;
}
