import { entryOf } from '../../lib/domain/site-assets.ts';
import { signInPageFunction } from '../../lib/lambda/functions/page-function.ts';
import { showConsole } from '../../lib/operations/pages.ts';
import { consolePage, repositoryLookupPage } from '../../lib/pages/site/console.tsx';
import { repositoryLookupFrame } from '../../lib/pages/site/machines/repository-lookup.ts';

export const handler = signInPageFunction(showConsole, async ({ query, services }) => {
  if (query.frame === repositoryLookupFrame) {
    return repositoryLookupPage(services.site(), entryOf(await services.siteEntries(), repositoryLookupFrame));
  }
  const [entries, signIn] = await Promise.all([services.siteEntries(), services.findSiteSignIn()]);
  return consolePage({
    site: services.site(),
    entry: entryOf(entries, 'console'),
    dataUrl: services.dataProxy().url,
    signIn,
  });
});
