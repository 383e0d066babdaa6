import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { seed } from '../../lib/local/seed.ts';
import { publishSeedData } from '../../lib/local/seed-data.ts';
import { startLocalService } from '../../lib/local/service.ts';
import { startChromium } from '../service/chromium.ts';
import { fetchExampleIssuers } from '../service/example-issuers.ts';
import { signedInPage } from '../service/signed-in-page.ts';
import { makeCrowdedPlace } from './views/crowded-place.ts';
import { type Look, looks, show } from './views/looks.ts';
import { type View, views } from './views/views.ts';

// `npm run screenshots` shows every view and every dialog in every look. `npm run screenshots -- keys accounts` shows
// only views whose name contains one of these words. Words such as `360` or `dark` select looks.

const hasWord = (look: string, word: string) => look === word || look.split('-').includes(word);
const directory = path.resolve('.sluice/screenshots');
const wanted = process.argv.slice(2);
const looksWanted = looks.filter(({ name }) => wanted.some((word) => hasWord(name, word)));
const namesWanted = wanted.filter((word) => !looks.some(({ name }) => hasWord(name, word)));
const isWanted = ({ name }: View) => namesWanted.length === 0 || namesWanted.some((word) => name.includes(word));

await mkdir(directory, { recursive: true });
// The issuer in the example data does not exist.
const fetchIssuerKeys = fetchExampleIssuers((host) => Promise.reject(new Error(`no screenshot reaches ${host}`)));
const service = await startLocalService({
  fetchIssuerKeys,
  accountLoopbackEndpoints: true,
  hasVersionedStorage: true,
});
const browser = await startChromium();
try {
  const { apiUrl, dataUrl, identity, storage } = service;
  const { key } = await seed({ apiUrl, identityUrl: identity.url, storage, storedKey: undefined, withDataSet: true });
  await publishSeedData({ dataUrl, key });
  await makeCrowdedPlace(service, key);
  const shown = views.filter(isWanted);
  for (const view of shown) await picture(browser, view, looksWanted.length === 0 ? looks : looksWanted);
  console.log(`Screenshots of ${shown.length} views are in ${directory}`);
} finally {
  await browser.close();
  await service.close();
}

/** Takes pictures of one page in each look, so that the steps to the view run only once. */
async function picture(from: Browser, view: View, inLooks: readonly Look[]): Promise<void> {
  const page: Page = await signedInPage(from, service, view.as);
  try {
    await show(page, service.apiUrl, view);
    for (const look of inLooks) {
      await look.apply(page);
      const file = path.join(directory, `${view.name}-${look.name}.png`);
      await page.screenshot({ path: file, fullPage: view.dialogOf === undefined && view.name !== 'api-reference' });
      await look.undo?.(page);
    }
  } catch (error) {
    console.error(`${view.name}: ${error}`);
    process.exitCode = 1;
  } finally {
    await page.context().close();
  }
}
