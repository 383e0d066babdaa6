import { pageFunction } from '../../lib/lambda/functions/page-function.ts';
import { showLink } from '../../lib/operations/pages.ts';
import { linkPage } from '../../lib/pages/site/link-page.tsx';

export const handler = pageFunction(showLink, async ({ services }) =>
  linkPage(services.site(), services.dataProxy().url),
);
