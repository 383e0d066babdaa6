import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { RegisteredIssuerRecord } from '../../../lib/domain/ci/registered-issuers.ts';
import { limits } from '../../../lib/domain/limits.ts';
import { dayMs, parseTimestamp, toTimestamp } from '../../../lib/domain/time.ts';
import { encode } from '../../../lib/store/codec.ts';
import { inList, keys, sublists } from '../../../lib/store/keys.ts';
import { issuerShards, noteUnknownKey } from '../../../lib/store/registered-issuers.ts';
import { auditEvent, now, openStore, outcomeOf } from './open-store.ts';

const { store, table } = await openStore();
const { registeredIssuers } = store;
const at = parseTimestamp(now);
const minute = 60_000;
const jwks: RegisteredIssuerRecord['jwks'] = [{ kid: 'a', kty: 'RSA', alg: 'RS256', n: 'n', e: 'AQAB' }];

const page = { limit: 100, after: undefined };
const newIssuer = (account_id: string, changes: Partial<RegisteredIssuerRecord> = {}): RegisteredIssuerRecord => ({
  account_id,
  issuer_id: randomUUID(),
  issuer: `https://${randomUUID()}.example.org`,
  kind: 'gitlab',
  created_at: now,
  created_by: account_id,
  jwks,
  keys_fetched_at: now,
  last_attempt_at: now,
  last_failure: null,
  last_used_at: null,
  next_fetch_at: toTimestamp(at + 6 * 60 * minute),
  ...changes,
});
const register = (record: RegisteredIssuerRecord) =>
  registeredIssuers.create(record, { ...auditEvent(record.account_id), kind: 'issuer.registered' });
const registered = async (changes: Partial<RegisteredIssuerRecord> = {}) => {
  const record = newIssuer(`account-${randomUUID().slice(0, 8)}`, changes);
  await register(record);
  return record;
};
const stored = async ({ account_id, issuer }: RegisteredIssuerRecord) => {
  const found = await registeredIssuers.find(account_id, issuer);
  if (found === undefined) throw new Error('the issuer is missing');
  return found;
};
const dueIn = async (record: RegisteredIssuerRecord) =>
  (parseTimestamp((await stored(record)).next_fetch_at) - at) / minute;
const isDue = async ({ issuer_id }: RegisteredIssuerRecord, time: number) =>
  (await registeredIssuers.listDue(issuer_id.slice(0, 1), time)).some((one) => one.issuer_id === issuer_id);

describe('at the registration of an issuer,', () => {
  test('an account has at most ten issuers, also when requests race', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => outcomeOf(register(newIssuer('racing-account')))),
    );
    expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(limits.registeredIssuersMax);
    const { items } = await registeredIssuers.list('racing-account', page);
    expect(items).toHaveLength(limits.registeredIssuersMax);
    const [first] = items;
    if (first === undefined) throw new Error('there is none');
    await registeredIssuers.delete(first, auditEvent('racing-account'));
    expect(await outcomeOf(register(newIssuer('racing-account')))).toBe('done');
    expect(await outcomeOf(register(newIssuer('racing-account')))).toBe('conflict');
  });

  test('an account registers an issuer once, and another account can register the same issuer', async () => {
    const first = await registered();
    await expect(register({ ...newIssuer(first.account_id), issuer: first.issuer })).rejects.toMatchObject({
      code: 'already_registered',
    });
    const second = await registered({ issuer: first.issuer, jwks: [] });
    expect(await stored(first)).toEqual(first);
    expect(await stored(second)).toEqual(second);
    await registeredIssuers.delete(first, auditEvent(first.account_id));
    expect(await registeredIssuers.find(first.account_id, first.issuer)).toBeUndefined();
    expect(await stored(second)).toEqual(second);
  });

  test('another spelling of an issuer URL is another issuer', async () => {
    const record = await registered();
    for (const issuer of [`${record.issuer}/`, record.issuer.toUpperCase(), `${record.issuer}:443`]) {
      expect(await registeredIssuers.find(record.account_id, issuer)).toBeUndefined();
    }
  });

  test('a deleted account cannot register, and its issuers are removed', async () => {
    const record = newIssuer('ended-account');
    await register(record);
    await table.put(encode('deleted_account', {}, { key: keys.deletedAccount('ended-account') }), 1000);
    await expect(register(newIssuer('ended-account'))).rejects.toMatchObject({ code: 'wrong_state' });
    await store.accountEnds.removeRemains('ended-account', now);
    expect(await registeredIssuers.find('ended-account', record.issuer)).toBeUndefined();
    expect(await table.get(keys.registeredIssuerCount('ended-account'))).toBeUndefined();
  });

  test('attempts are counted by account and hour', async () => {
    const count = (time: string) => outcomeOf(registeredIssuers.countRegistration('trying-account', time));
    for (let attempt = 0; attempt < limits.issuerRegistrationsPerHourMax; attempt += 1) {
      expect(await count(now)).toBe('done');
    }
    expect(await count(now)).toBe('throttled');
    expect(await count(toTimestamp(at + 60 * minute))).toBe('done');
  });

  test('an issuer is loaded by its ID, in its own account only', async () => {
    const record = await registered();
    expect(await registeredIssuers.load(record.account_id, record.issuer_id)).toEqual(record);
    await expect(registeredIssuers.load('another-account', record.issuer_id)).rejects.toMatchObject({
      code: 'not_found',
    });
    await registeredIssuers.delete(record, auditEvent(record.account_id));
    await expect(registeredIssuers.delete(record, auditEvent(record.account_id))).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

describe('at the fetch of keys,', () => {
  test('a due issuer is claimed by one run', async () => {
    const record = await registered({ next_fetch_at: now });
    expect([await isDue(record, at - 1), await isDue(record, at)]).toEqual([false, true]);
    const claims = await Promise.all([1, 2, 3].map(() => registeredIssuers.claim(record, at)));
    expect(claims.filter((claimed) => claimed !== undefined)).toHaveLength(1);
    expect([await isDue(record, at + 4 * minute), await isDue(record, at + 5 * minute)]).toEqual([false, true]);
  });

  test('a success replaces the keys, and a failure leaves them', async () => {
    const record = await registered();
    const minutesLater = (minutes: number) => toTimestamp(at + minutes * minute);
    await registeredIssuers.recordFetch(record, { failure: 'timed_out' }, at + minute);
    expect(await stored(record)).toMatchObject({ jwks, keys_fetched_at: now, last_failure: 'timed_out' });
    await registeredIssuers.recordFetch(record, { jwks: [] }, at + 2 * minute);
    const success = {
      jwks: [],
      keys_fetched_at: minutesLater(2),
      last_attempt_at: minutesLater(2),
      last_failure: null,
    };
    expect(await stored(record)).toMatchObject({ ...success, next_fetch_at: minutesLater(362) });
    // A key fetch that began earlier and ends later.
    await registeredIssuers.recordFetch(record, { jwks }, at + minute);
    expect(await stored(record)).toMatchObject(success);
  });

  test('the result for a deleted issuer is not stored', async () => {
    const record = await registered();
    await registeredIssuers.delete(record, auditEvent(record.account_id));
    await registeredIssuers.recordFetch(record, { jwks }, at + minute);
    await registeredIssuers.postpone(record, at);
    await registeredIssuers.fetchSoon(record, at);
    await registeredIssuers.recordUse(record, at);
    expect(await registeredIssuers.find(record.account_id, record.issuer)).toBeUndefined();
  });

  test('an unknown key brings the fetch forward to five minutes after the last attempt', async () => {
    const record = await registered();
    await registeredIssuers.fetchSoon(record, at + minute);
    expect(await dueIn(record)).toBe(5);
    await registeredIssuers.fetchSoon(record, at + 7 * minute);
    expect(await dueIn(record)).toBe(5);
    const older = await registered({ last_attempt_at: toTimestamp(at - dayMs) });
    await registeredIssuers.fetchSoon(older, at + 7 * minute);
    expect(await dueIn(older)).toBe(7);
    expect(await isDue(older, at + 7 * minute)).toBe(true);
  });

  test('a use shortens the interval, and is written once a day', async () => {
    const record = await registered();
    await registeredIssuers.recordUse(record, at + minute);
    expect(await dueIn(record)).toBe(15);
    await registeredIssuers.recordUse(record, at + 2 * minute);
    expect((await stored(record)).last_used_at).toBe(toTimestamp(at + minute));
    await registeredIssuers.recordUse(record, at + minute + dayMs);
    expect((await stored(record)).last_used_at).toBe(toTimestamp(at + minute + dayMs));
    await registeredIssuers.postpone(await stored(record), at + minute + dayMs);
    expect(await dueIn(record)).toBe(1 + 24 * 60 + 15);
  });

  test('at most one unknown key of an issuer is recorded in five minutes', async () => {
    const named = { account_id: 'noting-account', issuer: 'https://ci.example.org' };
    const times = [0, 1, 5 * minute, 5 * minute + 1, 10 * minute + 2];
    const written = [];
    for (const time of times) written.push(await noteUnknownKey(table, named, at + time));
    expect(written).toEqual([true, false, false, true, true]);
    expect(await noteUnknownKey(table, { ...named, account_id: 'other-account' }, at)).toBe(true);
  });

  test('the trusted workflows of an issuer are counted in its account', async () => {
    const record = await registered();
    expect(await registeredIssuers.countTrusts(record, 10)).toBe(0);
    for (const [account, number] of [
      [record.account_id, 3],
      ['another-account', 1],
    ] as const) {
      for (let trust = 0; trust < number; trust += 1) {
        const id = randomUUID();
        const partition = sublists.trustsOfIssuer(account, record.issuer);
        const sublist = inList(partition, now, id);
        await table.put(encode('trusted_workflow', {}, { key: keys.workflow(record.issuer_id, id), sublist }), 1000);
      }
    }
    expect([await registeredIssuers.countTrusts(record, 10), await registeredIssuers.countTrusts(record, 2)]).toEqual([
      3, 2,
    ]);
  });

  test('every issuer is in a shard', async () => {
    const { issuer_id } = await registered();
    expect(issuerShards).toContain(issuer_id.slice(0, 1));
  });
});
