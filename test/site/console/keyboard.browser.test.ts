import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { emptyBucket } from '../../../lib/local/embedded-storage.ts';
import { signUp } from '../../functions/users.ts';
import { chromiumPath } from '../../service/chromium.ts';
import { type ConsolePages, openConsolePages } from '../../service/console-pages.ts';
import { type Keyboard, keyboardOf } from '../../service/keyboard.ts';
import { type SeededService, startSeededService } from '../../service/seeded-service.ts';

// A publisher's journey without a pointer. The test does not click, and only keys move the focus.

let service: SeededService;
let pages: ConsolePages;
let folder: string;
let page: Page;
let keys: Keyboard;

describe.skipIf(chromiumPath === undefined)('a publisher who uses only the keyboard', () => {
  beforeAll(async () => {
    [service, pages] = await Promise.all([startSeededService({ accountLoopbackEndpoints: true }), openConsolePages()]);
    await signUp(service, 'otto');
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-keyboard-'));
    await writeFile(path.join(folder, 'README.md'), '# Glaciers\n');
    page = await pages.newPage();
    keys = keyboardOf(page);
    // The file dialog belongs to the operating system, not to the page.
    page.on('filechooser', (chooser) => void chooser.setFiles(path.join(folder, 'README.md')));
  });
  afterAll(async () => {
    await pages?.close();
    await service?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const shown = (name: string) => page.getByRole('heading', { name }).first().waitFor();
  const said = (text: string) => page.getByText(text).first().waitFor();

  test('signs in and creates an account', async () => {
    await page.goto(`${service.apiUrl}/-/console`);
    await shown('Publish your data here');
    await keys.to('Sign in', 'Enter');
    await shown('Sign in');
    await keys.fill(/^A name that is not in the list/, 'kim', 'Enter');
    await shown('Create your account');
    await keys.fill('Account ID', 'kim', 'Enter');
    await keys.lands('Dashboard');
    await shown('Publish your first file');
  });

  test('creates a repository and uploads a file by the button', async () => {
    await keys.to('Create repository', 'Enter');
    await keys.lands('New repository');
    await said('Create repository');
    await keys.fill('Title', 'Glaciers');
    await keys.fill('Repository ID', 'glaciers');
    await keys.to('Visibility');
    await page.keyboard.type('Priv');
    await keys.to('Create repository', 'Space');
    await keys.lands('Overview');
    await keys.open('Files');
    await said('or drop files and folders');
    await keys.to('Upload files', 'Enter');
    await said('1 file uploaded');
    await keys.to('Done', 'Enter');
    await keys.lands('Files');
  });

  test('creates a link to a file', async () => {
    await page.getByRole('button', { name: 'README.md' }).waitFor();
    await keys.to('README.md', 'Enter');
    await said('Create link');
    await keys.to('Create link', 'Enter');
    await said('Valid until');
    await keys.to('Copy link', 'Escape');
    await keys.lands('README.md');
  });

  test('invites a user', async () => {
    await keys.open('People');
    await said('Invite a member');
    await keys.to('Invite a member', 'Enter');
    await keys.fill('Account ID', 'otto');
    await keys.to('Role', 'ArrowDown');
    await keys.to('Invite', 'Enter');
    await said('otto is invited.');
    await keys.lands('Invite a member');
    await page.getByRole('button', { name: 'Cancel invitation otto' }).waitFor();
    await keys.to('Cancel invitation otto');
  });

  test('creates a service account with a key, trusts a workflow, and revokes the key', async () => {
    await keys.open('kim', 'Repositories');
    await keys.open('Service accounts');
    await said('New service account');
    await keys.to('New service account', 'Space');
    await keys.fill('Name', 'nightly', 'Enter');
    await said('It can read only open data');
    await keys.lands('Service account');
    await keys.to('Trust a workflow', 'Enter');
    await keys.fill(/^Code repository/, 'kim/glaciers');
    await keys.fill('Branch', 'main', 'Enter');
    await shown('Settings for kim/glaciers');
    await page.keyboard.press('Escape');
    await keys.lands('Trust a workflow');
    await keys.to('New key', 'Enter');
    await keys.fill('Label', 'night', 'Enter');
    await shown('The key “night”');
    await keys.to('I have stored it', 'Enter');
    await keys.lands('New key');
    await keys.to('Revoke night', 'Enter');
    await shown('Revoke the key “night”?');
    await keys.fill('Type night to confirm', 'night', 'Enter');
    await said('The key “night” is revoked.');
    await keys.lands('Keys');
  });

  test('connects storage by a role, and creates a repository on it', async () => {
    const { endpoint, region } = service.storage;
    await keys.open('Storage');
    await said('Connect storage');
    await keys.to('Connect storage', 'Enter');
    await keys.lands('Connect storage');
    await keys.to('Amazon S3 tested with emulators');
    // In a group of radio buttons, the arrow keys choose a button.
    await page.keyboard.press('ArrowUp');
    await keys.to('AWS role recommended', 'Space');
    await keys.fill('Endpoint', endpoint);
    await keys.fill('Bucket', emptyBucket);
    await keys.fill('Region', region);
    await keys.fill('AWS account ID', '111122223333');
    await keys.fill('Name of the role', 'by-keyboard', 'Enter');
    await keys.lands('Storage connection');
    await said('Create the role in AWS');
    await keys.to('Test connection', 'Enter');
    await said('AWS does not let this connection assume the role.');
    const policy = await page.locator('pre[aria-label="Trust policy"]').textContent();
    const role = { Action: 'CreateRole', RoleName: 'by-keyboard', AssumeRolePolicyDocument: policy ?? '' };
    expect((await fetch(service.stsUrl, { method: 'POST', body: new URLSearchParams(role) })).status).toBe(200);
    await page.keyboard.press('Enter');
    await said('Nothing failed.');
    await keys.to('Create repository', 'Enter');
    await keys.lands('New repository');
    await keys.fill('Title', 'In my bucket', 'Enter');
    await keys.lands('Overview');
    await keys.open('kim', 'Repositories');
  });

  test('deletes the repository, and signs out', async () => {
    await keys.open('Repositories');
    // Content that is still loading has no tab stop yet.
    await page.getByRole('region', { name: 'Repositories' }).waitFor();
    await keys.to('Glaciers', 'Enter');
    await keys.lands('Overview');
    await keys.open('Settings', 'General');
    await keys.to('Danger zone', 'Enter');
    await said('Disable …');
    await keys.to('Disable …', 'Enter');
    await shown('Disable kim/glaciers?');
    await keys.to('Disable', 'Enter');
    await keys.lands('Disable or delete');
    await keys.to('Delete …', 'Enter');
    await shown('Delete kim/glaciers for good?');
    await keys.fill('Type kim/glaciers to confirm', 'kim/glaciers', 'Enter');
    await keys.lands('Done');
    await page.keyboard.press('Enter');
    await keys.lands('Repositories');
    await keys.open('Account menu of kim', null);
    await keys.to('Sign out', 'Enter');
    await page.waitForURL(`${service.apiUrl}/`);
  });

  test('sees the focus at every stop', () => {
    expect([...new Set(keys.unseen)]).toEqual([]);
    // The page first requests a disabled item, receives a 403, and then shows its record.
    expect(pages.complaints.filter((each) => !each.includes('403 (Forbidden)'))).toEqual([]);
  });
});
