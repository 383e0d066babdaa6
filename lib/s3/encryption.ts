import type { HeaderFields } from '../domain/data/decision.ts';
import type { StorageRequestHead } from './storage-errors/request-conditions.ts';

const start = 'x-amz-server-side-encryption';
const customerAlgorithm = `${start}-customer-algorithm`;
const customerKeyMd5 = `${start}-customer-key-md5`;
const keyId = `${start}-aws-kms-key-id`;

/**
 * Compares the requested encryption with the encryption that the response confirms. S3 repeats the requested headers.
 * Storage without encryption support ignores them and stores the object unencrypted.
 *
 * Returns undefined if no encryption was requested, or if the response confirms it. `AES256` needs no confirmation,
 * because many storages always use it and do not report it.
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

/**
 * Returns true when the response confirms the key. A request names a key by ID, ARN, or alias, and the response has its
 * ARN. Only storage can resolve an alias, so any ARN confirms an alias.
 */
function isKey(sent: string | undefined, answered: string | undefined): boolean {
  if (sent === undefined) return true;
  if (answered === undefined) return false;
  return /(?:^|:)alias\//.test(sent) || answered === sent || answered.endsWith(`/${sent}`);
}
