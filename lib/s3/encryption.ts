import type { HeaderFields } from '../domain/data/decision.ts';
import type { StorageRequestHead } from './storage-errors/request-conditions.ts';

const start = 'x-amz-server-side-encryption';
const customerAlgorithm = `${start}-customer-algorithm`;
const customerKeyMd5 = `${start}-customer-key-md5`;
const keyId = `${start}-aws-kms-key-id`;

/**
 * Compares the requested encryption with what the answer says was done: S3 repeats it, and a storage that knows
 * nothing of encryption takes the headers and keeps the object as it came. Undefined where none was requested, or all
 * of it is confirmed. `AES256` is a key of storage's own, which many storages use for everything and do not tell of.
 */
export function findIgnoredEncryption(
  { method, headers: sent }: StorageRequestHead,
  answered: HeaderFields,
): 'notEncrypted' | 'notEncryptedByKey' | undefined {
  const algorithm = sent[customerAlgorithm];
  const kind = sent[start];
  if (algorithm === undefined && (kind === undefined || kind === 'AES256')) return undefined;
  const isRead = method === 'GET' || method === 'HEAD';
  if (algorithm !== undefined && !hasCustomerKey(sent, answered)) return isRead ? 'notEncryptedByKey' : 'notEncrypted';
  if (isRead || kind === undefined || kind === 'AES256') return undefined;
  return answered[start] === kind && isKey(sent[keyId], answered[keyId]) ? undefined : 'notEncrypted';
}

function hasCustomerKey(sent: HeaderFields, answered: HeaderFields): boolean {
  if (answered[customerAlgorithm] !== sent[customerAlgorithm]) return false;
  const md5 = sent[customerKeyMd5];
  return md5 === undefined || answered[customerKeyMd5] === md5;
}

/** A key is named by its id, its ARN or an alias, and told by its ARN. What an alias stands for only storage knows. */
function isKey(sent: string | undefined, answered: string | undefined): boolean {
  if (sent === undefined) return true;
  if (answered === undefined) return false;
  return /(?:^|:)alias\//.test(sent) || answered === sent || answered.endsWith(`/${sent}`);
}
