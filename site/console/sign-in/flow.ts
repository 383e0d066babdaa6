import * as oauth from 'oauth4webapi';
import { consolePath } from '../../../lib/pages/site/console-configuration.ts';
import { renewOnce } from '../../sign-in/renew-once.ts';
import { type SignIn, storeSignIn } from '../../sign-in/stored.ts';
import { configuration } from '../configuration.ts';
import { texts } from '../texts.ts';
import { safeReturnPath } from './return-path.ts';

/** A failed sign-in. The message tells the user what to do next. */
export class SignInError extends Error {}

/** The stored state of a sign-in that this tab has begun. The page rejects a callback without a matching state. */
interface Begun {
  issuer: string;
  state: string;
  nonce: string;
  code_verifier: string;
  return_path: string;
}

const key = 'sluice.sign-in';
const callbackPath = '/-/sign-in/callback';
const redirectUri = () => location.origin + callbackPath;

function settings(): { issuer: string; client: oauth.Client } {
  const { sign_in } = configuration;
  if (sign_in === undefined) throw new SignInError(texts.signInIsOff);
  return { issuer: sign_in.issuer, client: { client_id: sign_in.client_id } };
}

/**
 * The timeout of requests to the issuer. Without it, an issuer that does not respond would delay a sign-out by minutes.
 */
const answerMsMax = 15_000;

/**
 * Allows plain HTTP only if the configured issuer URL begins with `http:`. The configuration allows this only for a
 * local issuer.
 */
function transport(): { [oauth.allowInsecureRequests]: boolean; signal: AbortSignal } {
  return {
    [oauth.allowInsecureRequests]: settings().issuer.startsWith('http://'),
    signal: AbortSignal.timeout(answerMsMax),
  };
}

let discovered: Promise<oauth.AuthorizationServer> | undefined;

/** Loads the issuer's metadata. Rejects metadata that contain another issuer's URL. */
function discover(): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(settings().issuer);
  discovered ??= oauth
    .discoveryRequest(issuer, transport())
    .then((response) => oauth.processDiscoveryResponse(issuer, response));
  discovered.catch(() => {
    discovered = undefined;
  });
  return discovered;
}

/**
 * Redirects the browser to the issuer, with PKCE. `state` binds the callback to this tab. `nonce` binds the ID token to
 * this sign-in.
 */
export async function beginSignIn(returnPath: string): Promise<void> {
  const { issuer, client } = settings();
  const server = await discover();
  if (server.authorization_endpoint === undefined) throw new SignInError(texts.signInIsOff);
  const begun: Begun = {
    issuer,
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
    code_verifier: oauth.generateRandomCodeVerifier(),
    return_path: safeReturnPath(returnPath, consolePath),
  };
  try {
    sessionStorage.setItem(key, JSON.stringify(begun));
  } catch (cause) {
    throw new SignInError(texts.signInNeedsStorage, { cause });
  }
  const url = new URL(server.authorization_endpoint);
  const query = {
    client_id: client.client_id,
    redirect_uri: redirectUri(),
    response_type: 'code',
    scope: 'openid',
    state: begun.state,
    nonce: begun.nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(begun.code_verifier),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  location.assign(url);
}

/**
 * Exchanges the authorization code of the callback for tokens.
 *
 * @param answer the query of the callback, already removed from the URL
 * @returns the path to open next
 * @throws SignInError when this tab did not begin the sign-in, another issuer sent the callback, or the issuer refused
 */
export async function finishSignIn(answer: URLSearchParams): Promise<string> {
  const begun = takeBegun();
  const { issuer, client } = settings();
  // Reject a callback for a sign-in that this tab did not begin. Otherwise an attacker's link could sign the user in to
  // the attacker's account.
  if (begun === undefined || begun.issuer !== issuer) throw new SignInError(texts.signInNotBegunHere);
  const server = await discover();
  try {
    // Checks `state`, and also `iss` if the issuer sends it.
    const checked = oauth.validateAuthResponse(server, client, answer, begun.state);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      oauth.None(),
      checked,
      redirectUri(),
      begun.code_verifier,
      transport(),
    );
    const given = await oauth.processAuthorizationCodeResponse(server, client, response, {
      expectedNonce: begun.nonce,
      requireIdToken: true,
    });
    const claims = oauth.getValidatedIdTokenClaims(given);
    const sid = claims?.['sid'];
    storeSignIn({
      id: crypto.randomUUID(),
      subject: claims?.sub,
      session_id: typeof sid === 'string' ? sid : undefined,
      ...tokensOf(given),
    });
  } catch (cause) {
    throw new SignInError(wordsFor(cause), { cause });
  }
  return safeReturnPath(begun.return_path, consolePath);
}

function wordsFor(cause: unknown): string {
  if (cause instanceof oauth.AuthorizationResponseError && cause.error === 'access_denied') return texts.signInDeclined;
  return texts.signInFailed;
}

/** Returns and deletes the stored state, because each state is valid for one callback only. */
function takeBegun(): Begun | undefined {
  const text = sessionStorage.getItem(key);
  sessionStorage.removeItem(key);
  try {
    const begun = JSON.parse(text ?? 'null') as Begun | null;
    return begun ?? undefined;
  } catch {
    return undefined;
  }
}

/** Returns the tokens to store from a response of the token endpoint. */
function tokensOf({ access_token, refresh_token, expires_in = 300 }: oauth.TokenEndpointResponse) {
  return {
    access_token,
    expires_at: Date.now() + expires_in * 1000,
    ...(refresh_token !== undefined && { refresh_token }),
  };
}

/**
 * Renews the tokens, if no other tab has done so.
 *
 * @throws when the issuer does not respond; an OAuth error when the refresh token is no longer valid
 */
export function renewSignIn(before: SignIn): Promise<void> {
  return renewOnce(before, { renew: renewTokens, revoke: revokeTokens });
}

/** Requests new tokens with the refresh token. */
async function renewTokens(before: SignIn): Promise<SignIn> {
  const server = await discover();
  const { client } = settings();
  const response = await oauth.refreshTokenGrantRequest(
    server,
    client,
    oauth.None(),
    before.refresh_token ?? '',
    transport(),
  );
  return { ...before, ...tokensOf(await oauth.processRefreshTokenResponse(server, client, response)) };
}

/** Returns true for an error that the issuer sent. A retry would get the same error. */
export function isRefusal(error: unknown): boolean {
  return error instanceof oauth.ResponseBodyError;
}

/**
 * Revokes a refresh token and its access tokens at the issuer. Ignores failures, because the tokens also expire without
 * revocation.
 */
export async function revokeTokens({ refresh_token }: Pick<SignIn, 'refresh_token'>): Promise<void> {
  const { client } = settings();
  const server = await discover();
  if (refresh_token === undefined || server.revocation_endpoint === undefined) return;
  await oauth.revocationRequest(server, client, oauth.None(), refresh_token, transport()).catch(() => undefined);
}

/**
 * Ends the user's session at the issuer. The URL contains no token.
 * The session ID tells the issuer which session to end, so that the issuer need not ask the user (RP-Initiated Logout
 * 1.0, `logout_hint`). The ID is useless to others after the logout.
 *
 * @throws when the issuer's metadata cannot be loaded
 */
export async function endSession(before: SignIn | undefined): Promise<void> {
  const { client } = settings();
  const server = await discover();
  if (before !== undefined) await revokeTokens(before);
  if (server.end_session_endpoint === undefined) return location.assign('/');
  const url = new URL(server.end_session_endpoint);
  const home = `${location.origin}/`;
  // Amazon Cognito expects `logout_uri` in place of `post_logout_redirect_uri`.
  for (const [name, value] of Object.entries({
    client_id: client.client_id,
    post_logout_redirect_uri: home,
    logout_uri: home,
    ...(before?.session_id !== undefined && { logout_hint: before.session_id }),
  }))
    url.searchParams.set(name, value);
  location.assign(url);
}
