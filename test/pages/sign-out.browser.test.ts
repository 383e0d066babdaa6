import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededUsers } from '../../lib/local/seed.ts';
import { chromiumPath } from '../service/chromium.ts';
import { type ConsolePages, openConsolePages, signInAs, signOutOf } from '../service/console-pages.ts';
import { type SeededService, startSeededService } from '../service/seeded-service.ts';

/** The stored value after a sign-out, without tokens. */
const ended = '{"ended":"signed_out"}';

let service: SeededService;
let pages: ConsolePages;
let site: string;

describe.skipIf(chromiumPath === undefined)('the sign-out in a browser', () => {
  beforeAll(async () => {
    service = await startSeededService({ users: seededUsers });
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
    await page.getByRole('button', { name: 'Account menu of Ada' }).waitFor();
    return page;
  }

  it('ends the session at the issuer too with one click, without a token in a URL', async () => {
    const ada = await signedIn();
    const { access_token, refresh_token } = JSON.parse(
      String(await ada.evaluate(`localStorage.getItem('sluice.tokens')`)),
    );
    const addresses: string[] = [];
    ada.on('request', (request) => addresses.push(request.url()));
    await signOutOf(ada);
    await ada.waitForURL(`${site}/`);
    expect(addresses).toContainEqual(expect.stringContaining('/people/logout?'));
    // Every JWT begins with these characters, including ID tokens.
    for (const token of ['eyJ', access_token, refresh_token])
      expect(addresses.filter((address) => address.includes(token))).toEqual([]);
    await ada.goto(`${site}/-/console`);
    expect(await ada.evaluate(`localStorage.getItem('sluice.tokens')`)).toBe(ended);
    await ada.getByRole('button', { name: 'Sign in' }).click();
    // The issuer has ended the session, so it asks for a sign-in again.
    await ada.getByRole('button', { name: /Ada/ }).waitFor();
  });

  it('asks for confirmation when another site opens the end of the session, which continues until then', async () => {
    const ada = await signedIn();
    const foreign = await ada.context().newPage();
    const end = new URL(`${service.identity.people.issuer}/logout`);
    const { client_id } = service.identity.people;
    const query = { client_id, post_logout_redirect_uri: `${site}/`, logout_hint: 'a-guess' };
    for (const [name, value] of Object.entries(query)) end.searchParams.set(name, value);
    await foreign.goto('data:text/html,<title>A foreign page</title>');
    await foreign.setContent(`<a href="${end.href.replaceAll('&', '&amp;')}">A prize</a>`);
    await foreign.getByText('A prize').click();
    await foreign.getByRole('heading', { name: 'Sign out of the site?' }).waitFor();
    await foreign.goto(`${site}/-/console`);
    await foreign.getByRole('button', { name: 'Account menu of Ada' }).waitFor();
    await ada.context().close();
  });

  it('signs out locally when the issuer and the files of the site do not respond, and says so', async () => {
    const page = await signedIn();
    await page.reload();
    await page.getByRole('button', { name: 'Account menu of Ada' }).waitFor();
    await page.context().setOffline(true);
    await signOutOf(page);
    await page.getByText('your sign-in provider did not answer').waitFor();
    expect(await page.evaluate(`localStorage.getItem('sluice.tokens')`)).toBe(ended);
    await page.context().setOffline(false);
    await page.reload();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await page.context().close();
  });

  it('signs out a tab with another view when the user signs out in a second tab', async () => {
    const elsewhere = await signedIn();
    const here = await elsewhere.context().newPage();
    await here.goto(`${site}/-/console`);
    await here.getByRole('button', { name: 'Account menu of Ada' }).waitFor();
    await elsewhere.goto(`${site}/tide-institute`);
    await signOutOf(here);
    await here.waitForURL(`${site}/`);
    await elsewhere.goBack();
    await elsewhere.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(await elsewhere.evaluate(`localStorage.getItem('sluice.tokens')`)).toBe(ended);
    await elsewhere.context().close();
  });
});
