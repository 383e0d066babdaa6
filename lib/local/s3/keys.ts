import { ObjectStoreError } from './errors.ts';

const keyBytesMax = 1024;

export function checkKey(key: string): void {
  const sizeBytes = Buffer.byteLength(key);
  if (sizeBytes <= keyBytesMax) return;
  throw new ObjectStoreError('KeyTooLongError', 'Your key is too long', {
    details: { Size: String(sizeBytes), MaxSizeAllowed: String(keyBytesMax) },
  });
}

export function noSuchKey(key?: string): ObjectStoreError {
  return new ObjectStoreError('NoSuchKey', 'The specified key does not exist.', {
    details: key === undefined ? {} : { Key: key },
  });
}
