import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listenOnLoopback } from '../../lib/local/ports.ts';
import { seededPeople } from '../../lib/local/seed.ts';
import { type SeededService, startSeededService } from '../service/seeded-service.ts';

const browserPath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);

/** What a web app does with each library, as the library's own examples have it. Tokens are kept by the tab. */
const apps: Record<string, string> = {
  oauth4webapi: `
    import * as oauth from 'oauth4webapi';
    const over = { [oauth.allowInsecureRequests]: true };
    const client = { client_id: settings.clientId };
    const kept = sessionStorage;
    const issuer = new URL(settings.issuer);
    const server = async () => oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, over));
    window.begin = async () => {
      kept.verifier = oauth.generateRandomCodeVerifier();
      kept.state = oauth.generateRandomState();
      kept.nonce = oauth.generateRandomNonce();
      const url = new URL((await server()).authorization_endpoint);
      url.search = new URLSearchParams({
        client_id: client.client_id, redirect_uri: settings.callback, response_type: 'code', scope: 'openid',
        code_challenge: await oauth.calculatePKCECodeChallenge(kept.verifier), code_challenge_method: 'S256',
        state: kept.state, nonce: kept.nonce,
      });
      location.assign(url);
    };
    window.finish = async () => {
      const as = await server();
      const answer = oauth.validateAuthResponse(as, client, new URL(location.href), kept.state);
      const response = await oauth.authorizationCodeGrantRequest(
        as, client, oauth.None(), answer, settings.callback, kept.verifier, over);
      return oauth.processAuthorizationCodeResponse(as, client, response, { expectedNonce: kept.nonce });
    };
    window.renew = async ({ refresh_token }) => {
      const as = await server();
      const response = await oauth.refreshTokenGrantRequest(as, client, oauth.None(), refresh_token, over);
      return oauth.processRefreshTokenResponse(as, client, response);
    };
    window.end = async ({ id_token, refresh_token }) => {
      const as = await server();
      await oauth.processRevocationResponse(await oauth.revocationRequest(as, client, oauth.None(), refresh_token, over));
      const url = new URL(as.end_session_endpoint);
      url.search = new URLSearchParams({ id_token_hint: id_token, post_logout_redirect_uri: settings.origin + '/' });
      location.assign(url);
    };`,
  'oidc-client-ts': `
    import { UserManager, WebStorageStateStore } from 'oidc-client-ts';
    const users = new UserManager({
      authority: settings.issuer, client_id: settings.clientId, redirect_uri: settings.callback, scope: 'openid',
      post_logout_redirect_uri: settings.origin + '/', automaticSilentRenew: false, revokeTokensOnSignout: true,
      revokeTokenTypes: ['refresh_token'], userStore: new WebStorageStateStore({ store: sessionStorage }),
    });
    const told = ({ access_token, refresh_token, id_token, profile }) => ({ access_token, refresh_token, id_token, sub: profile.sub });
    window.begin = () => users.signinRedirect();
    window.finish = async () => told(await users.signinRedirectCallback());
    window.renew = async () => told(await users.signinSilent());
    window.end = () => users.signoutRedirect();`,
};

interface Tokens {
  access_token: string;
  refresh_token: string;
  id_token: string;
}

describe.skipIf(browserPath === undefined).each(Object.keys(apps))('a web app with %s, in a browser', (library) => {
  let script = '';
  const site = createServer((request, response) => {
    const [type, body] =
      request.url === '/app.js'
        ? ['text/javascript', script]
        : ['text/html', '<!doctype html><title>A web app</title><script type="module" src="/app.js"></script>'];
    response.writeHead(200, { 'content-type': type }).end(body);
  });
  let service: SeededService;
  let origin: string;
  let profile: string;
  let browser: BrowserContext;
  let page: Page;
  let trouble: string[];
  beforeAll(async () => {
    origin = `http://localhost:${await listenOnLoopback(site, 0)}`;
    service = await startSeededService({ corsOrigins: [origin], people: seededPeople });
    const { issuer, client_id } = service.identity.people;
    const settings = { issuer, origin, clientId: client_id, callback: `${origin}/-/sign-in/callback` };
    const contents = `const settings = ${JSON.stringify(settings)};${apps[library]}`;
    const stdin = { contents, resolveDir: process.cwd() };
    const bundle = await build({ stdin, bundle: true, format: 'esm', platform: 'browser', write: false });
    script = bundle.outputFiles[0]?.text ?? '';
    profile = await mkdtemp(path.join(tmpdir(), 'sluice-people-'));
    browser = await chromium.launchPersistentContext(profile, {
      executablePath: browserPath ?? '',
      args: ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
    });
    page = await browser.newPage();
    page.setDefaultTimeout(60_000);
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
    site.closeAllConnections();
    site.close();
    await rm(profile, { recursive: true, force: true });
    await service?.close();
  });

  /** Calls what the app has put on its page; the page may be gone when it answers. */
  const call = (name: string, given: object = {}) => page.evaluate(`window.${name}(${JSON.stringify(given)})`);
  /** The same for what leads away from the page, whose answer is lost then. */
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

  it('signs a person in by one click, calls the API, renews, and signs out', async () => {
    await openSignIn();
    await Promise.all([page.waitForURL(`${origin}/-/sign-in/callback?**`), page.click('text=Ada')]);
    const first = await tokensOf('finish');
    expect(await whoami(first.access_token)).toEqual([200, 'ada']);

    const second = await tokensOf('renew', first);
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(await whoami(second.access_token)).toEqual([200, 'ada']);

    const newest = { ...first, ...second };
    await Promise.all([page.waitForURL(/\/people\/logout/), leave('end', newest)]);
    await Promise.all([page.waitForURL(`${origin}/**`), page.click('button:has-text("Sign out")')]);
    expect(await refused(second.refresh_token)).toBe('invalid_grant');
    // Nobody is signed in any more: the page asks again.
    await openSignIn();
    expect(await page.title()).toBe('Sign in');
  });

  it('takes somebody new by the name they type, and refuses a refresh token that comes again', async () => {
    await openSignIn();
    await page.fill('#sub', 'grace');
    await Promise.all([page.waitForURL(`${origin}/-/sign-in/callback?**`), page.press('#sub', 'Enter')]);
    const first = await tokensOf('finish');
    // Known to the issuer, without an account yet.
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
