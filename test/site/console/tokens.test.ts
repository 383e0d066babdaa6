import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { forgetTokens, renewOnce, setTokens, type Tokens, tokens } from '../../../site/console/sign-in/tokens.ts';

const of = (id: string, earlier: string[] = []): Tokens => ({
  id,
  earlier,
  access_token: `access-${id}`,
  expires_at: 0,
  refresh_token: `refresh-${id}`,
});

afterEach(() => setTokens(undefined));

/** Renews tokens, and runs `meanwhile` just before the issuer answers. */
async function renewal(meanwhile: () => void) {
  const before = of('first');
  const revoked: Tokens[] = [];
  setTokens(before);
  await renewOnce(before, {
    renew: async () => {
      meanwhile();
      return of('second', ['first']);
    },
    revoke: async (renewed) => void revoked.push(renewed),
  });
  return revoked.map(({ id }) => id);
}

test('renewed tokens replace the earlier ones', async () => {
  expect(await renewal(() => undefined)).toEqual([]);
  expect(tokens.value?.id).toBe('second');
});

test('a user who signs out during a renewal stays signed out, and the new tokens are revoked', async () => {
  expect(await renewal(forgetTokens)).toEqual(['second']);
  expect(tokens.value).toBeUndefined();
});

test('tokens that another tab has renewed stay, and their refresh token is not revoked', async () => {
  expect(await renewal(() => setTokens(of('other', ['first'])))).toEqual([]);
  expect(tokens.value?.id).toBe('other');
});

test('a user who signs out in another tab during a renewal stays signed out in this tab', async () => {
  const other = new BroadcastChannel('sluice-sign-in');
  const before = of('first');
  const revoked: string[] = [];
  setTokens(before);
  await renewOnce(before, {
    renew: async () => {
      other.postMessage({ kind: 'signed_out' });
      await expect.poll(() => tokens.value).toBeUndefined();
      return of('second', ['first']);
    },
    revoke: async ({ id }) => void revoked.push(id),
  });
  other.close();
  expect(revoked).toEqual(['second']);
  expect(tokens.value).toBeUndefined();
});

test('the tab waits for another tab that has renewed the tokens, also if it answers late', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const other = new BroadcastChannel('sluice-sign-in');
  const closed = Promise.withResolvers<void>();
  const there = navigator.locks.request('sluice-renewed first', { mode: 'shared' }, () => closed.promise);
  onTestFinished(async () => {
    vi.useRealTimers();
    other.close();
    closed.resolve();
    await there;
  });
  other.addEventListener('message', async ({ data }) => {
    if (data.kind !== 'ask') return;
    await vi.advanceTimersByTimeAsync(4000);
    other.postMessage({ kind: 'renewed', id: 'first', tokens: of('second', ['first']) });
  });
  const before = of('first');
  setTokens(before);
  const never = () => Promise.reject(new Error('the second use of a refresh token ends the sign-in'));
  await renewOnce(before, { renew: never, revoke: never });
  expect(tokens.value?.id).toBe('second');
});

test('a tab holds the lock of its renewal until it is signed out', async () => {
  const held = async () => (await navigator.locks.query()).held?.map(({ name }) => name) ?? [];
  expect(await renewal(() => undefined)).toEqual([]);
  await expect.poll(held).toContain('sluice-renewed first');
  forgetTokens();
  await expect.poll(held).not.toContain('sluice-renewed first');
});
