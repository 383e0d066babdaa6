import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { seededUsers } from '../../../lib/local/seed.ts';
import { chromiumPath } from '../../service/chromium.ts';
import { type SeededService, startSeededService } from '../../service/seeded-service.ts';
import { openBrowser, signInLibraries, signInSource, startWebApp, type WebApp } from '../../service/web-app.ts';

interface Tokens {
  access_token: string;
  refresh_token: string;
  id_token: string;
}

describe.skipIf(chromiumPath === undefined).each(signInLibraries)('a web app with %s, in a browser', (library) => {
  let app: WebApp;
  let service: SeededService;
  let origin: string;
  let browser: Awaited<ReturnType<typeof openBrowser>>;
  let page: Page;
  let trouble: string[];
  beforeAll(async () => {
    app = await startWebApp();
    origin = app.origin;
    service = await startSeededService({ corsOrigins: [origin], users: seededUsers });
    await app.serve(signInSource(library, origin, service.identity.people));
    browser = await openBrowser();
    page = browser.page;
    page.on('console', (message) => {
      if (/Content Security Policy|Refused to/.test(message.text())) trouble.push(message.text());
    });
  });
  beforeEach(() => {
    trouble = [];
  });
  afterEach(() => expect(trouble).toEqual([]));
  afterAll(async () => {
    await browser?.close();
    app?.close();
    await service?.close();
  });

  /** Calls a function that the app has put on its page. The page may be closed before the function returns. */
  const call = (name: string, given: object = {}) => page.evaluate(`window.${name}(${JSON.stringify(given)})`);
  /** Calls a function that leaves the page, so its result is lost. */
  const leave = (name: string, given?: object) =>
    call(name, given).catch((error: Error) => {
      if (!/context was destroyed|navigat/i.test(error.message)) throw error;
    });
  const tokensOf = async (name: string, given?: object) => (await call(name, given)) as Tokens;
  const whoami = (token: string) =>
    page.evaluate(`fetch(${JSON.stringify(`${service.apiUrl}/api/v1/whoami`)}, {
      headers: { authorization: ${JSON.stringify(`Bearer ${token}`)} },
    }).then(async (answer) => [answer.status, (await answer.json()).account?.account_id])`);
  const openSignIn = async () => {
    await page.goto(`${origin}/`);
    await Promise.all([page.waitForURL(/\/people\/sign-in\//), leave('begin')]);
  };

  it('signs a user in by one click, calls the API, renews, and signs out', { timeout: 60_000 }, async () => {
    await openSignIn();
    await Promise.all([page.waitForURL(`${origin}/-/sign-in/callback?**`), page.click('text=Ada')]);
    const first = await tokensOf('finish');
    expect(await whoami(first.access_token)).toEqual([200, 'ada']);

    const second = await tokensOf('renew', first);
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(await whoami(second.access_token)).toEqual([200, 'ada']);

    const newest = { ...first, ...second };
    // The token identifies the session to end, so the issuer shows no page.
    await Promise.all([page.waitForURL(`${origin}/`), leave('end', newest)]);
    expect(await refused(second.refresh_token)).toBe('invalid_grant');
    // The user is signed out, so the issuer asks for a sign-in.
    await openSignIn();
    expect(await page.title()).toBe('Sign in · Sluice');
  });

  it('accepts a new user by a typed name, and refuses a reused refresh token', async () => {
    await openSignIn();
    await page.fill('#sub', 'grace');
    await Promise.all([page.waitForURL(`${origin}/-/sign-in/callback?**`), page.press('#sub', 'Enter')]);
    const first = await tokensOf('finish');
    // The issuer knows the user, who has no account yet.
    expect(await whoami(first.access_token)).toEqual([200, undefined]);
    await tokensOf('renew', first);
    expect(await refused(first.refresh_token)).toBe('invalid_grant');
  });

  async function refused(refresh_token: string): Promise<string> {
    const { issuer, client_id } = service.identity.people;
    const body = new URLSearchParams({ grant_type: 'refresh_token', client_id, refresh_token });
    const answer = await fetch(`${issuer}/oauth2/token`, { method: 'POST', body });
    return ((await answer.json()) as { error: string }).error;
  }
});
