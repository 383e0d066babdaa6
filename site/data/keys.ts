import { DataError } from './data-error.ts';

/** A repository, as its address names it. */
export interface RepositoryPath {
  account_id: string;
  repository_id: string;
}

const encoder = new TextEncoder();

/** S3's longest key. What a storage needs of it before the repository's keys, the proxy's refusal says. */
export const keyBytesMax = 1024;

/** Why a browser cannot address such a key; undefined for one that it can. */
export function findKeyFault(key: string): 'empty' | 'dots' | 'control' | 'too_long' | 'not_text' | undefined {
  if (key === '' || key === '/') return 'empty';
  if (!key.isWellFormed()) return 'not_text';
  if (steps.test(key)) return 'dots';
  // Lists and deletions name keys in XML, which cannot hold them.
  if (/[\u0000-\u001f\u007f\ufffe\uffff]/.test(key)) return 'control';
  // A unit of UTF-16 is three bytes at most: most names need not be encoded to tell.
  if (key.length * 3 <= keyBytesMax) return undefined;
  return encoder.encode(key).length > keyBytesMax ? 'too_long' : undefined;
}

/** What a file or a folder is called in its own folder, without a final slash. */
export function labelOf(key: string): string {
  return key.replace(/\/$/, '').split('/').at(-1) ?? '';
}

/** Which browsers take for steps in the path before anything is sent: another object would be asked for, signed and all. */
const steps = /(?:^|\/)\.\.?(?:\/|$)/;

/**
 * The path of a key in its repository: aws4fetch takes a `+` there for a space, so that one is encoded as everything else.
 * Throws a DataError for a key that programs can store on some storages and no browser can address.
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

/** The order of lists: by bytes of UTF-8, which is that of code points and not of JavaScript's units. */
export function compareKeys(one: string, other: string): number {
  for (let index = 0; index < one.length && index < other.length; index += 1) {
    const [a = 0, b = 0] = [one.charCodeAt(index), other.charCodeAt(index)];
    if (a === b) continue;
    // Halves of a pair stand for code points beyond all others.
    const [isHighA, isHighB] = [(a & 0xf800) === 0xd800, (b & 0xf800) === 0xd800];
    return isHighA === isHighB ? a - b : isHighA ? 1 : -1;
  }
  return one.length - other.length;
}
