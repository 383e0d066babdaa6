import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededPeople } from '../../lib/local/seed.ts';
import { chromiumPath } from '../service/chromium.ts';
import { type ConsolePages, openConsolePages, signInAs } from '../service/console-pages.ts';
import { type SeededService, startSeededService } from '../service/seeded-service.ts';

let service: SeededService;
let pages: ConsolePages;
let site: string;

describe.skipIf(chromiumPath === undefined)('signing out in a browser', () => {
  beforeAll(async () => {
    service = await startSeededService({ people: seededPeople });
    site = service.apiUrl;
    pages = await openConsolePages();
  });
  afterAll(async () => {
    await pages?.close();
    await service?.close();
  });

  async function signedIn(): Promise<Page> {
    const page = await pages.newPage();
    await page.goto(`${site}/-/console`);
    await signInAs(page, 'Ada');
    await page.getByRole('link', { name: 'Ada' }).first().waitFor();
    return page;
  }

  it('ends the session at the issuer too when one signs out', async () => {
    const ada = await signedIn();
    await ada.getByRole('button', { name: 'Sign out' }).click();
    await ada.getByRole('button', { name: 'Sign out' }).click();
    await ada.waitForURL(`${site}/`);
    await ada.goto(`${site}/-/console`);
    expect(await ada.evaluate(`sessionStorage.getItem('sluice.tokens')`)).toBeNull();
    await ada.getByRole('button', { name: 'Sign in' }).click();
    // Asked again, since the issuer knows nobody any more.
    await ada.getByRole('button', { name: /Ada/ }).waitFor();
  });

  it('signs out here though the issuer and the files of the site are out of reach, and says so', async () => {
    const page = await signedIn();
    await page.reload();
    await page.getByRole('link', { name: 'Ada' }).first().waitFor();
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('Your sign-in provider could not be told').waitFor();
    expect(await page.evaluate(`sessionStorage.getItem('sluice.tokens')`)).toBeNull();
    await page.context().setOffline(false);
    await page.reload();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await page.context().close();
  });

  it('signs out also a tab that shows something else when one signs out in another', async () => {
    const elsewhere = await signedIn();
    const here = await elsewhere.context().newPage();
    await here.goto(`${site}/-/console`);
    // The issuer knows by now who it is.
    await here.getByRole('button', { name: 'Sign in' }).click();
    await here.getByRole('link', { name: 'Ada' }).first().waitFor();
    await elsewhere.goto(`${site}/tide-institute`);
    await elsewhere.goto(`${site}/-/console`);
    await elsewhere.getByRole('link', { name: 'Ada' }).first().waitFor();
    await elsewhere.goto(`${site}/tide-institute`);
    await here.getByRole('button', { name: 'Sign out' }).click();
    await here.getByRole('button', { name: 'Sign out' }).click();
    await here.waitForURL(`${site}/`);
    await elsewhere.goBack();
    await elsewhere.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(await elsewhere.evaluate(`sessionStorage.getItem('sluice.tokens')`)).toBeNull();
    await elsewhere.context().close();
  });
});
