import { LRUCache } from 'lru-cache';
import { ServiceError } from '../domain/errors.ts';
import type { Clock } from '../domain/time.ts';

/** The number of credential exchanges that one warm instance accepts per minute, for each IP address and each key. */
export interface ExchangeThrottles {
  per_ip_per_minute: number;
  per_key_per_minute: number;
}

/**
 * Limits credential exchanges. Its methods throw ServiceError `throttled` above their limit. Refused requests do not
 * count.
 */
export interface ExchangeThrottle {
  /** @param ip the IP address of the connection as CloudFront reports it; a header could be forged */
  countIp(ip: string): void;
  /**
   * Counts a request by the hash of its key, whether the key exists or not. Only a client that has the key can use up
   * its limit.
   */
  countKey(keyHash: string): void;
}

/**
 * Number of IP addresses, and of keys, that are counted at the same time. The oldest are dropped first, so many
 * invented keys only reset counts.
 */
const rememberedMax = 10_000;

export function createExchangeThrottle(throttles: ExchangeThrottles, clock: Clock): ExchangeThrottle {
  const admitsIp = allowance(throttles.per_ip_per_minute, clock);
  const admitsKey = allowance(throttles.per_key_per_minute, clock);
  return {
    countIp(ip) {
      if (!admitsIp(networkOf(ip)))
        throw new ServiceError('throttled', 'Too many sign-ins from this IP address; wait a minute and try again');
    },
    countKey(keyHash) {
      if (!admitsKey(keyHash)) {
        throw new ServiceError(
          'throttled',
          'Too many sign-ins with this API key; wait a minute, and keep the credentials until they expire',
        );
      }
    },
  };
}

/**
 * Returns a function that says whether another request is allowed. The allowance refills continuously, so a client that
 * stays below the limit in every minute is never refused.
 */
function allowance(perMinute: number, clock: Clock): (spender: string) => boolean {
  const spenders = new LRUCache<string, { left: number; countedAt: number }>({ max: rememberedMax });
  return (spender) => {
    const countedAt = clock();
    const before = spenders.get(spender) ?? { left: perMinute, countedAt };
    const minutes = Math.max(0, countedAt - before.countedAt) / 60_000;
    const left = Math.min(perMinute, before.left + minutes * perMinute);
    const isAdmitted = left >= 1;
    spenders.set(spender, { left: isAdmitted ? left - 1 : left, countedAt });
    return isAdmitted;
  };
}

/**
 * Returns an IPv4 address unchanged, and the /64 network of an IPv6 address. A client with one IPv6 address can
 * usually use its whole /64 network.
 */
function networkOf(ip: string): string {
  // Matches an IPv4 address, alone or inside an IPv6 address such as `::ffff:192.0.2.1`.
  if (ip.includes('.')) return ip.slice(ip.lastIndexOf(':') + 1);
  const [head = [], tail] = ip.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - head.length - tail.length);
  const groups = [...head, ...Array<string>(zeros).fill('0'), ...(tail ?? [])];
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
