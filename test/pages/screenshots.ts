import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { seed, seedNames } from '../../lib/local/seed.ts';
import { publishSeedData } from '../../lib/local/seed-data.ts';
import { type LocalService, startLocalService } from '../../lib/local/service.ts';
import { installedBrowsers, openBrowser } from '../service/browsers.ts';
import { ciToken } from '../service/data-clients.ts';
import { personToken } from '../service/person-tokens.ts';
import { postExchange } from '../service/raw-exchange.ts';

// npm run screenshots: every page, wide and narrow, light and dark, of the seeded service; the public ones at 200 % and printed too.
// npm run screenshots -- keys accounts: those alone whose name has one of these words.

const directory = path.resolve('.sluice/screenshots');
const repository = '/tide-institute/world-borders';
const pages: Readonly<Record<string, string>> = {
  front: '/',
  catalogue: '/-/search',
  search: '/-/search?q=borders',
  'nothing-found': '/-/search?q=nowhere',
  account: '/tide-institute',
  person: '/ada',
  repository,
  'empty-repository': '/tide-institute/tide-gauges',
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
  'console-found-key': '/-/console/found-key',
};
/** As Ada. */
const views: Readonly<Record<string, string>> = {
  start: '',
  'new-organization': '/new-organization',
  account: '/accounts/tide-institute',
  'new-repository': '/accounts/tide-institute/new-repository',
  people: '/accounts/tide-institute/people',
  'service-accounts': '/accounts/tide-institute/service-accounts',
  'service-accounts-empty': '/accounts/ada/service-accounts',
  'service-account': '/accounts/tide-institute/service-accounts/nightly-sync',
  'account-api-keys': '/accounts/ada/api-keys',
  'keys-by-maker': '/accounts/tide-institute/api-keys?made_by=ada',
  'not-for-you': '/accounts/site-admin/audit-trail',
  transfers: '/accounts/ada/transfers',
  'audit-trail': '/accounts/tide-institute/audit-trail',
  flags: '/accounts/ada/flags',
  'account-settings': '/accounts/ada/settings',
  repository: `/repositories${repository}`,
  files: `/repositories${repository}/files`,
  'empty-files': '/repositories/tide-institute/raw-drafts/files',
  'repository-people': `/repositories${repository}/people`,
  'repository-api-keys': `/repositories${repository}/api-keys`,
  'repository-settings': `/repositories${repository}/settings`,
};

/** As whoever runs the place. */
const viewsOfAdmin: Readonly<Record<string, string>> = {
  administration: '/administration',
  'data-connections': '/data-connections',
  'new-data-connection': '/new-data-connection',
  'data-connection': '/data-connections/local-store',
  'flags-of-another': '/accounts/ada/flags',
};

const wanted = process.argv.slice(2);
const isWanted = (name: string) => wanted.length === 0 || wanted.some((word) => name.includes(word));
const shown = (all: Readonly<Record<string, string>>) => Object.entries(all).filter(([name]) => isWanted(name));

/** A4 at 96 pixels an inch. */
const paperWidth = 794;

await mkdir(directory, { recursive: true });
const service = await startLocalService();
try {
  const { apiUrl, dataUrl, identity, storage } = service;
  const { key } = await seed({ apiUrl, identityUrl: identity.url, storage, storedKey: undefined, withDataSet: true });
  await publishSeedData({ dataUrl, key });
  const [adasToken, adminsToken] = [await personToken(service, 'ada'), await personToken(service, 'admin')];
  const signedIn = [
    ...shown(views).map(([name, view]) => ({ name, view, token: adasToken })),
    ...shown(viewsOfAdmin).map(([name, view]) => ({ name, view, token: adminsToken })),
  ];
  await refuseSignIn(service);
  const [installed] = installedBrowsers;
  if (installed === undefined) throw new Error('no browser is installed: apt-get install chromium');
  for (const colours of ['light', 'dark'] as const) {
    const browser = await openBrowser(installed, { colours });
    for (const [name, address] of shown(pages)) {
      for (const width of [1280, 640, 360, paperWidth]) {
        const page = await browser.newPage({ width, height: 900 });
        if (width === paperWidth) await page.emulateMediaType('print');
        await page.goto(apiUrl + address);
        await page.waitForFunction('!document.querySelector("#preview[aria-busy]")');
        await page.screenshot({
          path: path.join(directory, `${name}-${width === paperWidth ? 'print' : width}-${colours}.png`) as never,
          fullPage: true,
        });
        await page.close();
      }
    }
    for (const { name, view, token } of signedIn) {
      for (const width of [1280, 360]) {
        const page = await browser.newPage({ width, height: 900 });
        const tokens = { id: 'a', earlier: [], access_token: token, expires_at: Date.now() + 3_000_000 };
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
console.log(`Screenshots of ${shown({ ...pages, ...views, ...viewsOfAdmin }).length} pages are in ${directory}`);

/** A run from another branch than the trusted one, so that there is a refusal to be seen. */
async function refuseSignIn(service: LocalService): Promise<void> {
  const { repository, branch } = seedNames.workflow;
  const sub = `repo:${repository}:ref:refs/heads/${branch}-of-2027`;
  await postExchange(service, { WebIdentityToken: await ciToken(service, { sub }) });
}
