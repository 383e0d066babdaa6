import type { Bucket } from './bucket.ts';
import type { StoredBytes } from './files/blob-files.ts';
import type { SignedBody } from './payload.ts';
import type { ObjectStoreRequest } from './request.ts';
import { renderXml, s3Namespace, type XmlChild } from './xml.ts';

export interface StoreResponse {
  status: number;
  headers: Readonly<Record<string, string>>;
  body?: string | Uint8Array | StoredBytes;
}

/** An authenticated request with what its operation may use. */
export interface Call {
  request: ObjectStoreRequest;
  body: SignedBody;
  /** The bucket in the path. */
  bucket: Bucket;
  /** Throws NoSuchBucket. */
  loadBucket: (name: string) => Bucket;
  buckets: readonly Bucket[];
  region: string;
  /** Milliseconds since the Unix epoch. */
  clock: () => number;
}

export type Operation = (call: Call) => StoreResponse | Promise<StoreResponse>;

/** The only owner in this store. */
const ownerId = '0'.repeat(64);

export function ownerElement(name: 'Owner' | 'Initiator'): XmlChild {
  return [
    name,
    [
      ['ID', ownerId],
      ['DisplayName', 'development'],
    ],
  ];
}

export function xmlResponse(
  root: string,
  children: readonly XmlChild[],
  headers: Record<string, string> = {},
): StoreResponse {
  return {
    status: 200,
    headers: { 'content-type': 'application/xml', ...headers },
    body: renderXml(root, children, s3Namespace),
  };
}
