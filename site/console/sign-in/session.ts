import { computed, signal } from '@preact/signals';
import { loadChunk } from '../chunks.ts';
import { texts } from '../texts.ts';
import { hasUnsaved } from '../unsaved.ts';
import { renewOnce, setTokens, tokens } from './tokens.ts';

/** Whether somebody is signed in. */
export const isSignedIn = computed(() => tokens.value !== undefined);

/** Why the last sign-in did not come about, or ended. */
export const signInNote = signal<string | undefined>(undefined);

/** Before its end, so that a request on its way does not meet it. */
const earlyMs = 60_000;

let renewing: Promise<void> | undefined;

/**
 * For the `Authorization` header; renewed where it is about to end. Undefined where nobody is signed in, or not any more.
 *
 * @throws TypeError as a request without a line does, where it has ended and the issuer could not be asked for another
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

/** For what goes on for hours: renewing then needs no file that a deployment may have taken away meanwhile. */
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
  // The page is loaded anew, or asks for it: with the tokens that are there.
  if (flow === undefined) return;
  const { isRefusal, renewTokens, revokeTokens } = flow;
  try {
    await renewOnce(own, { renew: () => renewTokens(own), revoke: revokeTokens });
  } catch (error) {
    // Without an answer it may be the line: a machine that wakes up has none at first, and the sign-in is good for hours.
    if (isRefusal(error)) dropSession();
  }
}

/** After a refusal of the token itself: it is of no use to anybody. */
export function dropSession(): void {
  if (tokens.value !== undefined) signInNote.value = hasUnsaved() ? texts.sessionEndedUnsaved : texts.sessionEnded;
  setTokens(undefined);
}
