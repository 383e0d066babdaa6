import type { LocalResponse } from '../in-process-http.ts';
import type { Bucket } from './bucket.ts';
import type { SignedBody } from './payload.ts';
import type { ObjectStoreRequest } from './request.ts';
import { renderXml, s3Namespace, type XmlChild } from './xml/write-xml.ts';

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

export type Operation = (call: Call) => LocalResponse | Promise<LocalResponse>;

/** The only owner in this store. */
export const ownerId = '0'.repeat(64);

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
): LocalResponse {
  return {
    status: 200,
    headers: { 'content-type': 'application/xml', ...headers },
    body: renderXml(root, children, s3Namespace),
  };
}
