import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { ConnectionFailure } from '../../domain/data/connection-checks.ts';
import type { StorageRequest } from '../../domain/data/decision.ts';
import { answerLookup, isAllowedAddress } from '../public-addresses.ts';
import { openStorageRequest, readText } from '../storage-fetch.ts';

/** Returns all IP addresses of a host name. Rejects if there are none. */
export type ResolveHost = (host: string) => Promise<readonly LookupAddress[]>;

export const resolveHost: ResolveHost = (host) => lookup(host, { all: true });

export interface ProbeAnswer {
  kind: 'answer';
  status: number;
  /** The value of `x-amz-bucket-region`. */
  bucketRegion: string | undefined;
  /** The whole body of the response, or undefined if it is longer than the limit. */
  text: string | undefined;
}

export type Probed = ProbeAnswer | { kind: 'failure'; code: ConnectionFailure };

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
): Promise<Probe | ConnectionFailure> {
  const host = hostName.replace(/^\[|\]$/g, '');
  let addresses: readonly LookupAddress[];
  try {
    addresses =
      isIP(host) === 0 ? await untilAborted(resolveHost(host), signal) : [{ address: host, family: isIP(host) }];
  } catch {
    return signal.aborted ? 'timed_out' : 'name_not_found';
  }
  if (addresses.length === 0) return 'name_not_found';
  const isAllowed = ({ address }: LookupAddress) => isAllowedAddress(hostName, address, { allowsLoopback });
  if (!addresses.every(isAllowed)) return 'address_not_public';
  return (request, body, bounds) => send({ ...request, host }, body, addresses, bounds);
}

async function send(
  request: StorageRequest,
  body: Uint8Array,
  addresses: readonly LookupAddress[],
  { signal, bytesMax }: { signal: AbortSignal; bytesMax: number },
): Promise<Probed> {
  const { sent, answer } = openStorageRequest(request, body, { agent: false, lookup: answerLookup(addresses), signal });
  try {
    const response = await answer;
    const region = response.headers['x-amz-bucket-region'];
    const bucketRegion = typeof region === 'string' ? region : undefined;
    return { kind: 'answer', status: response.statusCode ?? 0, bucketRegion, text: await readText(response, bytesMax) };
  } catch (error) {
    return { kind: 'failure', code: failureOf(error, signal) };
  } finally {
    sent.destroy();
  }
}

function failureOf(error: unknown, signal: AbortSignal): ConnectionFailure {
  if (signal.aborted) return 'timed_out';
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  // This error means that the response is not HTTP, or that its headers are too large.
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
