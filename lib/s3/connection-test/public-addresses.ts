import { BlockList, isIPv6 } from 'node:net';

/** IPv4 addresses that no public host has: IANA's special-purpose addresses, multicast, and reserved addresses. */
const specialIpv4 = /* @__PURE__ */ blockList('ipv4', [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Includes the metadata service of cloud machines.
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
]);

/** The one IPv6 block for public hosts. All other blocks are refused, including every IPv6 form of IPv4 addresses. */
const globalIpv6 = /* @__PURE__ */ blockList('ipv6', [['2000::', 3]]);
const specialIpv6 = /* @__PURE__ */ blockList('ipv6', [
  // Teredo, benchmarks, ORCHID, and other IETF protocol assignments.
  ['2001::', 23],
  ['2001:db8::', 32],
  // 6to4 addresses contain an IPv4 address.
  ['2002::', 16],
  ['3fff::', 20],
]);

const loopbackIpv4 = /* @__PURE__ */ blockList('ipv4', [['127.0.0.0', 8]]);
const loopbackIpv6 = /* @__PURE__ */ blockList('ipv6', [['::1', 128]]);

/** Returns true when a host of the public internet can have this resolved IP address. */
export function isPublicAddress(address: string): boolean {
  if (!isIPv6(address)) return !specialIpv4.check(address, 'ipv4');
  return globalIpv6.check(address, 'ipv6') && !specialIpv6.check(address, 'ipv6');
}

export function isLoopbackAddress(address: string): boolean {
  return isIPv6(address) ? loopbackIpv6.check(address, 'ipv6') : loopbackIpv4.check(address, 'ipv4');
}

function blockList(type: 'ipv4' | 'ipv6', blocks: readonly (readonly [network: string, prefix: number])[]): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of blocks) list.addSubnet(network, prefix, type);
  return list;
}
