import { render } from 'preact';
import { Console } from './app.tsx';
import { keepFocus } from './components/focus.ts';
import { ignoreSecondClicks } from './components/once.ts';
import { consolePath, followLinks, goTo } from './router.ts';
import { signInMessage } from './sign-in/session.ts';
import { texts } from './texts.ts';

const root = document.getElementById('console');
if (root !== null) {
  const answer = takeSignInAnswer();
  if (answer !== undefined) await finish(answer);
  followLinks();
  ignoreSecondClicks();
  keepFocus(root);
  root.replaceChildren();
  render(<Console />, root);
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
