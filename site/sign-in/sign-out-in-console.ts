import { consolePath } from '../../lib/pages/site/console-configuration.ts';
import { currentSignIn, endSignIn, type SignIn } from './stored.ts';

const key = 'sluice.sign-out';

/**
 * Signs out in all tabs of this browser, and opens the console, which ends the session at the issuer. A public page may
 * not connect to the issuer. The tokens are passed in this tab's session storage, because a URL must contain no token.
 */
export function signOutInConsole(): void {
  const before = currentSignIn();
  sessionStorage.setItem(key, JSON.stringify(before));
  endSignIn('signed_out');
  location.assign(consolePath);
}

/**
 * Returns and deletes the sign-in that a public page of this tab has ended, so that the console can end it at the
 * issuer.
 */
export function takeEndedSignIn(): SignIn | undefined {
  const text = sessionStorage.getItem(key);
  sessionStorage.removeItem(key);
  return text === null ? undefined : (JSON.parse(text) as SignIn);
}
