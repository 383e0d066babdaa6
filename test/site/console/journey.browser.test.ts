import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seededUsers } from '../../../lib/local/seed.ts';
import { chromiumPath, launchChromium } from '../../service/chromium.ts';
import { type SeededService, startSeededService } from '../../service/seeded-service.ts';
import { openView, signedInPage, untilQuiet } from '../../service/signed-in-page.ts';

// The journey of a first-time publisher, by clicks alone, and of the other users involved.

let service: SeededService;
let browser: Browser;
let folder: string;
/** Pages of the publisher, of a colleague, and of a reader without an account. */
let vera: Page;
let otto: Page;
let reader: Page;
let link: string;

describe.skipIf(chromiumPath === undefined)('a publisher', () => {
  beforeAll(async () => {
    [service, browser] = await Promise.all([startSeededService({ users: seededUsers }), launchChromium()]);
    [vera, otto, reader] = await Promise.all([
      signedInPage(browser, service),
      signedInPage(browser, service),
      signedInPage(browser, service),
    ]);
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-journey-'));
    await mkdir(path.join(folder, 'glaciers/2026'), { recursive: true });
    await writeFile(path.join(folder, 'glaciers/README.md'), '# Glaciers\n\nHow far they reach.');
    await writeFile(path.join(folder, 'glaciers/2026/length.csv'), 'name,metres\nNigardsbreen,9600\n');
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
    await rm(folder, { recursive: true, force: true });
  });

  test('signs in, creates an account, and sees the next step', async () => {
    await vera.goto(`${service.apiUrl}/-/console`);
    await signUp(vera, 'vera');
    await vera.getByRole('heading', { name: 'Publish your first file' }).waitFor();
    expect(await steps()).toEqual(['done', 'done', 'next', '', '']);
  });

  test('creates a repository and uploads a folder', async () => {
    await vera.getByRole('link', { name: 'Create repository' }).click();
    await vera.getByLabel('Title').fill('Glaciers');
    await vera.getByLabel('Repository ID').fill('glaciers');
    await vera.getByLabel('Visibility').selectOption('private');
    await vera.getByRole('button', { name: 'Create repository' }).click();
    await vera.getByRole('heading', { name: 'Glaciers' }).waitFor();
    await vera.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Dashboard' }).click();
    await vera.locator('.steps').getByRole('link', { name: 'Upload files' }).click();
    await vera.getByText('There are no files here yet').waitFor();
    const sending = Promise.withResolvers<void>();
    await vera.route('**/*', async (route) => {
      if (route.request().method() === 'PUT') await sending.promise;
      await route.continue();
    });
    await vera.getByLabel('Upload folder').setInputFiles(path.join(folder, 'glaciers'));
    await vera.getByRole('dialog').getByRole('button', { name: 'Upload' }).click();
    await vera.getByText('Uploaded files appear here.').waitFor();
    expect(await vera.getByText('There are no files here yet').count()).toBe(0);
    sending.resolve();
    await vera.getByText('2 files uploaded').waitFor();
    await vera.getByText('The storage confirmed the checksum of every file.').waitFor();
    await vera.unroute('**/*');
  });

  test('invites a colleague, who accepts and adds a file', async () => {
    await otto.goto(`${service.apiUrl}/-/console`);
    await signUp(otto, 'otto');
    await otto.getByRole('heading', { name: 'Publish your first file' }).waitFor();
    await vera.getByRole('link', { name: 'People', exact: true }).click();
    await vera.getByText('Invite a member', { exact: true }).click();
    await vera.getByLabel('Account ID').fill('otto');
    await vera.getByRole('group').filter({ hasText: 'Invite a member' }).getByLabel('Role').selectOption('write_data');
    await vera.getByRole('button', { name: 'Invite', exact: true }).click();
    await vera.getByText('otto is invited.').waitFor();
    await otto.reload();
    await otto.getByRole('button', { name: 'Accept the invitation to glaciers of vera' }).click();
    await otto.getByRole('link', { name: 'glaciers', exact: true }).click();
    await otto.getByRole('link', { name: 'Files', exact: true }).click();
    const file = { name: 'width.csv', mimeType: 'text/csv', buffer: Buffer.from('name,metres\n') };
    await otto.getByLabel('Upload files').setInputFiles(file);
    await otto.getByText('1 file uploaded').waitFor();
  });

  test('shares a folder with a reader without an account, who loses it when the link is revoked', async () => {
    await vera.getByRole('link', { name: 'Files', exact: true }).click();
    await vera.getByRole('link', { name: 'glaciers/' }).click();
    await vera.getByRole('link', { name: '2026/' }).click();
    await vera.getByRole('button', { name: 'Share a link' }).click();
    const dialog = vera.getByRole('dialog');
    await dialog.getByText('the folder glaciers/2026/').waitFor();
    await dialog.getByLabel('Note').fill('For the review');
    await dialog.getByRole('button', { name: 'Share link' }).click();
    await reader.goto(await dialog.locator('.secret code').innerText());
    await dialog.getByRole('button', { name: 'I have stored it' }).click();
    await reader.getByText('Shared with you by vera').waitFor();
    expect(reader.url()).not.toContain('#');
    await reader.getByRole('link', { name: 'length.csv' }).click();
    await reader.getByText('Nigardsbreen').first().waitFor();
    await reader.goBack();
    await reader.getByRole('heading', { name: '2026' }).waitFor();
    expect(await reader.getByRole('link', { name: '..' }).count()).toBe(0);
    await reader.goto(reader.url().replace(/[?].*|$/, '?path=glaciers/README.md'));
    await reader.getByRole('heading', { name: 'The link does not show this' }).waitFor();
    await vera.getByRole('link', { name: 'People', exact: true }).click();
    await vera
      .getByRole('row')
      .filter({ hasText: 'For the review' })
      .getByRole('button', { name: /^Revoke/ })
      .click();
    await vera.getByText('Revoked.').waitFor();
    await reader.reload();
    await reader.getByRole('heading', { name: 'This link does not work' }).waitFor();
  });

  test('invites a user without an account by a link, who signs up and accepts', async () => {
    await vera.getByText('Create an invitation link', { exact: true }).click();
    await vera.getByRole('button', { name: 'Create link' }).click();
    const dialog = vera.getByRole('dialog');
    const invitation = await dialog.locator('.secret code').innerText();
    await dialog.getByRole('button', { name: 'I have stored it' }).click();
    const ida = await signedInPage(browser, service);
    await ida.goto(invitation);
    await ida.getByText('You are invited').waitFor();
    expect(ida.url()).not.toContain('#');
    await signUp(ida, 'ida');
    await ida.getByText('invites you to').waitFor();
    await ida.getByRole('button', { name: 'Accept the invitation' }).click();
    await ida.getByRole('heading', { name: 'Glaciers' }).waitFor();
    await ida.context().close();
  });

  test('shares a link that expires and reads one file without a sign-in', async () => {
    await vera.getByRole('link', { name: 'Files', exact: true }).click();
    await vera.getByRole('link', { name: 'glaciers/' }).click();
    await vera.getByRole('button', { name: 'README.md' }).click();
    const dialog = vera.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Create link' }).click();
    link = await dialog.getByRole('textbox', { name: 'Copy link' }).inputValue();
    await dialog.getByText('Valid until').waitFor();
    await dialog.getByRole('button', { name: 'Close', exact: true }).click();
    expect((await reader.goto(link))?.status()).toBe(200);
    expect(await reader.locator('body').innerText()).toContain('How far they reach.');
    const other = await reader.goto(link.replace('README.md', '2026/length.csv'));
    expect(other?.status()).toBe(403);
  });

  test('makes the repository open and listed, which completes the steps', async () => {
    await openView(vera, `${service.apiUrl}/-/console`);
    await vera.getByRole('heading', { name: 'Accounts' }).waitFor();
    await untilQuiet(vera);
    expect(await vera.getByText('Publish your first file').count()).toBe(0);
    await openView(vera, `${service.apiUrl}/-/console/repositories/vera/glaciers/settings/visibility`);
    await vera.getByLabel('Visibility').selectOption('open');
    await vera.getByRole('button', { name: 'Save', exact: true }).click();
    await vera.getByText('Saved.').waitFor();
    await openView(vera, `${service.apiUrl}/-/console`);
    expect(await steps()).toEqual(['done', 'done', 'done', 'done', 'next']);
    await vera.getByText('It has no license yet').waitFor();
    await vera.getByRole('link', { name: 'List it' }).click();
    await vera.locator('select[name=state]:focus').waitFor();
    await vera.getByLabel('In the catalogue').selectOption('listed');
    await vera.getByText('Not saved yet: In the catalogue').waitFor();
    await vera.getByRole('button', { name: 'Save' }).click();
    await vera.getByText('Saved.').waitFor();
    await vera.getByRole('link', { name: 'Metadata' }).click();
    await vera.getByLabel('License', { exact: true }).selectOption('CC-BY-4.0');
    await vera.getByRole('button', { name: 'Save' }).click();
    await vera.getByText('Saved.').waitFor();
    await openView(vera, `${service.apiUrl}/-/console`);
    await vera.getByRole('heading', { name: 'Accounts' }).waitFor();
    await untilQuiet(vera);
    expect(await vera.getByText('Publish your first file').count()).toBe(0);
  });

  test('has readers without an account, also on a phone', async () => {
    await reader.setViewportSize({ width: 360, height: 740 });
    await reader.goto(`${service.apiUrl}/vera/glaciers`);
    await reader.getByRole('heading', { name: 'Glaciers' }).first().waitFor();
    await reader.getByRole('link', { name: 'glaciers/' }).first().click();
    await reader.getByRole('link', { name: 'README.md' }).first().click();
    await reader.getByText('How far they reach.').first().waitFor();
  });

  test('opens the setup of CI, and connects a client by a key, which is refused after its revocation', async () => {
    await vera.getByRole('link', { name: 'Connect your CI' }).click();
    await vera.getByText('New service account').click();
    await vera.getByLabel('Name').fill('nightly');
    await vera.getByRole('button', { name: 'Create service account' }).click();
    await vera.getByText('It can read only open data').waitFor();
    await vera.getByText('New key', { exact: true }).click();
    await vera.getByLabel('Label').fill('night');
    await vera.getByRole('button', { name: 'Create key' }).click();
    const dialog = vera.getByRole('dialog');
    const key = await dialog.locator('.secret code').innerText();
    await dialog.getByRole('button', { name: 'I have stored it' }).click();
    expect(await signsIn(key)).toBe(200);
    await vera.getByRole('button', { name: 'Revoke night' }).click();
    await dialog.getByLabel('Type night to confirm').fill('night');
    await dialog.getByRole('button', { name: 'Revoke key' }).click();
    await expect.poll(() => dialog.count()).toBe(0);
    service.advance(61);
    expect(await signsIn(key)).toBe(400);
    await openView(vera, `${service.apiUrl}/-/console`);
    await vera.getByRole('heading', { name: 'Accounts' }).waitFor();
    await untilQuiet(vera);
    expect(await vera.getByText('Connect your CI').count()).toBe(0);
  });

  test('removes the colleague, who then has only public access', async () => {
    await openView(vera, `${service.apiUrl}/-/console/repositories/vera/glaciers/settings/visibility`);
    await vera.getByLabel('Visibility').selectOption('private');
    await vera.getByRole('button', { name: 'Save', exact: true }).click();
    await vera.getByRole('dialog').getByRole('button', { name: 'Make private' }).click();
    await vera.getByText('Saved.').waitFor();
    await vera.getByRole('link', { name: 'People', exact: true }).click();
    await vera.getByRole('button', { name: 'Remove otto' }).click();
    await vera.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await vera.getByText('Ended').waitFor();
    // The reader's page still shows the files. After 301 seconds, the edge's cached authorization data has expired. The
    // reader's credentials, and any new ones, are then refused.
    service.advance(301);
    const late = { name: 'late.csv', mimeType: 'text/csv', buffer: Buffer.from('late') };
    await otto.getByLabel('Upload files').setInputFiles(late);
    await otto.getByRole('alert').first().waitFor();
    await openView(otto, `${service.apiUrl}/-/console`);
    expect(await otto.getByText('Shared repositories').count()).toBe(0);
    await openView(otto, `${service.apiUrl}/-/console/repositories/vera/glaciers/files`);
    await otto.getByText('you have no access').waitFor();
    expect(await otto.getByLabel('Upload files').count()).toBe(0);
    const asVera = await service.user('vera');
    expect((await asVera('GET', '/repositories/vera/glaciers/members')).body).toMatchObject([
      { account_id: 'otto', state: 'revoked' },
      { account_id: 'ida', state: 'member' },
    ]);
  });
});

/** Returns the status of an exchange with this key. */
async function signsIn(key: string): Promise<number> {
  const body = new URLSearchParams({
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: 'arn:aws:iam::vera--nightly:role/FullAccess',
    RoleSessionName: 'night',
    WebIdentityToken: key,
  });
  return (await fetch(`${service.dataUrl}/.sts`, { method: 'POST', body })).status;
}

/** Signs up on the issuer's page as a new user. */
async function signUp(page: Page, identity: string): Promise<void> {
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel(/A name that is not in the list/).fill(identity);
  await page.locator('.one-line button').click();
  await page.getByLabel('Account ID').fill(identity);
  await page.getByRole('button', { name: 'Create account' }).click();
}

/** Returns the completed first steps, and the first steps that have a link. */
async function steps(): Promise<string[]> {
  await vera.getByRole('heading', { name: 'Publish your first file' }).waitFor();
  return vera
    .locator('.steps li')
    .evaluateAll((items) =>
      items.map((item) => (item.matches('.done') ? 'done' : item.querySelector('a') ? 'next' : '')),
    );
}
