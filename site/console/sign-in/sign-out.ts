import { texts } from '../texts.ts';
import { signInMessage } from './session.ts';
import { forgetTokens, tokens } from './tokens.ts';

/**
 * Signs out in this browser's tabs first, then at the issuer.
 * The local sign-out loads no file and sends no request. It therefore works offline and after a deployment, which
 * matters on shared machines.
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
