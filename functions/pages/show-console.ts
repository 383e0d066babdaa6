import { signInPageFunction } from '../../lib/lambda/functions/page-function.ts';
import { showConsole } from '../../lib/operations/pages.ts';
import { consolePage, renewalPage, repositoryLookupPage } from '../../lib/pages/site/console.tsx';
import { renewalFrame } from '../../lib/pages/site/console-configuration.ts';
import { repositoryLookupFrame } from '../../lib/pages/site/machines/repository-lookup.ts';

export const handler = signInPageFunction(showConsole, async ({ query, services }) => {
  if (query.frame === repositoryLookupFrame) {
    return repositoryLookupPage(services.site());
  }
  const signIn = await services.findSiteSignIn();
  if (query.frame === renewalFrame) return renewalPage(services.site(), signIn);
  return consolePage({
    site: services.site(),
    dataUrl: services.dataProxy().url,
    signIn,
  });
});
