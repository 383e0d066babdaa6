import { expect, test } from 'vitest';
import { TableExchangeStore } from '../../../lib/store/exchange.ts';
import { tableOfThisTest } from '../../service/table-of-this-test.ts';

const now = Date.parse('2026-03-01T12:00:30Z');
const signIn = { account_id: 'ada', role: 'FullAccess', request_id: 'first', now } as const;

test('an instance writes a record once in a minute, and again in the next minute or with another name', async () => {
  const { table, requests } = await tableOfThisTest();
  const store = new TableExchangeStore(table);
  const writesOf = async (change: Partial<Parameters<typeof store.recordSignIn>[0]>) => {
    requests.length = 0;
    await store.recordSignIn({ ...signIn, ...change });
    return requests.length;
  };
  expect(await writesOf({})).toBe(1);
  expect(await writesOf({ request_id: 'second', now: now + 29_000 })).toBe(0);
  expect(await writesOf({ role: 'ReadOnly' })).toBe(1);
  expect(await writesOf({ account_id: 'grace' })).toBe(1);
  expect(await writesOf({ now: now + 30_000 })).toBe(1);
});

test('an instance repeats a write that failed', async () => {
  const { table, requests, failing } = await tableOfThisTest();
  const store = new TableExchangeStore(table);
  failing.add('PutItemCommand').add('PutCommand');
  await expect(store.recordSignIn(signIn)).rejects.toThrow();
  failing.clear();
  requests.length = 0;
  await store.recordSignIn(signIn);
  expect(requests).toHaveLength(1);
});
