import { computed, signal } from '@preact/signals';
import { loadChunk } from '../chunks.ts';
import { texts } from '../texts.ts';
import { hasUnsaved } from '../unsaved.ts';
import { renewOnce, setTokens, tokens } from './tokens.ts';

export const isSignedIn = computed(() => tokens.value !== undefined);

/** The reason why the last sign-in failed or ended. */
export const signInMessage = signal<string | undefined>(undefined);

/** The time before expiry at which tokens are renewed, so that no request is in flight at expiry. */
const earlyMs = 60_000;

let renewing: Promise<void> | undefined;

/**
 * Returns the access token for the `Authorization` header, and renews it shortly before expiry.
 * Returns undefined when no user is signed in.
 *
 * @throws TypeError, like a request without a connection, when the token has expired and the issuer is unreachable
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

/** Loads the renewal code for long sessions. A later deployment may delete its file. */
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
  // The file is missing, so the page reloads or asks the user to. The current tokens stay.
  if (flow === undefined) return;
  const { isRefusal, renewTokens, revokeTokens } = flow;
  try {
    await renewOnce(own, { renew: () => renewTokens(own), revoke: revokeTokens });
  } catch (error) {
    // Other errors may be a lost connection, for example after the machine wakes up. The sign-in stays valid for hours.
    if (isRefusal(error)) dropSession();
  }
}

/** Ends the session after the API or the issuer has refused its tokens. */
export function dropSession(): void {
  if (tokens.value !== undefined) signInMessage.value = hasUnsaved() ? texts.sessionEndedUnsaved : texts.sessionEnded;
  setTokens(undefined);
}
