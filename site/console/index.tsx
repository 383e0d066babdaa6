import { render } from 'preact';
import { consolePath } from '../../lib/pages/site/console-configuration.ts';
import { takeEndedSignIn } from '../sign-in/sign-out-in-console.ts';
import { Console } from './app.tsx';
import { keepFocus } from './components/focus.ts';
import { ignoreSecondClicks } from './components/once.ts';
import { AccountOfUser } from './frame.tsx';
import { followLinks, goTo } from './router.ts';
import { returnPage } from './sign-in/return-path.ts';
import { isSignedIn, signInMessage } from './sign-in/session.ts';
import { endAtIssuer } from './sign-in/sign-out.ts';
import { texts } from './texts.ts';

const root = document.getElementById('console');
if (root !== null) {
  const ended = takeEndedSignIn();
  if (ended !== undefined) await endAtIssuer(ended);
  const answer = takeSignInAnswer();
  if (answer !== undefined) await finish(answer);
  const cameFrom = isSignedIn.value ? returnPage(location.search, location.origin) : undefined;
  if (cameFrom !== undefined) location.replace(cameFrom);
  followLinks();
  ignoreSecondClicks();
  keepFocus(root);
  root.replaceChildren();
  render(<Console />, root);
  const slot = document.querySelector('header.site [data-account]');
  if (slot !== null) {
    slot.replaceChildren();
    render(<AccountOfUser />, slot);
  }
}

/**
 * Returns the query of the sign-in callback. Removes it from the URL before any other code runs, because it contains
 * the one-time code.
 */
function takeSignInAnswer(): URLSearchParams | undefined {
  if (location.pathname !== '/-/sign-in/callback') return undefined;
  const answer = new URLSearchParams(location.search);
  history.replaceState(null, '', consolePath);
  return answer;
}

async function finish(answer: URLSearchParams): Promise<void> {
  goTo('/', { replace: true });
  const { finishSignIn, SignInError } = await import('./sign-in/flow.ts');
  try {
    const path = await finishSignIn(answer);
    goTo(path.slice(consolePath.length) || '/', { replace: true });
  } catch (error) {
    signInMessage.value = error instanceof SignInError ? error.message : texts.noConnection;
  }
}
