import { currentSignIn, endSignIn, type SignIn } from '../../sign-in/stored.ts';
import { texts } from '../texts.ts';
import { signInMessage } from './session.ts';

/**
 * Signs out in all tabs of this browser first, and then at the issuer.
 * The local sign-out needs no file and no request. It therefore works offline and after a deployment, which protects
 * users of shared machines.
 */
export async function signOut(): Promise<void> {
  const before = currentSignIn();
  endSignIn('signed_out');
  await endAtIssuer(before);
}

/** Ends the user's session at the issuer. If the issuer does not respond, the sign-in view says so. */
export async function endAtIssuer(before: SignIn | undefined): Promise<void> {
  try {
    const { endSession } = await import('./flow.ts');
    await endSession(before);
  } catch {
    signInMessage.value = texts.signedOutHereAlone;
  }
}
