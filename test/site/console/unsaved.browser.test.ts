import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { seededUsers, seedNames } from '../../../lib/local/seed.ts';
import { made, signUp } from '../../functions/users.ts';
import { violations } from '../../service/axe.ts';
import { chromiumPath, launchChromium } from '../../service/chromium.ts';
import { type SeededService, startSeededService } from '../../service/seeded-service.ts';
import { openView, signedInPage } from '../../service/signed-in-page.ts';
import type { Client } from '../../service/test-service.ts';

// A page warns before it loses input. After a form is sent, it does not warn.

let service: SeededService;
let browser: Browser;
let send: Client;
let page: Page;

describe.skipIf(chromiumPath === undefined)('a form in a browser', { timeout: 60_000 }, () => {
  beforeAll(async () => {
    [service, browser] = await Promise.all([startSeededService({ users: seededUsers }), launchChromium()]);
    send = await service.user('ada');
    await signUp(service, 'grace');
    page = await signedInPage(browser, service, 'ada');
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  const console_ = (path: string) => `${service.apiUrl}/-/console${path}`;
  const settings = '/accounts/ada/settings';
  const asks = () => page.getByRole('dialog', { name: 'Leave without saving?' });
  const answer = (name: string) => asks().getByRole('button', { name }).click();
  const tab = (name: string) => page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name });
  const isAt = (path: string) => expect.poll(() => page.url()).toBe(console_(path));
  const typePlace = async (text: string) => {
    await page.getByLabel('Location').click();
    await page.getByLabel('Location').fill(text);
  };
  const holds = (text: string) => expect.poll(() => page.getByLabel('Location').inputValue()).toBe(text);
  const focused = () => expect.poll(() => page.evaluate('document.activeElement.textContent.trim()'));

  describe('with unsaved input', () => {
    beforeEach(async () => {
      await openView(page, console_('/accounts/ada'));
      await tab('Settings').click();
      await page.getByLabel('Location').waitFor();
    });

    it('asks before a link leaves the form, and lists the fields that would be lost', async () => {
      await typePlace('Lisbon');
      await tab('Transfers').click();
      await asks().waitFor();
      await expect.poll(() => asks().getByRole('listitem').allInnerTexts()).toEqual(['Location']);
      expect(await violations(page)).toEqual([]);
      await answer('Stay');
      await expect.poll(() => asks().count()).toBe(0);
      await isAt(settings);
      await holds('Lisbon');
      await focused().toBe('Transfers');
      await tab('Transfers').click();
      await answer('Leave without saving');
      await isAt('/accounts/ada/transfers');
      await focused().toBe('Transfers');
      await tab('Settings').click();
      await holds('');
    });

    it('asks before Back leaves the form, and stays there until the answer', async () => {
      await typePlace('Lisbon');
      await page.evaluate('history.back()');
      await asks().waitFor();
      await isAt(settings);
      await page.keyboard.press('Escape');
      await expect.poll(() => asks().count()).toBe(0);
      await holds('Lisbon');
      await page.evaluate('history.back()');
      await answer('Leave without saving');
      await isAt('/accounts/ada');
      await page.evaluate('history.forward()');
      await isAt(settings);
      await holds('');
      await page.evaluate('history.back()');
      await isAt('/accounts/ada');
    });

    it('asks before Back leaves the form for a section of another view', async () => {
      await page.getByRole('navigation', { name: 'Views' }).getByRole('link').first().click();
      await isAt('/accounts/ada');
      // Wait until the loaded view has taken the focus. Before that, the link would lose the focus, and the key press
      // would not reach it.
      await focused().toBe('Repositories');
      await page.getByRole('link', { name: 'Skip to content' }).press('Enter');
      await isAt('/accounts/ada#main');
      await tab('Settings').click();
      await typePlace('Lisbon');
      await page.evaluate('history.back()');
      await asks().waitFor();
      await isAt(settings);
      await answer('Leave without saving');
      await isAt('/accounts/ada#main');
    });

    it('lets the browser ask before the tab closes', async () => {
      await typePlace('Lisbon');
      const [dialog] = await Promise.all([page.waitForEvent('dialog'), page.close({ runBeforeUnload: true })]);
      expect(dialog.type()).toBe('beforeunload');
      await dialog.dismiss();
      await holds('Lisbon');
    });

    it('names the group of a changed choice, and asks nothing after the first option is chosen again', async () => {
      await openView(page, console_('/accounts/ada/storage/connect'));
      await page.getByLabel('Wasabi').check();
      await tab('Transfers').click();
      await expect.poll(() => asks().getByRole('listitem').allInnerTexts()).toEqual(['Provider']);
      await answer('Stay');
      await page.getByLabel('Amazon S3').check();
      await tab('Transfers').click();
      await isAt('/accounts/ada/transfers');
    });

    it('asks nothing when the input is unchanged, saved, or only opened', async () => {
      await typePlace('Lisbon');
      await typePlace('');
      await tab('Transfers').click();
      await isAt('/accounts/ada/transfers');
      await tab('Settings').click();
      await typePlace('Lisbon');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('Saved.').waitFor();
      await tab('Transfers').click();
      await isAt('/accounts/ada/transfers');
      await tab('Audit trail').click();
      await page.getByLabel('Service account').fill('tide-institute--nobody');
      await tab('Transfers').click();
      await isAt('/accounts/ada/transfers');
      await expect.poll(() => asks().count()).toBe(0);
    });

    it('still asks after another user changed the same resource, until the user chooses a version', async () => {
      await typePlace('Porto');
      await made(send('PUT', '/accounts/ada/profile', { bio: `Theirs` }));
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      const stale = page.getByRole('dialog', { name: 'Another user changed this in the meantime' });
      await stale.waitFor();
      await page.keyboard.press('Escape');
      await expect.poll(() => stale.count()).toBe(0);
      await tab('Transfers').click();
      await answer('Stay');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await stale.getByRole('button', { name: 'Save my changes' }).click();
      await expect.poll(() => stale.count()).toBe(0);
      await tab('Transfers').click();
      await isAt('/accounts/ada/transfers');
    });

    it('reports the lost input after the sign-in has expired, and lets the tab close', async () => {
      await typePlace('Faro');
      await page.route('**/api/v1/accounts/ada/profile', (route) => route.fulfill({ status: 401, json: {} }));
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('Your unsaved input is lost').waitFor();
      await page.unroute('**/api/v1/accounts/ada/profile');
      // If the page had shown its warning, it would still be open.
      await Promise.all([page.waitForEvent('close'), page.close({ runBeforeUnload: true })]);
      page = await signedInPage(browser, service, 'ada');
    });
  });

  describe('on the same page as a saved form', () => {
    const machine = '/service-accounts/tide-institute--nightly-sync';
    const description = () => page.getByLabel('Description');
    const ending = () => page.getByLabel('End sessions on revocation');
    const describes = (text: string) => expect.poll(() => description().inputValue()).toBe(text);
    const isEnding = (is: boolean) => expect.poll(() => ending().isChecked()).toBe(is);
    const save = () => page.getByRole('button', { name: 'Save', exact: true }).click();
    const apply = () => page.getByRole('button', { name: 'Apply', exact: true }).click();
    const stale = () => page.getByRole('dialog', { name: 'Another user changed this in the meantime' });
    const theirs = () => made(send('PATCH', machine, { description: 'Theirs' }));
    beforeEach(async () => {
      const settings = { end_sessions_on_revocation: false, federated_only: false };
      await made(send('PATCH', `${machine}/settings`, settings));
      await made(send('PATCH', machine, { description: 'Before' }));
      await openView(page, console_('/accounts/tide-institute/service-accounts/nightly-sync'));
      await description().click();
      await description().fill('Mine');
    });

    it('preserves the input, asks before it is lost, and saves it on the new version', async () => {
      await ending().check();
      await apply();
      await page.getByText('Saved.').waitFor();
      await describes('Mine');
      await tab('People').click();
      await expect.poll(() => asks().getByRole('listitem').allInnerTexts()).toEqual(['Description']);
      await answer('Stay');
      await save();
      await page.getByText('Saved.').waitFor();
      expect((await send('GET', machine)).body).toMatchObject({
        end_sessions_on_revocation: true,
        description: 'Mine',
      });
      await tab('People').click();
      await isAt('/accounts/tide-institute/people');
    });

    it('shows the change of another user, and the current values after the user takes them', async () => {
      await theirs();
      await ending().check();
      await apply();
      await stale().getByRole('button', { name: 'Save my changes' }).click();
      await page.getByText('Saved.').waitFor();
      await describes('Mine');
      await save();
      await stale()
        .getByRole('row', { name: /Description.*Before.*Theirs.*Mine/ })
        .waitFor();
      await stale().getByRole('button', { name: 'Discard my changes' }).click();
      await describes('Theirs');
      await isEnding(true);
      await tab('People').click();
      await isAt('/accounts/tide-institute/people');
    });

    it('shows all current values after the user discards the input', async () => {
      await description().fill('Before');
      await theirs();
      await ending().check();
      await apply();
      await stale().getByRole('button', { name: 'Discard my changes' }).click();
      await describes('Theirs');
      await isEnding(false);
      await tab('People').click();
      await isAt('/accounts/tide-institute/people');
    });
  });

  describe('with a bar that saves', () => {
    const repository = `/repositories/tide-institute/${seedNames.private_repository_id}`;
    const bar = () => page.locator('.save-bar').innerText();
    const save = () => page.getByRole('button', { name: 'Save', exact: true }).click();
    const description = () => page.getByLabel('Description');
    const describes = (text: string) => expect.poll(() => description().inputValue()).toBe(text);
    const stale = () => page.getByRole('dialog', { name: 'Another user changed this in the meantime' });
    beforeEach(async () => {
      await made(
        send('PUT', repository, { meta: { title: 'Raw drafts', description: 'Before', tags: 'sea' }, state: 'listed' }),
      );
      await openView(page, console_(`${repository}/settings`));
      await description().click();
      await description().fill('Mine');
    });

    it('names the changed fields, stays visible, and takes the changes back', async () => {
      await page.getByLabel('Title').fill('My title');
      await expect.poll(bar).toMatch(/^Not saved yet: Title, Description/);
      expect(await violations(page)).toEqual([]);
      await page.setViewportSize({ width: 360, height: 420 });
      for (const field of ['Title', 'Description']) {
        await page.getByLabel(field).focus();
        const { y = 0, height = 0 } = (await page.locator('.save-bar button').first().boundingBox()) ?? {};
        expect(y).toBeGreaterThan(0);
        expect(y + height).toBeLessThanOrEqual(420);
      }
      await page.setViewportSize({ width: 1280, height: 720 });
      await page.getByRole('button', { name: 'Discard' }).press('Enter');
      await describes('Before');
      await expect.poll(bar).toBe('');
      await tab('People').click();
      await isAt(`${repository}/people`);
    });

    it('changes the visibility and the catalogue in one step', async () => {
      await page.getByRole('button', { name: 'Discard' }).click();
      await page.getByRole('link', { name: 'Visibility', exact: true }).click();
      await page.getByLabel('Visibility').selectOption('open');
      await page.getByLabel('In the catalogue').selectOption('unlisted');
      await expect.poll(bar).toMatch(/^Not saved yet: In the catalogue, Visibility/);
      await save();
      await page.getByText('Saved.').waitFor();
      const { body } = await send('GET', repository);
      expect(body).toMatchObject({ data_mode: 'open', state: 'unlisted', meta: { description: 'Before' } });
      await expect.poll(bar).toBe('');
    });

    it('preserves input during a save', async () => {
      const { promise: typed, resolve: go } = Promise.withResolvers<void>();
      const url = `**/api/v1${repository}`;
      await page.route(url, async (route) => {
        if (route.request().method() === 'PUT') await typed;
        await route.continue();
      });
      const sent = page.waitForRequest((request) => request.method() === 'PUT');
      await save();
      await sent;
      await page.getByLabel('Title').fill('Typed meanwhile');
      go();
      await page.getByText('Saved.').waitFor();
      await page.unroute(url);
      await expect.poll(() => page.getByLabel('Title').inputValue()).toBe('Typed meanwhile');
      await describes('Mine');
      await save();
      await expect
        .poll(async () => (await send('GET', repository)).body.meta)
        .toMatchObject({ title: 'Typed meanwhile', description: 'Mine' });
      await expect.poll(() => stale().count()).toBe(0);
    });
  });

  describe('after it is sent', () => {
    const folded = (name: string) =>
      expect.poll(() => page.locator('details', { hasText: name }).first().getAttribute('open')).toBe(null);

    it('collapses after an invitation, which the list shows', async () => {
      await openView(page, console_('/accounts/tide-institute/people'));
      await page.getByText('Invite a member').click();
      await page.getByLabel('Account ID').fill('grace');
      await page.getByRole('button', { name: 'Invite', exact: true }).click();
      await page.getByText('grace is invited.').waitFor();
      await folded('Invite a member');
      await focused().toBe('Invite a member');
      await page.getByRole('row', { name: /grace/ }).waitFor();
    });

    it('collapses after a new key, when the user has stored the secret', async () => {
      await openView(page, console_('/accounts/tide-institute/service-accounts'));
      await page.getByRole('link', { name: 'nightly-sync' }).first().click();
      await page.getByText('New key', { exact: true }).click();
      await page.getByLabel('Label').fill('cellar');
      await page.getByRole('button', { name: 'Create key' }).click();
      const secret = page.getByRole('dialog', { name: 'The key “cellar”' });
      await secret.waitFor();
      await page.evaluate('history.back()');
      await expect.poll(() => asks().getByRole('listitem').allInnerTexts()).toEqual(['The key “cellar”']);
      await page.keyboard.press('Escape');
      await expect.poll(() => asks().count()).toBe(0);
      await secret.waitFor();
      await page.getByRole('button', { name: 'I have stored it' }).click();
      await page.getByText('The key “cellar” is created.').waitFor();
      await folded('New key');
      await focused().toBe('New key');
      await page.getByRole('row', { name: /cellar/ }).waitFor();
    });

    it('collapses after a grant and after a new API key, and asks nothing afterwards', async () => {
      await page.getByText('Grant a repository', { exact: true }).click();
      await page.getByLabel('Repository', { exact: true }).fill('raw-drafts');
      await page.getByRole('button', { name: 'Grant', exact: true }).click();
      await page.getByText('raw-drafts is granted.').waitFor();
      await folded('Grant a repository');
      await focused().toBe('Grant a repository');
      await page.getByLabel('Access to raw-drafts').waitFor();
      await tab('API keys').click();
      await page.getByText('New API key', { exact: true }).click();
      await page.getByLabel('Name', { exact: true }).fill('laptop');
      await page.getByRole('button', { name: 'Create key' }).click();
      await page.getByRole('button', { name: 'I have stored it' }).click();
      await page.getByText('The key “laptop” is created.').waitFor();
      await folded('New API key');
      await focused().toBe('New API key');
      await page.getByRole('row', { name: /laptop/ }).waitFor();
      await tab('People').click();
      await isAt('/accounts/tide-institute/people');
    });
  });
});
