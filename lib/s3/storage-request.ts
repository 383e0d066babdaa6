import { partitionOf } from '../domain/data/aws-partitions.ts';
import type { HeaderFields, StorageRequest } from '../domain/data/decision.ts';
import { signRequest } from '../sigv4/sign.ts';
import { type RepositoryStorage, toStorageName } from './repository-storage.ts';
import { encodeKey, formatQuery } from './resource.ts';

export interface StorageCall {
  method: string;
  /** The key of the object in the repository. Undefined for a request for the bucket. */
  key: string | undefined;
  query: Iterable<readonly [name: string, value: string]>;
  headers: HeaderFields;
  payloadHash: string;
  /** Headers that are signed but not sent, because CloudFront adds them after the edge function. */
  unsentHeaders?: HeaderFields;
}

/**
 * Creates a request to the storage of a repository. It is signed if the connection has credentials. Throws the errors
 * of `toStorageName`.
 */
export function storageRequest(storage: RepositoryStorage, call: StorageCall, now: number): StorageRequest {
  const { details, credentials } = storage;
  const origin = findOrigin(details);
  const request = {
    method: call.method,
    rawPath: `${origin.basePath}/${call.key === undefined ? '' : encodeKey(toStorageName(storage, call.key))}`,
    rawQuery: formatQuery(call.query),
    headers: { ...call.headers, host: origin.hostHeader },
  };
  const headers =
    credentials === undefined
      ? request.headers
      : signRequest(request, credentials, {
          now,
          region: details.region,
          service: 's3',
          payloadHash: call.payloadHash,
          unsentHeaders: call.unsentHeaders ?? {},
        });
  const { protocol, host, port, basePath } = origin;
  const { isOfAccount, data_connection_id } = storage;
  return { ...request, headers, protocol, host, port, bucketPath: basePath, isOfAccount, data_connection_id };
}

/** Returns the header `x-amz-copy-source` for an object, with the bucket and key in storage. */
export function storageCopySource(storage: RepositoryStorage, key: string): string {
  return `/${storage.details.bucket}/${encodeKey(toStorageName(storage, key))}`;
}

interface StorageOrigin {
  protocol: 'https' | 'http';
  host: string;
  port: number;
  hostHeader: string;
  /** The beginning of the path, up to but without `/key`. It has no final slash. */
  basePath: string;
}

function findOrigin({ bucket, region, endpoint }: RepositoryStorage['details']): StorageOrigin {
  if (endpoint !== undefined) {
    const url = new URL(endpoint);
    const protocol = url.protocol === 'http:' ? 'http' : 'https';
    return {
      protocol,
      host: url.hostname,
      port: url.port === '' ? (protocol === 'http' ? 80 : 443) : Number(url.port),
      hostHeader: url.host,
      basePath: `${url.pathname.replace(/(?<!\/)\/+$/, '')}/${bucket}`,
    };
  }
  const regional = `s3.${region}.${partitionOf(region).suffixes[0]}`;
  // Use path style for a bucket with a dot. S3's wildcard certificate is valid for one label only, so such a bucket
  // cannot be part of the host name.
  const host = bucket.includes('.') ? regional : `${bucket}.${regional}`;
  return { protocol: 'https', host, port: 443, hostHeader: host, basePath: host === regional ? `/${bucket}` : '' };
}
