import { expect, test } from 'vitest';
import { limits } from '../../../lib/domain/limits.ts';
import { createOriginAuthorizer } from '../../../lib/lambda/origin-authorizer.ts';
import { createSecretSource } from '../../../lib/lambda/secrets/secrets.ts';
import { createPagesSecret } from '../../../lib/lambda/site/pages-secret.ts';
import { createSiteSignIn } from '../../../lib/lambda/site/site-sign-in.ts';
import { createUserClientsSource } from '../../../lib/lambda/user-clients.ts';

type Read = () => Promise<string>;
type Clock = () => number;

/**
 * A value that functions cache, with its times in seconds. test/lib/domain/refreshed.test.ts has their common behavior.
 */
interface Cached {
  refreshedAfter: number;
  /** The time for which a value is used while reads fail. */
  usedInOutage: number;
  failureRemembered: number;
  content: object | string;
  create(read: Read, clock: Clock): () => Promise<unknown>;
}

const issuer = 'https://id.example.org/pool';
const day = 86_400;
const values: Record<string, Cached> = {
  'the OIDC clients': {
    ...{ refreshedAfter: 300, usedInOutage: day, failureRemembered: limits.userClientsFailureRememberedSeconds },
    content: { issuer, api_audiences: ['web', 'site'], data_audiences: ['data'] },
    create: (read, clock) => createUserClientsSource(read, '/tides/people-clients', clock),
  },
  // The clock moves one millisecond more, so that an instance reads a new version within five minutes of its creation.
  'a rotating secret': {
    ...{ refreshedAfter: 300.001, usedInOutage: 3600.001, failureRemembered: 10 },
    content: { version: 1, key: Buffer.alloc(32).toString('base64'), created_at: '2026-11-01T00:00:00Z' },
    create: (read, clock) => createSecretSource(read, 'sluice/session-keys', clock),
  },
  'the origin secret': {
    ...{ refreshedAfter: 300, usedInOutage: 3600, failureRemembered: 10 },
    content: { current: 'f'.repeat(64) },
    create: (read, clock) => {
      const authorize = createOriginAuthorizer({ readSecret: async () => JSON.parse(await read()), clock });
      return () => authorize({ headers: { 'x-sluice-origin': 'f'.repeat(64) } });
    },
  },
  'the secret of pages': {
    ...{ refreshedAfter: 3600, usedInOutage: day, failureRemembered: 60 },
    content: 'p'.repeat(64),
    create: (read, clock) => createPagesSecret(read, 'tides/pages-1', clock),
  },
  "the issuer's endpoints": {
    ...{ refreshedAfter: 3600, usedInOutage: day, failureRemembered: limits.issuerFailureRememberedSeconds },
    content: { issuer, authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` },
    create: (read, clock) => {
      const fetchJson = async () => JSON.parse(await read());
      return createSiteSignIn({ issuer, findClientId: async () => 'site' }, { fetchJson, clock });
    },
  },
};

test.for(Object.entries(values))(
  'the cached value of %s is refreshed after its TTL, and used during an outage until its expiry',
  async ([name, cached]) => {
    const { refreshedAfter, usedInOutage, failureRemembered, content, create } = cached;
    let now = Date.parse('2026-11-21T10:00:00Z');
    let reads = 0;
    let isDown = false;
    const read = async () => {
      reads += 1;
      if (isDown) throw new Error('out of reach');
      return typeof content === 'string' ? content : JSON.stringify(content);
    };
    const value = create(read, () => now);
    const pass = (seconds: number) => {
      now += seconds * 1000;
    };
    /** A page works without its secret. Functions with other cached values fail without them. */
    const expectNone = async () =>
      name === 'the secret of pages'
        ? expect(await value()).toBeUndefined()
        : expect(value()).rejects.toMatchObject({ code: 'unavailable' });

    const first = await value();
    pass(refreshedAfter - 0.001);
    expect([await value(), reads]).toEqual([first, 1]);
    pass(0.001);
    expect([await value(), reads]).toEqual([first, 2]);
    isDown = true;
    pass(usedInOutage - 0.001);
    // Several callers at one moment cause only one read.
    expect(await Promise.all([value(), value()])).toEqual([first, first]);
    expect(reads).toBe(3);
    pass(0.001);
    await expectNone();
    isDown = false;
    pass(failureRemembered - 0.002);
    await expectNone();
    expect(reads).toBe(3);
    pass(0.001);
    expect([await value(), reads]).toEqual([first, 4]);
  },
);
