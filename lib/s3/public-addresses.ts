import { type LookupAddress, lookup } from 'node:dns';
import { BlockList, isIPv6, type LookupFunction } from 'node:net';
import { isLoopbackHost } from '../domain/loopback.ts';

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

/** Returns true when this resolved IP address can belong to a host of the public internet. */
export function isPublicAddress(address: string): boolean {
  if (!isIPv6(address)) return !specialIpv4.check(address, 'ipv4');
  return globalIpv6.check(address, 'ipv6') && !specialIpv6.check(address, 'ipv6');
}

/** Returns true if a request to the host may connect to the address: a public one, or loopback for a loopback host. */
export function isAllowedAddress(host: string, address: string, { allowsLoopback }: { allowsLoopback: boolean }) {
  return allowsLoopback && isLoopbackHost(host) ? isLoopbackAddress(address) : isPublicAddress(address);
}

function isLoopbackAddress(address: string): boolean {
  return isIPv6(address) ? loopbackIpv6.check(address, 'ipv6') : loopbackIpv4.check(address, 'ipv4');
}

/**
 * Resolves the host of a storage endpoint for one network connection. Fails unless every IP address of the host is
 * allowed. The connection goes to a checked IP address, so that a changed DNS record cannot lead into a private
 * network. Only the local service stores data connections with a loopback host.
 */
export const lookupStorage: LookupFunction = (host, options, callback) => {
  lookup(host, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return callback(error, '');
    const isAllowed = addresses.every(({ address }) => isAllowedAddress(host, address, { allowsLoopback: true }));
    if (!isAllowed) return callback(new Error(`${host} has an IP address that is not public`), '');
    return answerLookup(addresses)(host, options, callback);
  });
};

/** Returns a lookup that answers with these addresses. Supports both forms of Node's `lookup`: one address, or all. */
export function answerLookup(addresses: readonly LookupAddress[]): LookupFunction {
  return (_host, { all }, callback) => {
    const first = addresses[0];
    if (first === undefined) callback(new Error('there is no address'), '');
    else if (all) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  };
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
