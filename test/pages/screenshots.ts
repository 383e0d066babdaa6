import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { seed } from '../../lib/local/seed.ts';
import { publishSeedData } from '../../lib/local/seed-data.ts';
import { startLocalService } from '../../lib/local/service.ts';

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
  nothing: '/tide-institute/absent',
};

await mkdir(directory, { recursive: true });
const service = await startLocalService();
try {
  const { apiUrl, dataUrl, identity, storage } = service;
  const { key } = await seed({ apiUrl, identityUrl: identity.url, storage, storedKey: undefined, withDataSet: true });
  await publishSeedData({ dataUrl, key });
  const executablePath = process.argv[2] ?? '/usr/bin/chromium';
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  for (const [name, address] of Object.entries(pages)) {
    for (const [width, colorScheme] of [
      [1280, 'light'],
      [1280, 'dark'],
      [360, 'light'],
      [360, 'dark'],
    ] as const) {
      const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
      await page.goto(apiUrl + address);
      await page.screenshot({ path: path.join(directory, `${name}-${width}-${colorScheme}.png`), fullPage: true });
      await page.close();
    }
  }
  await browser.close();
} finally {
  await service.close();
}
console.log(`Screenshots of ${Object.keys(pages).length} pages are in ${directory}`);
