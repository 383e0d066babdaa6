import type { Page } from 'playwright-core';
import { seedNames } from '../../../lib/local/seed.ts';
import { dialogs } from './console-dialogs.ts';
import { crowded } from './crowded-place.ts';
import type { View } from './views.ts';

/** A keyboard action, and the element that has the focus afterwards. */
export interface Act {
  view: View;
  act: (page: Page) => Promise<void>;
  /** The name of the focused element: the pressed button if it still exists, or else its container or the result. */
  then: string | RegExp;
}

const press = (name: string | RegExp) => (page: Page) =>
  page.locator('#console').getByRole('button', { name, exact: true }).first().press('Enter');

const confirm = (name: string, typed?: string) => async (page: Page) => {
  const dialog = page.getByRole('dialog');
  if (typed !== undefined) await dialog.getByLabel(/^Type .* to confirm$/).fill(typed);
  await dialog.getByRole('button', { name, exact: true }).press('Enter');
};

const unfold = (page: Page, name: string) => page.getByText(name, { exact: true }).press('Enter');

/** Completes one of the dialogs that the table of views lists. */
const completed = (dialog: string, act: Act['act'], then: Act['then']): Act => {
  const view = dialogs.find(({ name }) => name === `dialog-${dialog}`);
  if (view === undefined) throw new Error(`There is no dialog ${dialog}.`);
  return { view, act, then };
};

const done = (path: string, act: Act['act'], then: Act['then'], as: string = crowded.user): Act => ({
  view: { name: path, path: `/-/console${path}`, as },
  act,
  then,
});

const account = `/accounts/${crowded.organization}`;
const machine = `${account}/service-accounts/${crowded.machine}`;
const repository = `/repositories/${crowded.organization}/${crowded.repository}`;
const disabled = `${crowded.organization}/${crowded.disabled}`;
const files = `/repositories/tide-institute/${seedNames.private_repository_id}/files`;
const file = { name: 'more-readings.csv', mimeType: 'text/csv', buffer: Buffer.from('a') };

/** Actions in an order that the data allow. Some dialogs close only by their own button. */
export const acts: readonly Act[] = [
  // Elements that are not removed by an action, but rendered again.
  done(
    `/accounts/${crowded.user}/settings`,
    async (page) => {
      await page.getByLabel('Location').fill('Tromsø');
      await page.getByLabel('Location').press('Enter');
      await page.getByText('Saved.').waitFor();
    },
    'Location',
  ),
  done(
    `/accounts/${crowded.user}/settings`,
    async (page) => {
      await page.getByLabel('About').fill('A new text');
      await page.getByRole('button', { name: 'Save', exact: true }).press('Enter');
      await page.getByText('Saved.').waitFor();
    },
    'About',
  ),
  done(
    `/accounts/${crowded.user}/settings`,
    async (page) => {
      await page.getByLabel('About').fill('Another text');
      await page.getByRole('button', { name: 'Discard', exact: true }).press('Enter');
    },
    'About',
  ),
  completed('stale', confirm('Save my changes'), 'Location'),
  completed('key-expiry', confirm('Change'), 'Expiry of the server in the cellar'),
  completed('new-machine-key', confirm('I have stored it'), 'New key'),
  completed('new-api-key', confirm('I have stored it'), 'New API key'),
  completed('invitation-link', confirm('I have stored it'), 'Create an invitation link'),
  completed('data-link', confirm('I have stored it'), 'Share a link'),
  completed('leave-unsaved', confirm('Stay'), 'Transfers'),
  completed('ci-settings', confirm('Close'), /^CI settings of /),
  completed('close-repository', confirm('Make private'), 'Visibility'),
  completed('transfer-repository', confirm('Cancel'), 'Transfer …'),
  completed('end-sessions', confirm('End sessions'), `End sessions of ${crowded.leakedKey}`),
  completed('federated-only-machine', confirm('Turn on'), 'Apply'),
  completed(
    'withdraw-version',
    async (page) => {
      await page.getByRole('dialog').getByLabel('Reason').fill('An error');
      await confirm('Withdraw')(page);
    },
    'Version',
  ),
  completed('federated-only-repository', confirm('Turn on'), /^Federated-only writes/),
  completed('leave-as-only-owner', confirm('Close'), `Leave ${crowded.user}`),
  completed('open-untested', confirm('Open without test'), 'Save'),
  completed('choose-account', confirm('Close dialog'), 'Create repository …'),
  completed('file', confirm('Close'), 'readings.csv'),
  completed('share-link', confirm('Cancel'), 'Share a link'),
  completed('review-upload', confirm('Replace it'), 'Upload files'),
  // Items that are removed from a list.
  completed('end-machine-key', confirm('Revoke key', 'the server in the cellar'), 'Keys'),
  completed('end-api-key', confirm('Revoke key', 'my laptop'), 'API keys'),
  completed('remove-member', confirm('Remove'), /^People of /),
  done('', press(/^Reject the invitation to /), 'Invitations', crowded.newcomer),
  done(machine, press(/^Replace /), /^Replace “.*” without downtime$/),
  done(
    machine,
    async (page) => {
      await press(/^Replace /)(page);
      await press('Continue later')(page);
    },
    'Keys',
  ),
  completed('stop-file-deletion', confirm('Stop'), 'Files being deleted'),
  // A list that contains only one item.
  done(`/accounts/${crowded.user}/settings/blocked-accounts`, press(`Unblock ${crowded.newcomer}`), 'Blocked accounts'),
  completed('delete-issuer', confirm('Delete'), 'Issuers of workloads'),
  completed('remove-workflow', confirm('Remove'), 'Trusted workflows'),
  done(
    machine,
    async (page) => {
      await unfold(page, 'Trust a workflow');
      await page.getByLabel(/^Code repository/).fill('owner/code');
      await page.getByLabel('Branch').fill('main');
      await page.getByLabel('Branch').press('Enter');
      await confirm('Close')(page);
    },
    'Trust a workflow',
  ),
  completed('remove-grant', confirm('Remove'), 'Access'),
  completed('remove-unfinished', confirm('Remove'), 'Files'),
  done(
    files,
    async (page) => {
      await page.getByLabel('Upload files').setInputFiles(file);
      await page.getByText('1 file uploaded').waitFor();
      await press('Done')(page);
    },
    'Files',
  ),
  completed(
    'move-file',
    async (page) => {
      await page.getByLabel('New path in this repository').fill('renamed.csv');
      await confirm('Move or rename')(page);
      await page.getByText('1 file moved').waitFor();
    },
    'Files',
  ),
  completed(
    'delete-file',
    async (page) => {
      const name = await page.getByRole('dialog').locator('.notes .path').innerText();
      await confirm('Delete', name)(page);
      await page.getByText('1 file deleted').waitFor();
    },
    'Files',
  ),
  done(files, (page) => page.locator('.folder a').first().press('Enter'), 'Files'),
  // After this action, the page uploads no files.
  completed('cancel-upload', confirm('Cancel upload'), 'Files'),
  // Actions that disable a resource, each followed by the action that enables the resource again.
  completed('disable-machine', confirm('Disable'), 'Disable or delete'),
  done(machine, press('Enable again'), 'Disable or delete'),
  completed(
    'delete-machine',
    confirm('Delete for good', `${crowded.organization}--${crowded.machine}`),
    'Service accounts',
  ),
  completed('disable-repository', confirm('Disable'), 'Disable or delete'),
  done(`${repository}/settings/danger-zone`, press('Enable again'), 'Disable or delete'),
  completed(
    'delete-repository',
    async (page) => {
      await confirm('Delete for good', disabled)(page);
      await confirm('Done')(page);
    },
    'Repositories',
  ),
  completed('delete-account', confirm('Delete for good', crowded.organization), /disable it first/),
  completed('disable-account', confirm('Disable'), 'Disable or delete'),
  done(`${account}/settings/danger-zone`, press('Enable again'), 'Disable or delete'),
  completed('make-storage-read-only', confirm('Make read-only'), 'Stop or delete'),
  completed('delete-storage', confirm('Delete connection'), 'Storage'),
  completed('end-writing', confirm('Make read-only'), 'Data connection'),
  completed('leave', confirm('Leave'), 'Accounts'),
  completed('accept-offer', confirm('Accept repository'), 'Dashboard'),
  done(
    '',
    async (page) => {
      await page.getByLabel('Account ID').fill('linus');
      await page.getByLabel('Account ID').press('Enter');
    },
    'Dashboard',
    'linus',
  ),
];
