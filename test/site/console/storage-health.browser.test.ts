import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { repository } from '../../functions/users.ts';
import {
  connectByRole,
  type RefusingStorage,
  startRefusingStorage,
  successful,
} from '../../service/account-storage.ts';
import { chromiumPath, launchChromium } from '../../service/chromium.ts';
import { type SeededService, startSeededService } from '../../service/seeded-service.ts';
import { openView, signedInPage } from '../../service/signed-in-page.ts';

let service: SeededService;
let storage: RefusingStorage;
let browser: Browser;
let page: Page;

describe.skipIf(chromiumPath === undefined)('an owner whose storage refuses the credentials', () => {
  const account_id = 'tide-institute';
  const data_connection_id = 'own-store';

  beforeAll(async () => {
    [service, browser] = await Promise.all([startSeededService({ accountLoopbackEndpoints: true }), launchChromium()]);
    storage = await startRefusingStorage(service.storage.endpoint);
    const ada = successful(await service.user('ada'));
    await connectByRole(service, ada, { account_id, data_connection_id, endpoint: storage.url });
    page = await signedInPage(browser, service, 'ada');
  });
  afterAll(async () => {
    await browser?.close();
    await storage?.close();
    await service?.close();
  });

  /** Opens the list of connections, and returns the row of the given one. */
  async function row() {
    await openView(page, `${service.apiUrl}/-/console/accounts/${account_id}/storage`);
    const found = page.getByRole('row').filter({ hasText: data_connection_id });
    await found.waitFor();
    return found;
  }

  test('sees the fault in the list and in the view of the connection, and its end after a test', async () => {
    await (await row()).getByText('not used yet').waitFor();
    const ada = successful(await service.user('ada'));
    await ada('POST', `/repositories/${account_id}`, repository('on-own-store', { data_connection_id }));
    await (await row()).getByText('working').waitFor();

    storage.codeFor = () => 'InvalidAccessKeyId';
    expect((await fetch(`${service.dataUrl}/${account_id}/on-own-store/a.txt`)).status).toBe(503);
    const healthOf = async () => (await ada('GET', `/data-connections/${data_connection_id}`)).health;
    await expect.poll(healthOf).toMatchObject({ code: 'credentials_refused' });
    const failing = await row();
    await failing.getByText('failing').waitFor();
    await failing.getByText('since 20').waitFor();
    await failing.getByRole('link').click();
    await page.getByText('The storage has failed since').waitFor();

    storage.codeFor = () => undefined;
    await page.getByRole('button', { name: 'Test connection' }).click();
    await page.getByText('Nothing failed.').waitFor();
    await page.reload();
    await page.getByText('The storage works again.').waitFor();
    await (await row()).getByText('working').waitFor();
  });
});
