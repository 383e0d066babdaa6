import type { Bucket, StoredBytes } from './bucket.ts';
import type { SignedBody } from './payload.ts';
import type { ObjectStoreRequest } from './request.ts';

export interface StoreResponse {
  status: number;
  headers: Readonly<Record<string, string>>;
  body?: string | StoredBytes;
}

/** An authenticated request, with everything that an operation needs to answer it. */
export interface Call {
  request: ObjectStoreRequest;
  body: SignedBody;
  /** The bucket that the path names. */
  bucket: Bucket;
  /** Returns another bucket, such as the source of a copy. Throws NoSuchBucket. */
  loadBucket: (name: string) => Bucket;
  region: string;
  /** Returns the current time in milliseconds since the Unix epoch. */
  clock: () => number;
}

export type Operation = (call: Call) => StoreResponse | Promise<StoreResponse>;
