import { shownPathOf } from '../../lib/pages/site/links.ts';
import { currentSignIn } from '../sign-in/stored.ts';
import { signInPath } from './sign-in-path.ts';

// The page for missing data is the same for every visitor. For a signed-in user, this script loads the code that asks
// the API whether the user may read the repository of the URL.
const main = document.getElementById('main');
const shown = shownPathOf(new URL(location.href));
if (main !== null && shown !== undefined) {
  main.querySelector('[data-sign-in]')?.setAttribute('href', signInPath());
  if (currentSignIn() !== undefined) {
    const missing = [...main.childNodes];
    const loading = document.createElement('p');
    loading.className = 'soft';
    loading.setAttribute('role', 'status');
    loading.textContent = 'Loading …';
    main.setAttribute('aria-busy', 'true');
    main.replaceChildren(loading);
    const showMissing = () => {
      main.replaceChildren(...missing);
      main.removeAttribute('aria-busy');
    };
    // After a deployment, the script may no longer exist. The user can then sign in again, or reload the page.
    import('./member-page.tsx').then(({ showMemberPage }) => showMemberPage(main, shown, showMissing), showMissing);
  }
}
