import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import autocannon, { type Instance, type Options, type Result } from 'autocannon';
import type { HeaderFields } from '../lib/domain/data/decision.ts';
import { type SigningCredentials, signRequest } from '../lib/sigv4/sign.ts';
import { countBytes, makeBytes } from '../test/lib/local/cloudfront/byte-maker.ts';
import { signIn } from '../test/service/data-clients.ts';

/**
 * Returns the headers of a signed S3 request, including `host`. They are valid for 15 minutes, so the same headers can
 * be sent many times.
 */
export function signedHeaders(method: string, url: URL, credentials: SigningCredentials): HeaderFields {
  return signRequest(
    { method, rawPath: url.pathname, rawQuery: url.search.slice(1), headers: { host: url.host } },
    credentials,
    { now: Date.now(), region: 'us-east-1', service: 's3', payloadHash: 'UNSIGNED-PAYLOAD' },
  );
}

/** A request that `sendMany` sends again and again. */
export type RepeatedRequest = Pick<Options, 'url' | 'method' | 'headers' | 'body' | 'setupClient'>;

export function signedGet(url: URL, credentials: SigningCredentials): RepeatedRequest {
  return { url: url.href, headers: signedHeaders('GET', url, credentials) };
}

export function startLoad(options: Options): { load: Instance; result: Promise<Result> } {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  // autocannon can stop only at a multiple of `sampleInt` milliseconds, so use a small one.
  const load = autocannon({ sampleInt: 10, timeout: 60, ...options }, (error, result) => {
    if (error) reject(error);
    else resolve(result);
  });
  return { load, result: promise };
}

/** The result of `sendMany`. Times are in milliseconds. */
export interface Answers {
  times: readonly number[];
  perSecond: number;
}

/** Sends a request `amount` times. Each connection waits for a response before it sends the next request. */
export async function sendMany(request: RepeatedRequest, amount: number, connections: number): Promise<Answers> {
  const times: number[] = [];
  const startedAt = performance.now();
  let lastAt = startedAt;
  const { load, result } = startLoad({ ...request, amount, connections });
  load.on('response', (_client, _status, _bytes, milliseconds) => {
    times.push(milliseconds);
    lastAt = performance.now();
  });
  const { errors, non2xx } = await result;
  if (errors + non2xx > 0) throw new Error(`${errors + non2xx} of ${amount} requests to ${request.url} failed`);
  return { times, perSecond: amount / ((lastAt - startedAt) / 1000) };
}

// Uploads and large downloads use the HTTP client of Node. autocannon would hold complete bodies in memory, and it does
// not sign.
export async function upload(url: URL, bytes: number, credentials: SigningCredentials): Promise<void> {
  const headers = { ...signedHeaders('PUT', url, credentials), 'content-length': bytes };
  const request = http.request(url, { method: 'PUT', headers, agent: false });
  const response = once(request, 'response') as Promise<[IncomingMessage]>;
  await Promise.all([response, pipeline(makeBytes(bytes), request)]);
  await readWhole((await response)[0], 0);
}

export async function download(url: URL, bytes: number, credentials: SigningCredentials): Promise<void> {
  const request = http.request(url, { headers: signedHeaders('GET', url, credentials), agent: false }).end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  await readWhole(response, bytes);
}

async function readWhole(response: IncomingMessage, bytes: number): Promise<void> {
  const count = await countBytes(response);
  if (response.statusCode !== 200 || count !== bytes)
    throw new Error(`a transfer got ${response.statusCode} with ${count} bytes`);
}

export function exchangeRequest(dataUrl: string, role: string, token: string) {
  return {
    url: `${dataUrl}/.sts`,
    method: 'POST' as const,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      Action: 'AssumeRoleWithWebIdentity',
      Version: '2011-06-15',
      RoleArn: role,
      RoleSessionName: 'bench',
      WebIdentityToken: token,
    }).toString(),
  };
}

/**
 * Exchanges a token for credentials.
 *
 * @throws Error when the exchange is refused
 */
export async function exchange(dataUrl: string, token: string): Promise<Required<SigningCredentials>> {
  const { accessKeyId, secretAccessKey, sessionToken = '' } = await signIn({ dataUrl }, token);
  return { access_key_id: accessKeyId, secret_access_key: secretAccessKey, session_token: sessionToken };
}
