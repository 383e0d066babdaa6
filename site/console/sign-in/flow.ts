import * as oauth from 'oauth4webapi';
import { configuration } from '../configuration.ts';
import { consolePath } from '../router.ts';
import { texts } from '../texts.ts';
import { safeReturnPath } from './return-path.ts';
import { nextTokens, setTokens, type Tokens } from './tokens.ts';

/** A sign-in that fails says what to do next. */
export class SignInError extends Error {}

/** What this tab remembers of a sign-in that it began: an answer that fits none is nobody's. */
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

/** An issuer that takes the connection and says nothing would have whoever signs out wait for minutes, and go. */
const answerMsMax = 15_000;

/** Plain http is for an issuer that is itself configured with it, which only one of this machine is. */
function transport(): { [oauth.allowInsecureRequests]: boolean; signal: AbortSignal } {
  return {
    [oauth.allowInsecureRequests]: settings().issuer.startsWith('http://'),
    signal: AbortSignal.timeout(answerMsMax),
  };
}

let discovered: Promise<oauth.AuthorizationServer> | undefined;

/** The issuer's own document, refused where it names another issuer. */
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

/** Leads to the issuer. Code with PKCE; `state` binds the answer to this tab, `nonce` the token to this sign-in. */
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
 * Takes the issuer's answer.
 *
 * @param answer the query of the call-back, which is no longer in the address
 * @returns where to go on
 * @throws SignInError for an answer that this tab did not ask for, that is of another issuer, or that says no
 */
export async function finishSignIn(answer: URLSearchParams): Promise<string> {
  const begun = takeBegun();
  const { issuer, client } = settings();
  // Somebody else's link, which would sign this person in as another; or the second use of one.
  if (begun === undefined || begun.issuer !== issuer) throw new SignInError(texts.signInNotBegunHere);
  const server = await discover();
  try {
    // `state`, and `iss` where the issuer sends one.
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

/** Once: an answer is good for one sign-in. */
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

/** @throws when the issuer does not answer, and OAuth errors when the refresh token is good no more */
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

/** Whether trying again later cannot help. */
export function isRefusal(error: unknown): boolean {
  return error instanceof oauth.ResponseBodyError;
}

/** Has the issuer end a refresh token, and what came of it. Where it does not answer, the token ends with its time. */
export async function revokeTokens({ refresh_token }: Pick<Tokens, 'refresh_token'>): Promise<void> {
  const { client } = settings();
  const server = await discover();
  if (refresh_token === undefined || server.revocation_endpoint === undefined) return;
  await oauth.revocationRequest(server, client, oauth.None(), refresh_token, transport()).catch(() => undefined);
}

/**
 * Ends the session at the issuer; no token stands in an address. What tells the issuer whose session it is, so that it need
 * not ask, is the session's own ID, which is worth nothing once it is over (RP-Initiated Logout 1.0, `logout_hint`).
 *
 * @throws where the issuer does not say how, for want of an answer
 */
export async function endSession(before: Tokens | undefined): Promise<void> {
  const { client } = settings();
  const server = await discover();
  if (before !== undefined) await revokeTokens(before);
  if (server.end_session_endpoint === undefined) return location.assign('/');
  const url = new URL(server.end_session_endpoint);
  const home = `${location.origin}/`;
  // The second name is that of Amazon Cognito.
  for (const [name, value] of Object.entries({
    client_id: client.client_id,
    post_logout_redirect_uri: home,
    logout_uri: home,
    ...(before?.session_id !== undefined && { logout_hint: before.session_id }),
  }))
    url.searchParams.set(name, value);
  location.assign(url);
}
