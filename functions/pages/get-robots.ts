import { createDeployedSite } from '../../lib/lambda/environment.ts';
import { constantFunction } from '../../lib/lambda/functions/constant-function.ts';
import { getRobots } from '../../lib/operations/pages.ts';

// Search engines must not read search results, later pages of lists, the files of versions, or their differences and
// citations, because the number of these pages is unlimited. The sitemap contains each repository.
const rules = [
  'User-agent: *',
  'Allow: /sitemap.xml',
  'Disallow: /api/',
  'Disallow: /-/search?',
  'Disallow: /-/versions/*compare=',
  'Disallow: /-/versions/*citation=',
  'Disallow: /*/*/*?version=',
  'Disallow: /*?cursor=',
  'Disallow: /*&cursor=',
];

export const handler = constantFunction(
  getRobots,
  async ({ services }) => ({
    html: `${[...rules, '', `Sitemap: ${services.site().url}/sitemap.xml`].join('\n')}\n`,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'public, max-age=3600' },
  }),
  createDeployedSite,
);
