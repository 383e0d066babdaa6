import { shownPathOf } from '../../lib/pages/site/links.ts';

// The page for missing data is the same for everybody. For a signed-in user, this script loads the code that asks
// whether the user may read the repository of the URL.
const main = document.getElementById('main');
const shown = shownPathOf(new URL(location.href));
if (main !== null && shown !== undefined && sessionStorage.getItem('sluice.tokens') !== null) {
  const { showMemberPage } = await import('./member-page.tsx');
  await showMemberPage(main, shown);
}
