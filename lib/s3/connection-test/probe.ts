import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import http from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { ConnectionFailure } from '../../domain/data/connection-checks.ts';
import type { StorageRequest } from '../../domain/data/decision.ts';
import { limits } from '../../domain/limits.ts';
import { isLoopbackHost } from '../../domain/loopback.ts';
import { isLoopbackAddress, isPublicAddress } from './public-addresses.ts';

/** Returns all IP addresses of a host name. Rejects if there are none. */
export type ResolveHost = (host: string) => Promise<readonly LookupAddress[]>;

export const resolveHost: ResolveHost = (host) => lookup(host, { all: true });

export interface ProbeAnswer {
  status: number;
  /** The value of `x-amz-bucket-region`. */
  bucketRegion: string | undefined;
  /** The body, or an empty text if the body is longer than the limit. */
  text: string;
  /** True when `text` is the whole body. */
  isWhole: boolean;
}

export type Probed = { kind: 'answer'; answer: ProbeAnswer } | { kind: 'failure'; code: ConnectionFailure };

/** Sends requests only to the IP addresses that were checked when the probe was opened. */
export type Probe = (
  request: StorageRequest,
  body: Uint8Array,
  bounds: { signal: AbortSignal; bytesMax: number },
) => Promise<Probed>;

/**
 * Opens a probe of a host if every IP address of the host is allowed. Public addresses are allowed. With
 * `allowsLoopback`, a loopback host name may have loopback addresses. The name is resolved only once, so that a changed
 * DNS record cannot redirect later requests.
 */
export async function openProbe(
  hostName: string,
  { resolveHost, allowsLoopback, signal }: { resolveHost: ResolveHost; allowsLoopback: boolean; signal: AbortSignal },
): Promise<{ kind: 'probe'; probe: Probe } | { kind: 'failure'; code: ConnectionFailure }> {
  const host = hostName.replace(/^\[|\]$/g, '');
  let addresses: readonly LookupAddress[];
  try {
    addresses =
      isIP(host) === 0 ? await untilAborted(resolveHost(host), signal) : [{ address: host, family: isIP(host) }];
  } catch {
    return { kind: 'failure', code: signal.aborted ? 'timed_out' : 'name_not_found' };
  }
  if (addresses.length === 0) return { kind: 'failure', code: 'name_not_found' };
  const isLocal = allowsLoopback && isLoopbackHost(hostName);
  const isAllowed = isLocal ? isLoopbackAddress : isPublicAddress;
  if (!addresses.every(({ address }) => isAllowed(address))) return { kind: 'failure', code: 'address_not_public' };
  return { kind: 'probe', probe: (request, body, bounds) => send({ ...request, host }, body, addresses, bounds) };
}

async function send(
  request: StorageRequest,
  body: Uint8Array,
  addresses: readonly LookupAddress[],
  { signal: untilAll, bytesMax }: { signal: AbortSignal; bytesMax: number },
): Promise<Probed> {
  const signal = AbortSignal.any([untilAll, AbortSignal.timeout(limits.connectionTestRequestMs)]);
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
  const sent = (request.protocol === 'https' ? https : http).request({
    agent: false,
    host: request.host,
    port: request.port,
    method: request.method,
    path: request.rawQuery === '' ? request.rawPath : `${request.rawPath}?${request.rawQuery}`,
    headers: { ...request.headers, ...(request.method === 'PUT' ? { 'content-length': body.length } : {}) },
    lookup: lookupOf(addresses),
    signal,
  });
  sent.once('response', resolve);
  sent.on('error', reject);
  sent.end(body);
  try {
    const answer = await promise;
    const { text, isWhole } = await readBeginning(answer, bytesMax);
    const region = answer.headers['x-amz-bucket-region'];
    return {
      kind: 'answer',
      answer: {
        status: answer.statusCode ?? 0,
        bucketRegion: typeof region === 'string' ? region : undefined,
        text,
        isWhole,
      },
    };
  } catch (error) {
    return { kind: 'failure', code: failureOf(error, signal) };
  } finally {
    sent.destroy();
  }
}

async function readBeginning(
  answer: http.IncomingMessage,
  bytesMax: number,
): Promise<{ text: string; isWhole: boolean }> {
  const chunks: Buffer[] = [];
  let length = 0;
  if (bytesMax === 0) return { text: '', isWhole: false };
  // An early return from the loop ends the connection.
  for await (const chunk of answer) {
    length += chunk.length;
    if (length > bytesMax) return { text: '', isWhole: false };
    chunks.push(chunk);
  }
  return { text: Buffer.concat(chunks).toString('utf8'), isWhole: true };
}

/** Supports both forms of Node's `lookup`: one address, or all addresses to try in order. */
function lookupOf(addresses: readonly LookupAddress[]): LookupFunction {
  return (_host, { all }, callback) => {
    const first = addresses[0];
    if (first === undefined) callback(new Error('there is no address'), '');
    else if (all) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  };
}

function failureOf(error: unknown, signal: AbortSignal): ConnectionFailure {
  if (signal.aborted) return 'timed_out';
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  // The response is not HTTP, or its headers are too large.
  if (code.startsWith('HPE_')) return 'not_s3';
  return /CERT|^ERR_SSL|^ERR_TLS|^EPROTO|^UNABLE_TO/.test(code) ? 'certificate_invalid' : 'no_connection';
}

function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', abort));
}
