import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { seed } from '../../lib/local/seed.ts';
import { publishSeedData } from '../../lib/local/seed-data.ts';
import { startLocalService } from '../../lib/local/service.ts';
import { installedBrowsers, openBrowser } from '../service/browsers.ts';
import { personToken } from '../service/person-tokens.ts';

// npm run screenshots: every page, wide and narrow, light and dark, of the seeded service.

const directory = path.resolve('.sluice/screenshots');
const repository = '/tide-institute/world-borders';
const pages: Readonly<Record<string, string>> = {
  front: '/',
  catalogue: '/-/search',
  search: '/-/search?q=borders',
  account: '/tide-institute',
  repository,
  table: `${repository}?path=countries.csv`,
  json: `${repository}?path=countries.geojson`,
  text: `${repository}?path=README.md`,
  'other-file': `${repository}?path=countries.parquet`,
  'preview-parquet': `/-/preview${repository}?path=countries.parquet`,
  'preview-geojson': `/-/preview${repository}?path=countries.geojson`,
  'preview-pmtiles': `/-/preview${repository}?path=countries.pmtiles`,
  'preview-geotiff': `/-/preview${repository}?path=countries.tif`,
  nothing: '/tide-institute/absent',
  'console-signed-out': '/-/console',
};
/** As Ada. */
const views: Readonly<Record<string, string>> = {
  start: '',
  'new-organization': '/new-organization',
  account: '/accounts/tide-institute',
  'new-repository': '/accounts/tide-institute/new-repository',
  people: '/accounts/tide-institute/people',
  transfers: '/accounts/ada/transfers',
  'account-settings': '/accounts/ada/settings',
  repository: `/repositories${repository}`,
  'repository-people': `/repositories${repository}/people`,
  'repository-settings': `/repositories${repository}/settings`,
};

await mkdir(directory, { recursive: true });
const service = await startLocalService();
try {
  const { apiUrl, dataUrl, identity, storage } = service;
  const { key } = await seed({ apiUrl, identityUrl: identity.url, storage, storedKey: undefined, withDataSet: true });
  await publishSeedData({ dataUrl, key });
  const adasToken = await personToken(service, 'ada');
  const [installed] = installedBrowsers;
  if (installed === undefined) throw new Error('no browser is installed: apt-get install chromium');
  for (const colours of ['light', 'dark'] as const) {
    const browser = await openBrowser(installed, { colours });
    for (const [name, address] of Object.entries(pages)) {
      for (const width of [1280, 360]) {
        const page = await browser.newPage({ width, height: 900 });
        await page.goto(apiUrl + address);
        await page.waitForFunction('!document.querySelector("#preview[aria-busy]")');
        await page.screenshot({
          path: path.join(directory, `${name}-${width}-${colours}.png`) as never,
          fullPage: true,
        });
        await page.close();
      }
    }
    for (const [name, view] of Object.entries(views)) {
      for (const width of [1280, 360]) {
        const page = await browser.newPage({ width, height: 900 });
        const tokens = { id: 'a', earlier: [], access_token: adasToken, expires_at: Date.now() + 3_000_000 };
        await page.evaluateOnNewDocument(`sessionStorage.setItem('sluice.tokens', '${JSON.stringify(tokens)}')`);
        await page.goto(`${apiUrl}/-/console${view}`, { waitUntil: 'networkidle0' });
        await page.screenshot({
          path: path.join(directory, `console-${name}-${width}-${colours}.png`) as never,
          fullPage: true,
        });
        await page.close();
      }
    }
    await browser.close();
  }
} finally {
  await service.close();
}
console.log(`Screenshots of ${Object.keys({ ...pages, ...views }).length} pages are in ${directory}`);
