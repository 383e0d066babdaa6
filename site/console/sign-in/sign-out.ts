import { texts } from '../texts.ts';
import { signInNote } from './session.ts';
import { forgetTokens, tokens } from './tokens.ts';

/**
 * Ends the session here and in the other tabs before anything is loaded or asked for: whoever leaves a shared machine is
 * signed out of it without a line too, and where a deployment has replaced the files. Then at the issuer.
 */
export async function signOut(): Promise<void> {
  const before = tokens.value;
  forgetTokens();
  try {
    const { endSession } = await import('./flow.ts');
    await endSession(before);
  } catch {
    signInNote.value = texts.signedOutHereAlone;
  }
}
