import { computed, signal } from '@preact/signals';
import { createAccessToken } from '../../sign-in/access-token.ts';
import { renewInFrame } from '../../sign-in/renew-in-frame.ts';
import { currentSignIn, type Ended, endSignIn, followSignIn, type SignIn } from '../../sign-in/stored.ts';
import { loadChunk } from '../chunks.ts';
import { configuration } from '../configuration.ts';
import { texts } from '../texts.ts';
import { hasUnsaved } from '../unsaved.ts';

const signIn = signal<SignIn | undefined>(currentSignIn());

export const isSignedIn = computed(() => signIn.value !== undefined);

/** The message that tells the user why the last sign-in failed or why the session ended. */
export const signInMessage = signal<string | undefined>(undefined);

const leaving = new Set<() => void>();

/**
 * Registers a function that runs when the user signs out in any tab. It must delete the data of the user, such as
 * credentials.
 */
export function onSignOut(end: () => void): void {
  leaving.add(end);
}

/** The user whose data this page has loaded. */
let shown = signIn.value;

followSignIn((now, ended) => {
  // The page still holds data of another user. Reload it, because only a new page is sure to contain none of this data.
  if (now !== undefined && shown !== undefined && !isSameUser(now, shown)) return location.reload();
  if (now === undefined && signIn.value !== undefined) leave(ended);
  if (now !== undefined) signInMessage.value = undefined;
  shown = now ?? shown;
  signIn.value = now;
});

function isSameUser(one: SignIn, other: SignIn): boolean {
  return one.id === other.id || (one.subject !== undefined && one.subject === other.subject);
}

function leave(ended: Ended | undefined): void {
  if (ended === 'expired') signInMessage.value = hasUnsaved() ? texts.sessionEndedUnsaved : texts.sessionEnded;
  else for (const end of leaving) end();
}

/** Returns the access token for the `Authorization` header. Returns undefined when no user is signed in. */
export const accessToken = createAccessToken(configuration.sign_in === undefined ? renewInFrame : renew);

/**
 * Loads the code that renews tokens, long before it is needed. A deployment during a long session may delete its file
 * from the server.
 */
export function prepareRenewal(): void {
  import('./flow.ts').catch(() => undefined);
}

async function renew(before: SignIn): Promise<void> {
  // Without a refresh token, the page uses the access token until it expires.
  if (before.refresh_token === undefined) return;
  const flow = await loadChunk(() => import('./flow.ts'));
  // After a deployment, the server no longer has the old scripts. `loadChunk` then reloads the page or asks the user
  // to. The renewal can wait for that, because the current tokens are still valid.
  if (flow === undefined) return;
  const { isRefusal, renewSignIn } = flow;
  try {
    await renewSignIn(before);
  } catch (error) {
    // Keep the session after any other error. The connection may be lost, for example after the machine wakes up, and
    // the refresh token stays valid for hours.
    if (isRefusal(error)) dropSession(before.access_token);
  }
}

/**
 * Ends the sign-in because the API or the issuer has refused its tokens. Does nothing if these tokens were replaced in
 * the meantime.
 */
export function dropSession(accessToken: string | undefined): void {
  if (currentSignIn()?.access_token === accessToken) endSignIn('expired');
}
