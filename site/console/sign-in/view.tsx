import { useState } from 'preact/hooks';
import { loadChunk } from '../chunks.ts';
import { Button } from '../components/button.tsx';
import { busyWhile } from '../components/once.ts';
import { configuration } from '../configuration.ts';
import { texts } from '../texts.ts';
import { signInMessage } from './session.ts';

/** Shows the sign-in button at any path of the console. After the sign-in, the user returns to the same path. */
export function SignInView() {
  const [isBusy, setBusy] = useState(false);
  const begin = async () => {
    if (isBusy) return;
    setBusy(true);
    signInMessage.value = undefined;
    const flow = await loadChunk(() => import('./flow.ts'));
    if (flow === undefined) return;
    const { beginSignIn, SignInError } = flow;
    try {
      await beginSignIn(location.pathname + location.search);
    } catch (error) {
      signInMessage.value = error instanceof SignInError ? error.message : texts.noConnection;
      setBusy(false);
    }
  };
  return (
    <section class="hero">
      <h1 tabindex={-1}>Publish your data here</h1>
      <p>
        {configuration.sign_in === undefined
          ? texts.signInIsOff
          : 'Sign in to publish data, to share it, and to connect your software.'}
      </p>
      <div aria-live="polite">{signInMessage.value !== undefined && <p class="notice">{signInMessage.value}</p>}</div>
      {configuration.sign_in !== undefined && (
        <p class="actions">
          <Button kind="button" label="Sign in" {...busyWhile(isBusy)} onClick={() => void begin()} />
        </p>
      )}
    </section>
  );
}
