import { texts } from '../texts.ts';
import { signInMessage } from './session.ts';
import { forgetTokens, tokens } from './tokens.ts';

/**
 * Signs out in all tabs of this browser first, and then at the issuer.
 * The local sign-out needs no file and no request. It therefore works offline and after a deployment, which protects
 * users of shared machines.
 */
export async function signOut(): Promise<void> {
  const before = tokens.value;
  forgetTokens();
  try {
    const { endSession } = await import('./flow.ts');
    await endSession(before);
  } catch {
    signInMessage.value = texts.signedOutHereAlone;
  }
}
