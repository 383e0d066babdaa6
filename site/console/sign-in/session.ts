import { computed, signal } from '@preact/signals';
import { loadChunk } from '../chunks.ts';
import { texts } from '../texts.ts';
import { renewOnce, setTokens, tokens } from './tokens.ts';

/** Whether somebody is signed in. */
export const isSignedIn = computed(() => tokens.value !== undefined);

/** Why the last sign-in did not come about, or ended. */
export const signInNote = signal<string | undefined>(undefined);

/** Before its end, so that a request on its way does not meet it. */
const earlyMs = 60_000;

let renewing: Promise<void> | undefined;

/** For the `Authorization` header; renewed where it is about to end. Undefined where nobody is signed in, or not any more. */
export async function accessToken(): Promise<string | undefined> {
  const own = tokens.value;
  if (own === undefined) return undefined;
  if (own.expires_at - Date.now() > earlyMs) return own.access_token;
  renewing ??= renew().finally(() => {
    renewing = undefined;
  });
  await renewing;
  return tokens.value?.access_token;
}

async function renew(): Promise<void> {
  const own = tokens.value;
  if (own === undefined) return;
  if (own.refresh_token === undefined) return endIfOver();
  const flow = await loadChunk(() => import('./flow.ts'));
  // The page is loaded anew, or asks for it: with the tokens that are there.
  if (flow === undefined) return;
  const { isRefusal, renewTokens, revokeTokens } = flow;
  try {
    await renewOnce(own, { renew: () => renewTokens(own), revoke: revokeTokens });
  } catch (error) {
    if (isRefusal(error)) dropSession();
    else endIfOver();
  }
}

function endIfOver(): void {
  if (tokens.value !== undefined && tokens.value.expires_at < Date.now()) dropSession();
}

/** After a refusal of the token itself: it is of no use to anybody. */
export function dropSession(): void {
  if (tokens.value !== undefined) signInNote.value = texts.sessionEnded;
  setTokens(undefined);
}
