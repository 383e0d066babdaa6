import type { Page } from 'playwright-core';
import { seedNames } from '../../../lib/local/seed.ts';
import { crowded } from './crowded-place.ts';
import type { View } from './views.ts';

const press = (name: string | RegExp) => async (page: Page) => {
  const button = page.locator('#console').getByRole('button', { name, exact: true }).first();
  await button.click();
};
const createKey = (form: string, field: string) => async (page: Page) => {
  await page.getByText(form, { exact: true }).click();
  await page.getByLabel(field).fill('a new one');
  await press('Create key')(page);
};

/** Changes the page's data through the API, and then saves the form. */
const saveTooLate =
  (method: string, path: string, body: object | string, fill: (page: Page) => Promise<void>) => async (page: Page) => {
    const answer = await page.evaluate(
      ([method, path, body]) =>
        fetch(`/api/v1${path}`, {
          method: method ?? '',
          headers: {
            authorization: `Bearer ${JSON.parse(localStorage.getItem('sluice.tokens') ?? '{}').access_token}`,
            'content-type': 'application/json',
          },
          body: body ?? '',
        }).then(({ status }) => status),
      [method, path, JSON.stringify(body)],
    );
    if (answer !== 200) throw new Error(`${method} ${path} answered ${answer}`);
    await fill(page);
    await page.getByRole('button', { name: 'Save', exact: true }).first().click();
  };

const user = `/accounts/${crowded.user}`;
const account = `/accounts/${crowded.organization}`;
const machine = `${account}/service-accounts/${crowded.machine}`;
const repository = `/repositories/${crowded.organization}/${crowded.repository}`;
const disabled = `${crowded.organization}/${crowded.disabled}`;
const deleted = `${crowded.organization}/${crowded.deleted}`;
const connection = `/data-connections/${crowded.connection}`;
const files = `/repositories/tide-institute/${seedNames.private_repository_id}/files`;
const laptop = 'my laptop';
const server = 'the server in the cellar';
const leaked = crowded.leakedKey;

/** Starts an upload that lasts as long as the page. */
async function upload(page: Page): Promise<void> {
  await page.route('**/*', (route) => (route.request().method() === 'PUT' ? undefined : route.continue()));
  const file = { name: 'new-readings.csv', mimeType: 'text/csv', buffer: Buffer.alloc(100_000) };
  await page.getByLabel('Upload files').setInputFiles(file);
}

type Reach = (page: Page) => Promise<void>;

/** Dialogs of one source file, which the same view shows. Each opens by the button with this name, or by `Reach`. */
const dialogsOf = (
  dialogOf: string,
  path: string,
  reaches: Readonly<Record<string, string | RegExp | Reach>>,
  { as = crowded.user, ...more }: { as?: string; isLast?: true } = {},
): View[] =>
  Object.entries(reaches).map(([name, reach]) => ({
    name: `dialog-${name}`,
    path: `/-/console${path}`,
    as,
    dialogOf,
    reach: typeof reach === 'function' ? reach : press(reach),
    ...more,
  }));

const administrator = { as: seedNames.admin.identity_id };

/** Every dialog of the console, and other views that need a click. */
export const dialogs: readonly View[] = [
  ...dialogsOf('dashboard/accounts.tsx', '', { leave: /^Leave / }),
  ...dialogsOf('dashboard/chosen-link.tsx', '', { 'choose-account': 'Create repository …' }),
  ...dialogsOf('views/transfer-offer.tsx', '', { 'accept-offer': /^Accept .*\// }, { as: crowded.newcomer }),
  ...dialogsOf('views/members.tsx', `${account}/people`, {
    'remove-member': 'Remove ada',
    'leave-as-only-owner': `Leave ${crowded.user}`,
  }),
  ...dialogsOf('views/links.tsx', `${account}/people`, {
    'invitation-link': async (page) => {
      await page.getByText('Create an invitation link', { exact: true }).click();
      await press('Create link')(page);
      await page.getByRole('dialog').waitFor();
    },
  }),
  ...dialogsOf('components/link-form.tsx', `${repository}/people`, {
    'data-link': async (page) => {
      await page.getByText('Share a link', { exact: true }).click();
      await page.getByLabel('Note').fill('For the survey office');
      await press('Share link')(page);
      await page.getByRole('dialog').waitFor();
    },
  }),
  ...dialogsOf('views/file-deletions.tsx', account, { 'stop-file-deletion': /^Stop deleting / }, administrator),
  ...dialogsOf('components/stale.tsx', `${user}/settings`, {
    stale: saveTooLate('PUT', `${user}/profile`, { location: `Bergen ${'Norway '.repeat(10)}` }, (page) =>
      page.getByLabel('Location').fill('Oslo'),
    ),
  }),
  ...dialogsOf('components/leave-dialog.tsx', `${user}/settings`, {
    'leave-unsaved': async (page) => {
      await page.getByLabel('Location').fill('Reykjavík');
      await page.getByRole('link', { name: 'Transfers' }).press('Enter');
    },
  }),
  ...dialogsOf('views/account-settings.tsx', `${account}/settings/danger-zone`, {
    'disable-account': 'Disable …',
    'delete-account': 'Delete …',
  }),
  ...dialogsOf('machines/issuers.tsx', `${account}/settings/issuers`, { 'delete-issuer': /^Delete https:/ }),
  ...dialogsOf('machines/endings.tsx', machine, {
    'disable-machine': 'Disable …',
    'delete-machine': 'Delete …',
    'federated-only-machine': async (page) => {
      await page.getByLabel('Federated-only writes').check();
      await press('Apply')(page);
      await page.getByRole('region', { name: 'Keys that can no longer write' }).waitFor();
    },
  }),
  ...dialogsOf('machines/workflows.tsx', machine, {
    'remove-workflow': /^Remove repo:/,
    'ci-settings': /^CI settings/,
  }),
  ...dialogsOf('machines/new-key.tsx', machine, { 'new-machine-key': createKey('New key', 'Label') }),
  ...dialogsOf('machines/grants.tsx', machine, { 'remove-grant': `Remove the grant of ${crowded.repository}` }),
  ...dialogsOf('machines/keys.tsx', machine, {
    'end-machine-key': `Revoke ${server}`,
    'end-sessions': `End sessions of ${leaked}`,
    'key-expiry': `Expiry of ${server}`,
  }),
  ...dialogsOf('machines/api-keys.tsx', `${account}/api-keys`, {
    'end-api-key': `Revoke ${laptop}`,
    'new-api-key': createKey('New API key', 'Name'),
  }),
  ...dialogsOf('views/version.tsx', `${repository}/versions/${crowded.version}`, { 'withdraw-version': 'Withdraw …' }),
  ...dialogsOf('views/repository-writing.tsx', `${repository}/settings/writing`, {
    'federated-only-repository': async (page) => {
      await page.getByLabel('Federated-only writes').check();
      await press('Save')(page);
      await page.getByRole('region', { name: 'Keys that can no longer write' }).waitFor();
    },
  }),
  ...dialogsOf('views/repository-settings.tsx', `${repository}/settings/visibility`, {
    'close-repository': async (page) => {
      await page.getByLabel('Visibility').selectOption('private');
      await press('Save')(page);
    },
  }),
  ...dialogsOf('views/repository-endings.tsx', `${repository}/settings/danger-zone`, {
    'transfer-repository': async (page) => {
      await page.getByLabel('Account ID').fill('ada');
      await press('Transfer …')(page);
      await page.getByRole('dialog').waitFor();
    },
    'disable-repository': 'Disable …',
  }),
  ...dialogsOf('views/repository-endings.tsx', `/repositories/${disabled}/settings/danger-zone`, {
    'delete-repository': 'Delete …',
  }),
  ...dialogsOf(
    'views/repository-endings.tsx',
    `/repositories/${deleted}/settings/danger-zone`,
    {
      'repository-deleted': async (page) => {
        await press('Delete …')(page);
        await page.getByLabel(`Type ${deleted} to confirm`).fill(deleted);
        await page.getByRole('button', { name: 'Delete for good' }).click();
        await page.getByRole('dialog', { name: 'The repository is deleted' }).waitFor();
      },
    },
    { isLast: true },
  ),
  ...dialogsOf('platform/connection.tsx', connection, { 'end-writing': 'Make read-only …' }, administrator),
  ...dialogsOf(
    'platform/open-dialog.tsx',
    connection,
    {
      'open-untested': async (page) => {
        await page.getByLabel('Who can create repositories on it').selectOption('');
        await press('Save')(page);
      },
    },
    administrator,
  ),
  ...dialogsOf('storage/manage.tsx', `${account}/storage/connections/${crowded.storageByRole}`, {
    'make-storage-read-only': 'Make read-only …',
    'delete-storage': 'Delete …',
  }),
  ...dialogsOf('files/file-dialog.tsx', files, { file: 'readings.csv' }),
  ...dialogsOf('files/share-dialog.tsx', files, { 'share-link': 'Share a link' }),
  ...dialogsOf('files/move-dialog.tsx', files, {
    'move-file': async (page) => {
      await page.getByLabel('Select readings.csv').check();
      await press('Move or rename')(page);
    },
  }),
  ...dialogsOf('files/delete-dialog.tsx', files, {
    'delete-file': async (page) => {
      await page.getByRole('checkbox').last().check();
      await press('Delete')(page);
    },
  }),
  ...dialogsOf('files/review-dialog.tsx', files, {
    'review-upload': async (page) => {
      const chosen = page.getByLabel('Upload files');
      await chosen.focus();
      await chosen.setInputFiles({ name: 'readings.csv', mimeType: 'text/csv', buffer: Buffer.from('a') });
    },
  }),
  ...dialogsOf('files/remove-unfinished-dialog.tsx', files, { 'remove-unfinished': /^Remove left-behind/ }),
  ...dialogsOf('files/files-route.tsx', files, {
    'cancel-upload': async (page) => {
      await upload(page);
      await press('Cancel upload')(page);
    },
  }),
];
