import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net';
import type { ConnectionFailure } from '../../domain/data/connection-checks.ts';
import type { StorageRequest } from '../../domain/data/decision.ts';
import { isLoopbackHost } from '../../domain/loopback.ts';
import { openStorageRequest, readText } from '../storage-fetch.ts';

/** Returns all IP addresses of a host name. Rejects if there are none. */
export type ResolveHost = (host: string) => Promise<readonly LookupAddress[]>;

export const resolveHost: ResolveHost = (host) => lookup(host, { all: true });

export interface ProbeAnswer {
  kind: 'answer';
  status: number;
  /** The value of `x-amz-bucket-region`. */
  bucketRegion: string | undefined;
  /** The whole body, or undefined if it is longer than the limit. */
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
  const isAllowed = allowsLoopback && isLoopbackHost(hostName) ? isLoopbackAddress : isPublicAddress;
  if (!addresses.every(({ address }) => isAllowed(address))) return 'address_not_public';
  return (request, body, bounds) => send({ ...request, host }, body, addresses, bounds);
}

async function send(
  request: StorageRequest,
  body: Uint8Array,
  addresses: readonly LookupAddress[],
  { signal, bytesMax }: { signal: AbortSignal; bytesMax: number },
): Promise<Probed> {
  const { sent, answer } = openStorageRequest(request, body, { agent: false, lookup: lookupOf(addresses), signal });
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

/**
 * IPv4 addresses that no public host has: IANA's special-purpose addresses, multicast, and reserved addresses.
 * 169.254.0.0/16 includes the metadata service of cloud machines.
 */
const specialIpv4 = /* @__PURE__ */ blockList(`0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16
  172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24
  224.0.0.0/3`);

/** The one IPv6 block for public hosts. All other blocks are refused, including every IPv6 form of IPv4 addresses. */
const globalIpv6 = /* @__PURE__ */ blockList('2000::/3');
/** Teredo, benchmarks, ORCHID, other IETF protocol assignments, documentation, and 6to4, which contains IPv4. */
const specialIpv6 = /* @__PURE__ */ blockList('2001::/23 2001:db8::/32 2002::/16 3fff::/20');
const loopbackIpv4 = /* @__PURE__ */ blockList('127.0.0.0/8');
const loopbackIpv6 = /* @__PURE__ */ blockList('::1/128');

/** Returns true when a host of the public internet can have this resolved IP address. */
export function isPublicAddress(address: string): boolean {
  if (!isIPv6(address)) return !specialIpv4.check(address, 'ipv4');
  return globalIpv6.check(address, 'ipv6') && !specialIpv6.check(address, 'ipv6');
}

function isLoopbackAddress(address: string): boolean {
  return isIPv6(address) ? loopbackIpv6.check(address, 'ipv6') : loopbackIpv4.check(address, 'ipv4');
}

/** Creates a list of the blocks in a text, in CIDR notation. */
function blockList(blocks: string): BlockList {
  const list = new BlockList();
  for (const block of blocks.split(/\s+/)) {
    const [network = '', prefix] = block.split('/');
    list.addSubnet(network, Number(prefix), isIPv6(network) ? 'ipv6' : 'ipv4');
  }
  return list;
}
