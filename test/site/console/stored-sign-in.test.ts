import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';

/** The local storage of one browser, which its tabs share. */
const stored = new Map<string, string>();
const localStorage = {
  getItem: (name: string) => stored.get(name) ?? null,
  setItem: (name: string, value: string) => void stored.set(name, value),
};
const tokensKey = 'sluice.tokens';
const hourMs = 3_600_000;

/** Each test uses new tokens, because a tab claims a refresh token for some seconds. */
let testNumber = 0;

beforeEach(() => {
  testNumber += 1;
  stored.clear();
  vi.stubGlobal('localStorage', localStorage);
  return () => vi.unstubAllGlobals();
});

/** Loads the code as a new tab of the browser does. */
async function openTab() {
  vi.resetModules();
  const tab = await import('../../../site/sign-in/stored.ts');
  const { renewOnce } = await import('../../../site/sign-in/renew-once.ts');
  const changes: unknown[] = [];
  tab.followSignIn((now, ended) => changes.push(ended ?? now?.id));
  return { ...tab, renewOnce, changes };
}

type Tab = Awaited<ReturnType<typeof openTab>>;

const signInOf = (id: string, tokens = id) => ({
  id,
  subject: 'ada',
  access_token: `access-${tokens}`,
  refresh_token: `refresh-${tokens}-${testNumber}`,
  expires_at: Date.now() + hourMs,
});

describe('a sign-in', () => {
  test('serves a tab that opens later', async () => {
    (await openTab()).storeSignIn(signInOf('one'));
    expect((await openTab()).currentSignIn()).toMatchObject({ id: 'one', refresh_token: `refresh-one-${testNumber}` });
  });

  test('ends in every tab when the user signs out in one of them', async () => {
    const [here, there] = [await openTab(), await openTab()];
    here.storeSignIn(signInOf('one'));
    expect(there.currentSignIn()?.id).toBe('one');
    there.endSignIn('signed_out');
    expect(here.currentSignIn()).toBeUndefined();
    expect(stored.get(tokensKey)).toBe('{"ended":"signed_out"}');
    expect(there.changes).toEqual(['signed_out']);
  });

  test.each([
    ['with a refresh token, for 8 hours without use', 8 * hourMs, true],
    ['with a refresh token, after 8 hours without use', 8 * hourMs + 1, false],
  ])('is valid or invalid %s', async (_, idleMs, isValid) => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const tab = await openTab();
    tab.storeSignIn(signInOf('one'));
    vi.setSystemTime(Date.now() + idleMs);
    expect(tab.currentSignIn() !== undefined).toBe(isValid);
    if (!isValid) expect(stored.get(tokensKey)).toBe('{"ended":"expired"}');
  });

  test('stays valid while any tab uses it', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const [here, there] = [await openTab(), await openTab()];
    here.storeSignIn(signInOf('one'));
    for (let hours = 0; hours < 30; hours += 5) {
      vi.setSystemTime(Date.now() + 5 * hourMs);
      there.touchSignIn();
    }
    expect(here.currentSignIn()?.id).toBe('one');
  });

  test('without a refresh token ends when its access token expires', async () => {
    const tab = await openTab();
    tab.storeSignIn({ ...signInOf('one'), refresh_token: undefined, expires_at: Date.now() - 1 });
    expect(tab.currentSignIn()).toBeUndefined();
    expect(tab.changes).toEqual(['one', 'expired']);
  });

  test.each(['', 'null', '{', '[]', '1', '{"id":1}', '{"access_token":"a","expires_at":1}', '{"ended":"forged"}'])(
    'is not read from the text %j',
    async (text) => {
      stored.set(tokensKey, text);
      expect((await openTab()).currentSignIn()).toBeUndefined();
    },
  );

  test('stays in the memory of its tab when the browser refuses storage', async () => {
    const refuse = () => {
      throw new DOMException('storage is blocked', 'SecurityError');
    };
    vi.stubGlobal('localStorage', { getItem: refuse, setItem: refuse });
    const tab = await openTab();
    tab.storeSignIn(signInOf('one'));
    expect(tab.currentSignIn()?.id).toBe('one');
    expect((await openTab()).currentSignIn()).toBeUndefined();
    tab.endSignIn('signed_out');
    expect(tab.currentSignIn()).toBeUndefined();
  });
});

describe('a renewal', () => {
  /** Renews tokens in a tab, and runs `meanwhile` just before the issuer answers. */
  async function renewal(tab: Tab, meanwhile: () => unknown = () => undefined) {
    const revoked: string[] = [];
    const before = signInOf('one');
    tab.storeSignIn(before);
    await tab.renewOnce(before, {
      renew: async () => {
        await meanwhile();
        return signInOf('one', 'new');
      },
      revoke: async ({ access_token }) => void revoked.push(access_token),
    });
    return revoked;
  }

  test('replaces the tokens for all tabs', async () => {
    expect(await renewal(await openTab())).toEqual([]);
    expect((await openTab()).currentSignIn()?.access_token).toBe('access-new');
  });

  test('runs once when another tab still reads the old tokens', async () => {
    const [here, there] = [await openTab(), await openTab()];
    const before = signInOf('one', 'late');
    here.storeSignIn(before);
    const late = new Map(stored);
    const renew = vi.fn(async () => signInOf('one', 'late-new'));
    await here.renewOnce(before, { renew, revoke: renew as never });
    vi.stubGlobal('localStorage', { ...localStorage, getItem: (name: string) => late.get(name) ?? null });
    const renewal = there.renewOnce(before, { renew, revoke: renew as never });
    setImmediate(() => vi.stubGlobal('localStorage', localStorage));
    await renewal;
    expect(renew).toHaveBeenCalledTimes(1);
    expect(there.currentSignIn()?.access_token).toBe('access-late-new');
  });

  test('runs again after an attempt without an answer', async () => {
    const tab = await openTab();
    const before = signInOf('one', 'lost');
    tab.storeSignIn(before);
    const revoke = async () => undefined;
    const lost = tab.renewOnce(before, { renew: () => Promise.reject(new TypeError('no connection')), revoke });
    await expect(lost).rejects.toThrow('no connection');
    await tab.renewOnce(before, { renew: async () => signInOf('one', 'lost-new'), revoke });
    expect(tab.currentSignIn()?.access_token).toBe('access-lost-new');
  });

  test('runs in one tab when two need it at once', async () => {
    const tabs = [await openTab(), await openTab()];
    const before = signInOf('one');
    tabs[0]?.storeSignIn(before);
    let renewals = 0;
    const renew = async () => {
      renewals += 1;
      await new Promise((resolve) => setImmediate(resolve));
      return signInOf('one', `new-${renewals}`);
    };
    await Promise.all(tabs.map((tab) => tab.renewOnce(before, { renew, revoke: renew as never })));
    expect(renewals).toBe(1);
    for (const tab of tabs) expect(tab.currentSignIn()?.access_token).toBe('access-new-1');
  });

  test('revokes its tokens when the user signs out meanwhile in another tab', async () => {
    const [here, there] = [await openTab(), await openTab()];
    expect(await renewal(here, () => there.endSignIn('signed_out'))).toEqual(['access-new']);
    expect(here.currentSignIn()).toBeUndefined();
  });

  test('revokes its tokens when another user has signed in meanwhile', async () => {
    const [here, there] = [await openTab(), await openTab()];
    expect(await renewal(here, () => there.storeSignIn(signInOf('two')))).toEqual(['access-new']);
    expect(here.currentSignIn()?.id).toBe('two');
  });

  test('revokes nothing when a tab without the lock has renewed the same sign-in', async () => {
    const [here, there] = [await openTab(), await openTab()];
    expect(await renewal(here, () => there.storeSignIn(signInOf('one', 'other')))).toEqual([]);
    expect(here.currentSignIn()?.access_token).toBe('access-other');
  });

  test('runs without the lock when a hostile worker never releases it', async () => {
    const held = Promise.withResolvers<void>();
    const holder = navigator.locks.request('sluice-renew', () => held.promise);
    vi.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort());
    expect(await renewal(await openTab())).toEqual([]);
    vi.restoreAllMocks();
    held.resolve();
    await holder;
    expect((await openTab()).currentSignIn()?.access_token).toBe('access-new');
  });
});
