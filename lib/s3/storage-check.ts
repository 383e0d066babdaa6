import { hash } from 'node:crypto';
import type { StorageCredentials } from '../domain/data/data-access.ts';
import type { HeaderFields, StorageRequest } from '../domain/data/decision.ts';
import { limits } from '../domain/limits.ts';
import type { RepositoryStorage } from './repository-storage.ts';
import { storageRequest } from './storage-request.ts';

/**
 * A header that a forwarded request carries without signing it. Its value has the ID of the data connection, and the
 * time and signature for a list request of one key. The function shape-response has no credentials. With this
 * signature, it can check whether the storage refuses all requests.
 */
export const storageCheckHeader = 'x-sluice-storage-check';

const emptyHash = hash('sha256', '', 'hex');
const rawQuery = 'list-type=2&max-keys=1';
const list = { method: 'GET', key: undefined, headers: {}, payloadHash: emptyHash };

interface Formatted {
  place: string;
  at: number;
  value: string;
}
/** The last header value for each credentials object. A warm instance reuses it and needs no second signature. */
const formatted = new WeakMap<StorageCredentials, Formatted>();

/** Returns the value of `storageCheckHeader`. */
export function formatStorageCheck(storage: RepositoryStorage, now: number): string {
  const { data_connection_id, credentials, details } = storage;
  if (credentials === undefined) return data_connection_id;
  const place = `${data_connection_id} ${details.endpoint} ${details.region} ${details.bucket}`;
  const before = formatted.get(credentials);
  if (before?.place === place && now - before.at < limits.storageCheckSignedEverySeconds * 1000) return before.value;
  const { headers } = storageRequest(storage, { ...list, query: new URLSearchParams(rawQuery) }, now);
  const signature = /Signature=(\w+)/.exec(headers['authorization'] ?? '')?.[1];
  const value = `${data_connection_id} ${headers['x-amz-date']} ${signature}`;
  formatted.set(credentials, { place, at: now, value });
  return value;
}

/**
 * Returns the list request of one key that a forwarded request carries, and the data connection. Returns undefined for
 * any other request.
 */
export function readStorageCheck(
  request: StorageRequest,
): { data_connection_id: string; check: StorageRequest } | undefined {
  const { protocol, host, port, bucketPath, headers: sent } = request;
  const [data_connection_id = '', amzDate, signature] = (sent[storageCheckHeader] ?? '').split(' ');
  if (data_connection_id === '') return undefined;
  const place = { protocol, host, port, bucketPath, rawPath: `${bucketPath}/`, rawQuery };
  const hostHeader = { host: sent['host'] ?? host };
  const signed = signature === undefined || amzDate === undefined ? {} : signedHeaders(sent, amzDate, signature);
  return { data_connection_id, check: { ...place, method: 'GET', headers: { ...hostHeader, ...signed } } };
}

/** Returns the headers of the signed list request. It has the credentials and the region of the forwarded request. */
function signedHeaders(sent: HeaderFields, amzDate: string, signature: string): HeaderFields {
  const { 'x-amz-security-token': token } = sent;
  const [, algorithm, keyId, scope] =
    /^(\S+) Credential=([^/]+)\/\d{8}\/([^,]+),/.exec(sent['authorization'] ?? '') ?? [];
  const names = [
    'host',
    'x-amz-content-sha256',
    'x-amz-date',
    ...(token === undefined ? [] : ['x-amz-security-token']),
  ];
  return {
    'x-amz-date': amzDate,
    'x-amz-content-sha256': emptyHash,
    ...(token === undefined ? {} : { 'x-amz-security-token': token }),
    authorization: `${algorithm} Credential=${keyId}/${amzDate.slice(0, 8)}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`,
  };
}
