import http from 'node:http';
import https from 'node:https';
import { buffer } from 'node:stream/consumers';
import { Sha256 } from '@aws-crypto/sha256-js';
import { SignatureV4 } from '@smithy/signature-v4';
import type { Credentials } from './deployment.ts';

export interface WireRequest {
  method: string;
  /** The path to send, which is already percent-encoded. */
  path: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: Buffer;
}

export interface WireAnswer {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: Buffer;
}

const region = 'us-east-1';

/** Returns true when the header `X-Cache` reports a hit in CloudFront's cache. */
export function isHit(served: string | string[] | undefined): boolean {
  return /hit/i.test(String(served));
}

/** Describes whether a response came from CloudFront's cache, and how old it is. */
export function servedOf({ headers }: WireAnswer): string {
  return `${headers['x-cache'] ?? 'no cache'}, age ${headers['age'] ?? 'none'}`;
}

/** Signs and sends a request that an SDK would not send, for example with `..` in its path or with unusual headers. */
export async function sendSigned(dataUrl: string, credentials: Credentials, request: WireRequest): Promise<WireAnswer> {
  const signed = await signer(credentials).sign(signable(dataUrl, request));
  return send(dataUrl, { ...request, headers: signed.headers });
}

/** Returns a presigned URL, valid for ten minutes. */
export async function presign(dataUrl: string, credentials: Credentials, request: WireRequest): Promise<string> {
  const unsigned = signable(dataUrl, request);
  const headers = { ...unsigned.headers, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' };
  const { query = {} } = await signer(credentials).presign({ ...unsigned, headers }, { expiresIn: 600 });
  return `${dataUrl}${request.path}?${new URLSearchParams(query as Record<string, string>)}`.replaceAll('+', '%20');
}

/** Sends a request unchanged, except that it adds the Host header. */
export async function send(dataUrl: string, { method, path, query, headers, body }: WireRequest): Promise<WireAnswer> {
  const { protocol, hostname, port } = new URL(dataUrl);
  const { request } = protocol === 'https:' ? https : http;
  const search = query === undefined ? '' : `?${new URLSearchParams(query)}`;
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
  const sent = request({ hostname, port, method, path: path + search, ...(headers === undefined ? {} : { headers }) });
  sent.on('response', resolve).on('error', reject).end(body);
  const answer = await promise;
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: await buffer(answer) };
}

function signer(credentials: Credentials): SignatureV4 {
  return new SignatureV4({ service: 's3', region, sha256: Sha256, uriEscapePath: false, credentials });
}

function signable(dataUrl: string, { method, path, query = {}, headers, body }: WireRequest) {
  const { protocol, host } = new URL(dataUrl);
  return { method, protocol, hostname: host, path, query, headers: { host, ...headers }, body };
}
