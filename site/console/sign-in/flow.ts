import * as oauth from 'oauth4webapi';
import { configuration } from '../configuration.ts';
import { consolePath } from '../router.ts';
import { texts } from '../texts.ts';
import { safeReturnPath } from './return-path.ts';
import { nextTokens, setTokens, type Tokens } from './tokens.ts';

/** A failed sign-in. The message says the next step. */
export class SignInError extends Error {}

/** The state of a sign-in that this tab began. An answer without a matching state is rejected. */
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

/** The timeout of requests to the issuer. Without it, a hanging issuer would delay a sign-out by minutes. */
const answerMsMax = 15_000;

/** Allows plain HTTP only for an issuer with a configured `http:` URL, which is always a local one. */
function transport(): { [oauth.allowInsecureRequests]: boolean; signal: AbortSignal } {
  return {
    [oauth.allowInsecureRequests]: settings().issuer.startsWith('http://'),
    signal: AbortSignal.timeout(answerMsMax),
  };
}

let discovered: Promise<oauth.AuthorizationServer> | undefined;

/** Loads the issuer's metadata. Rejects metadata that name another issuer. */
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

/** Redirects to the issuer, with PKCE. `state` binds the answer to this tab, and `nonce` the token to this sign-in. */
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
  sessionStorage.setItem(key, JSON.stringify(begun));
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
 * Exchanges the issuer's answer for tokens.
 *
 * @param answer the query of the callback, already removed from the URL
 * @returns the path to open next
 * @throws SignInError when this tab did not request the answer, another issuer sent it, or the issuer refused
 */
export async function finishSignIn(answer: URLSearchParams): Promise<string> {
  const begun = takeBegun();
  const { issuer, client } = settings();
  // Reject an answer without a matching request. An attacker's link could sign the user in to another account.
  if (begun === undefined || begun.issuer !== issuer) throw new SignInError(texts.signInNotBegunHere);
  const server = await discover();
  try {
    // Checks `state`, and `iss` if the issuer sends it.
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
    const sid = oauth.getValidatedIdTokenClaims(given)?.['sid'];
    setTokens(nextTokens({ ...given, session_id: typeof sid === 'string' ? sid : undefined }, undefined));
  } catch (cause) {
    throw new SignInError(wordsFor(cause), { cause });
  }
  return safeReturnPath(begun.return_path, consolePath);
}

function wordsFor(cause: unknown): string {
  if (cause instanceof oauth.AuthorizationResponseError && cause.error === 'access_denied') return texts.signInDeclined;
  return texts.signInFailed;
}

/** Returns and deletes the stored state, because an answer is valid for one sign-in. */
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

/** @throws when the issuer does not respond; an OAuth error when the refresh token is no longer valid */
export async function renewTokens(before: Tokens): Promise<Tokens> {
  const server = await discover();
  const { client } = settings();
  const response = await oauth.refreshTokenGrantRequest(
    server,
    client,
    oauth.None(),
    before.refresh_token ?? '',
    transport(),
  );
  return nextTokens(await oauth.processRefreshTokenResponse(server, client, response), before);
}

/** Returns true when a retry cannot succeed. */
export function isRefusal(error: unknown): boolean {
  return error instanceof oauth.ResponseBodyError;
}

/** Revokes a refresh token at the issuer, with its access tokens. Ignores failures, because the token also expires. */
export async function revokeTokens({ refresh_token }: Pick<Tokens, 'refresh_token'>): Promise<void> {
  const { client } = settings();
  const server = await discover();
  if (refresh_token === undefined || server.revocation_endpoint === undefined) return;
  await oauth.revocationRequest(server, client, oauth.None(), refresh_token, transport()).catch(() => undefined);
}

/**
 * Ends the session at the issuer. No token is in the URL.
 * The session ID identifies the session (RP-Initiated Logout 1.0, `logout_hint`), so that the issuer need not ask. It
 * has no value after the logout.
 *
 * @throws when the issuer's metadata cannot be loaded
 */
export async function endSession(before: Tokens | undefined): Promise<void> {
  const { client } = settings();
  const server = await discover();
  if (before !== undefined) await revokeTokens(before);
  if (server.end_session_endpoint === undefined) return location.assign('/');
  const url = new URL(server.end_session_endpoint);
  const home = `${location.origin}/`;
  // Amazon Cognito uses `logout_uri`.
  for (const [name, value] of Object.entries({
    client_id: client.client_id,
    post_logout_redirect_uri: home,
    logout_uri: home,
    ...(before?.session_id !== undefined && { logout_hint: before.session_id }),
  }))
    url.searchParams.set(name, value);
  location.assign(url);
}
