import type { Bucket, StoredBytes } from './bucket.ts';
import type { SignedBody } from './payload.ts';
import type { ObjectStoreRequest } from './request.ts';

export interface StoreResponse {
  status: number;
  headers: Readonly<Record<string, string>>;
  body?: string | StoredBytes;
}

/** An authenticated request with what its operation may use. */
export interface Call {
  request: ObjectStoreRequest;
  body: SignedBody;
  /** The bucket in the path. */
  bucket: Bucket;
  /** Throws NoSuchBucket. */
  loadBucket: (name: string) => Bucket;
  region: string;
  /** Milliseconds since the Unix epoch. */
  clock: () => number;
}

export type Operation = (call: Call) => StoreResponse | Promise<StoreResponse>;
