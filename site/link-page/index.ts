import { takeLinkSecret } from '../data/link-secret.ts';

const main = document.getElementById('main');
const [, id] = /^\/-\/links\/([^/]+)$/.exec(location.pathname) ?? [];
if (main !== null && id !== undefined) {
  // Clear the fragment before any other code loads.
  const secret = takeLinkSecret(id);
  // A dynamic import, because the page's function gets the names of all static ones in its environment, which is small.
  import('./link-page.tsx').then(
    ({ openLinkPage }) => openLinkPage(main, { id, secret }),
    () => main.querySelector('[data-waiting]')?.replaceChildren('The page could not be loaded. Reload it.'),
  );
}
