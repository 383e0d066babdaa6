import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import { launchChromium } from './chromium.ts';
import { serve } from './http-server.ts';

/** A web app on its own port. Every path returns a page that runs one script. */
export interface WebApp {
  /** The web app gets a new origin each time, different from the origins of the API and the data proxy. */
  origin: string;
  /** Makes the pages run this module, bundled with the packages that it imports. */
  serve(source: string): Promise<void>;
  close(): Promise<void>;
}

export async function startWebApp(): Promise<WebApp> {
  let script = '';
  const { url, close } = await serve((request, response) => {
    const [type, body] =
      request.url === '/app.js'
        ? ['text/javascript', script]
        : ['text/html', '<!doctype html><title>A web app</title><script type="module" src="/app.js"></script>'];
    response.writeHead(200, { 'content-type': type }).end(body);
  });
  return {
    origin: url.replace('127.0.0.1', 'localhost'),
    serve: async (source) => {
      const stdin = { contents: source, resolveDir: process.cwd() };
      const bundle = await build({ stdin, bundle: true, format: 'esm', platform: 'browser', write: false });
      script = bundle.outputFiles[0]?.text ?? '';
    },
    close,
  };
}

/** Opens a page in which no user is signed in. */
export async function openBrowser(): Promise<{ page: Page; close(): Promise<void> }> {
  const browser = await launchChromium();
  const page = await browser.newPage();
  page.setDefaultTimeout(60_000);
  return { page, close: () => browser.close() };
}

/** Code of a web app for each library, from the library's own examples. The browser tab stores tokens. */
const signInApps = {
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
} satisfies Record<string, string>;

type SignInLibrary = keyof typeof signInApps;
export const signInLibraries = Object.keys(signInApps) as SignInLibrary[];

/**
 * Returns the module of a web app that signs users in with a library. Its page has `begin`, `finish`, `renew`, and
 * `end`.
 */
export function signInSource(
  library: SignInLibrary,
  origin: string,
  { issuer, client_id }: { issuer: string; client_id: string },
): string {
  const settings = { issuer, origin, clientId: client_id, callback: `${origin}/-/sign-in/callback` };
  return `const settings = ${JSON.stringify(settings)};${signInApps[library]}`;
}
