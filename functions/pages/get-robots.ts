import { constantFunction } from '../../lib/deployed/constant-function.ts';
import { getRobots } from '../../lib/operations/pages.ts';

export const handler = constantFunction(getRobots, async () => ({
  html: 'User-agent: *\nDisallow: /api/\n',
  headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'public, max-age=3600' },
}));
