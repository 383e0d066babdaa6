import { computed, signal } from '@preact/signals';
import { loadChunk } from '../chunks.ts';
import { texts } from '../texts.ts';
import { hasUnsaved } from '../unsaved.ts';
import { renewOnce, setTokens, tokens } from './tokens.ts';

export const isSignedIn = computed(() => tokens.value !== undefined);

/** The message that tells the user why the last sign-in failed or why the session ended. */
export const signInMessage = signal<string | undefined>(undefined);

/** Tokens are renewed this long before they expire, so that they do not expire while a request is in flight. */
const earlyMs = 60_000;

let renewing: Promise<void> | undefined;

/**
 * Returns the access token for the `Authorization` header, and renews it shortly before it expires.
 * Returns undefined when no user is signed in.
 *
 * @throws TypeError when the token has expired and the issuer is unreachable. `fetch` throws the same error without a
 * connection.
 */
export async function accessToken(): Promise<string | undefined> {
  const own = tokens.value;
  if (own === undefined) return undefined;
  if (own.expires_at - Date.now() > earlyMs) return own.access_token;
  renewing ??= renew().finally(() => {
    renewing = undefined;
  });
  await renewing;
  const renewed = tokens.value;
  if (renewed !== undefined && renewed.expires_at < Date.now()) throw new TypeError('the sign-in could not be renewed');
  return renewed?.access_token;
}

/**
 * Loads the code that renews tokens, long before it is needed. A deployment during a long session may delete its file
 * from the server.
 */
export function prepareRenewal(): void {
  import('./flow.ts').catch(() => undefined);
}

async function renew(): Promise<void> {
  const own = tokens.value;
  if (own === undefined) return;
  if (own.refresh_token === undefined) {
    if (own.expires_at < Date.now()) dropSession();
    return;
  }
  const flow = await loadChunk(() => import('./flow.ts'));
  // After a deployment, the server no longer has the old scripts. `loadChunk` then reloads the page or asks the user to.
  // The renewal can wait for that, because the current tokens are still valid.
  if (flow === undefined) return;
  const { isRefusal, renewTokens, revokeTokens } = flow;
  try {
    await renewOnce(own, { renew: () => renewTokens(own), revoke: revokeTokens });
  } catch (error) {
    // Keep the session after any other error. The connection may be lost, for example after the machine wakes up, and
    // the refresh token stays valid for hours.
    if (isRefusal(error)) dropSession();
  }
}

/** Ends the session in this tab because the API or the issuer has refused its tokens. */
export function dropSession(): void {
  if (tokens.value !== undefined) signInMessage.value = hasUnsaved() ? texts.sessionEndedUnsaved : texts.sessionEnded;
  setTokens(undefined);
}
