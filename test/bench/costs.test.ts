import { describe, expect, test } from 'vitest';
import {
  behindTheCache,
  type Costs,
  exchangeCosts,
  fixedCosts,
  type MeasuredUse,
  objectCosts,
  openReadCosts,
  serviceAccountCosts,
} from '../../bench/costs.ts';

const use = (readUnits: number, writeUnits: number) => ({
  requests: 0,
  reads: 0,
  transactions: 0,
  readUnits,
  writeUnits,
});
const measured: MeasuredUse = {
  exchange: use(3, 1),
  coldObject: use(6, 0),
  coldOpenRead: use(2, 0),
  administration: [use(9, 0), use(8, 12), use(9, 4)],
};

describe('the costs of a month, worked out by hand', () => {
  test.each<[string, Costs, Partial<Costs>]>([
    // The expected monthly costs of a deployment with three web ACLs with nine rules, two keys, and four secrets.
    ['a deployment that nobody uses', fixedCosts(), { firewall: 24, secrets: 4.6, table: 0 }],
    [
      'a million exchanges',
      exchangeCosts(1e6, measured),
      // The credential exchange at the edge: 0.60 for requests, and 50,000 GB-seconds. Each exchange needs three read
      // units and one write unit.
      { cloudFront: 1.1, firewall: 0.6, edge: 0.6 + 2.5005, table: 0.375 + 0.625, api: 0, secrets: 0, logs: 0.4 },
    ],
    [
      'a hundred million requests for objects',
      objectCosts(1e8, measured),
      {
        cloudFront: 110,
        firewall: 60,
        // Each request to the data proxy runs two functions. They take 270,000 GB-seconds warm, 1,000,000 cold, and
        // 50,000 for responses.
        edge: 200 * 0.6 + 1.32e6 * 0.00005001,
        // Ten million requests to cold instances read 6 units each. 20 instances read the change feed 259,200 times
        // each.
        table: 7.5 + 20 * 259_200 * 2 * 0.125e-6,
        logs: 120 * 0.5,
      },
    ],
    [
      'a thousand service accounts',
      serviceAccountCosts(1000, measured),
      { api: 0.003 + 3000 * (0.2e-6 + 0.075 * 0.0000133334), table: 26_000 * 0.125e-6 + 16_000 * 0.625e-6, edge: 0 },
    ],
  ])('%s', (_, costs, expected) => {
    for (const [service, dollars] of Object.entries(expected)) {
      expect(costs[service as keyof Costs], service).toBeCloseTo(dollars, 6);
    }
  });

  test('grow with the measured use', () => {
    const twice = { ...measured, exchange: use(6, 2), coldObject: use(12, 0) };
    expect(exchangeCosts(1e6, twice).table).toBeCloseTo(2 * exchangeCosts(1e6, measured).table, 9);
    expect(objectCosts(1e8, twice).table - objectCosts(1e8, measured).table).toBeCloseTo(7.5, 9);
  });

  test('reads of open data, of which nine in ten are hits', () => {
    const reads = { reads: 1e8, bytes: 8e12 };
    const costs = openReadCosts({ ...reads, hitsPercent: 90 }, measured);
    const looks = 20 * 259_200 * 2 * 0.125e-6;
    const expected = {
      // Each request runs two CloudFront viewer functions.
      cloudFront: 100 + 2 * 10,
      firewall: 60,
      // Ten million requests need authorization. Each of them runs two functions, which take 0.0132 GB-seconds
      // together.
      edge: 20 * 0.6 + 132_000 * 0.00005001,
      storage: 4,
      // A million requests to cold instances read two units each.
      table: 0.25 + looks,
      // Each request has one log line, and each authorized request has two more.
      logs: (40 + 8) * 0.5,
      bytes: 680,
    };
    for (const [service, dollars] of Object.entries(expected)) {
      expect(costs[service as keyof typeof costs], service).toBeCloseTo(dollars, 6);
    }
    const uncached = openReadCosts({ ...reads, hitsPercent: 0 }, measured);
    expect(uncached.edge).toBeCloseTo(objectCosts(1e8, measured).edge, 6);
    expect(behindTheCache(costs)).toBeLessThan(0.2 * behindTheCache(uncached));
  });
});
