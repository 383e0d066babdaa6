import type { Writable } from 'node:stream';
import type { Bucket } from './bucket.ts';
import type { SignedBody } from './payload.ts';
import type { ObjectStoreRequest } from './request.ts';
import { renderXml, s3Namespace, type XmlChild } from './xml/write-xml.ts';

/** An authenticated request, and what its operation may use. */
export interface Call {
  request: ObjectStoreRequest;
  body: SignedBody;
  /** The one that the path names. */
  bucket: Bucket;
  /** Throws NoSuchBucket. */
  loadBucket: (name: string) => Bucket;
  buckets: readonly Bucket[];
  region: string;
  /** Milliseconds since the Unix epoch. */
  clock: () => number;
}

export interface Answer {
  status: number;
  headers: Readonly<Record<string, string>>;
  body?: string | Uint8Array | StreamedBody;
}

/** What is read while it is sent, and closed by whoever sends the answer, sent or not. */
export interface StreamedBody {
  /** Reads the first bytes. Until it has settled a fault can still be told in place of the answer. */
  prepare(): Promise<void>;
  /** Leaves `target` open. When this throws, `target` must be destroyed, since an end would pass for the whole. */
  sendTo(target: Writable): Promise<void>;
  close(): void;
}

export function isStreamed(body: Answer['body']): body is StreamedBody {
  return typeof body === 'object' && 'sendTo' in body;
}

/** Sends a body and ends `target`; throws as a StreamedBody does. */
export async function sendBody(body: Answer['body'], target: Writable): Promise<void> {
  if (!isStreamed(body)) {
    target.end(body);
    return;
  }
  await body.sendTo(target);
  target.end();
}

export type Operation = (call: Call) => Answer | Promise<Answer>;

/** The one owner of everything here. */
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

export function xmlAnswer(root: string, children: readonly XmlChild[], headers: Record<string, string> = {}): Answer {
  return {
    status: 200,
    headers: { 'content-type': 'application/xml', ...headers },
    body: renderXml(root, children, s3Namespace),
  };
}
