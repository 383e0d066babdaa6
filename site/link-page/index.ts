import { takeLinkSecret } from '../data/link-secret.ts';

const main = document.getElementById('main');
const [, id] = /^\/-\/links\/([^/]+)$/.exec(location.pathname) ?? [];
if (main !== null && id !== undefined) {
  // Clear the secret from the URL's fragment before any other code loads.
  const secret = takeLinkSecret(id);
  // Use a dynamic import, because the Lambda of this page gets the names of all statically imported files in its
  // environment, which is limited to 4 KB.
  import('./link-page.tsx').then(
    ({ openLinkPage }) => openLinkPage(main, { id, secret }),
    () => main.querySelector('[data-waiting]')?.replaceChildren('The page could not be loaded. Reload it.'),
  );
}
