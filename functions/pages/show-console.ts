import { entryOf } from '../../lib/domain/site-assets.ts';
import { signInPageFunction } from '../../lib/lambda/functions/page-function.ts';
import { showConsole } from '../../lib/operations/pages.ts';
import { consolePage } from '../../lib/pages/site/console.tsx';

export const handler = signInPageFunction(showConsole, async ({ services }) => {
  const [entries, signIn] = await Promise.all([services.siteEntries(), services.findSiteSignIn()]);
  return consolePage({
    site: services.site(),
    entry: entryOf(entries, 'console'),
    dataUrl: services.dataProxy().url,
    signIn,
  });
});
