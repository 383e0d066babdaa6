import type { Page } from 'playwright-core';
import { seedNames } from '../../../lib/local/seed.ts';
import { crowded } from './crowded-place.ts';
import type { View } from './views.ts';

const press = (name: string | RegExp) => async (page: Page) => {
  const button = page.locator('#console').getByRole('button', { name, exact: true }).first();
  await button.click();
};
const unfold = async (page: Page, name: string) => page.getByText(name, { exact: true }).click();

/** Changes the page's data through the API, and then saves the form. */
const saveTooLate =
  (method: string, path: string, body: object | string, fill: (page: Page) => Promise<void>) => async (page: Page) => {
    const answer = await page.evaluate(
      ([method, path, body]) =>
        fetch(`/api/v1${path}`, {
          method: method ?? '',
          headers: {
            authorization: `Bearer ${JSON.parse(sessionStorage.getItem('sluice.tokens') ?? '{}').access_token}`,
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

const person = `/accounts/${crowded.person}`;
const account = `/accounts/${crowded.organization}`;
const machine = `${account}/service-accounts/${crowded.machine}`;
const repository = `/repositories/${crowded.organization}/${crowded.repository}`;
const files = `/repositories/tide-institute/${seedNames.private_repository_id}/files`;
const laptop = 'my laptop';
const server = 'the server in the cellar';

/** Starts an upload that lasts as long as the page. */
async function upload(page: Page): Promise<void> {
  await page.route('**/*', (route) => (route.request().method() === 'PUT' ? undefined : route.continue()));
  const file = { name: 'new-readings.csv', mimeType: 'text/csv', buffer: Buffer.alloc(100_000) };
  await page.getByLabel('Upload files').setInputFiles(file);
}

interface Dialog {
  name: string;
  path: string;
  dialogOf: string;
  reach: (page: Page) => Promise<void>;
  as?: string;
  isLast?: true;
}

const all: readonly Dialog[] = [
  {
    name: 'leave',
    path: '',
    dialogOf: 'views/home.tsx',
    reach: async (page) =>
      page
        .getByRole('button', { name: /^Leave / })
        .first()
        .click(),
  },
  {
    name: 'accept-offer',
    path: '',
    as: crowded.newcomer,
    dialogOf: 'views/transfer-offer.tsx',
    reach: async (page) => page.getByRole('button', { name: /^Accept .*\// }).click(),
  },
  { name: 'remove-member', path: `${account}/people`, dialogOf: 'views/members.tsx', reach: press('Remove ada') },
  {
    name: 'leave-as-only-owner',
    path: `${account}/people`,
    dialogOf: 'views/members.tsx',
    reach: press(`Leave ${crowded.person}`),
  },
  {
    name: 'stale',
    path: `${person}/settings`,
    dialogOf: 'components/stale.tsx',
    reach: saveTooLate('PUT', `${person}/profile`, { location: `Bergen ${'Norway '.repeat(10)}` }, (page) =>
      page.getByLabel('Location').fill('Oslo'),
    ),
  },
  {
    name: 'leave-unsaved',
    path: `${person}/settings`,
    dialogOf: 'components/leave-dialog.tsx',
    reach: async (page) => {
      await page.getByLabel('Location').fill('Reykjavík');
      await page.getByRole('link', { name: 'Transfers' }).press('Enter');
    },
  },
  {
    name: 'disable-account',
    path: `${account}/settings`,
    dialogOf: 'views/account-settings.tsx',
    reach: press('Disable …'),
  },
  {
    name: 'delete-account',
    path: `${account}/settings`,
    dialogOf: 'views/account-settings.tsx',
    reach: press('Delete …'),
  },
  { name: 'disable-machine', path: machine, dialogOf: 'machines/endings.tsx', reach: press('Disable …') },
  { name: 'delete-machine', path: machine, dialogOf: 'machines/endings.tsx', reach: press('Delete …') },
  {
    name: 'remove-workflow',
    path: machine,
    dialogOf: 'machines/workflows.tsx',
    reach: async (page) => page.getByRole('button', { name: /^Remove repo:/ }).click(),
  },
  {
    name: 'ci-settings',
    path: machine,
    dialogOf: 'machines/workflows.tsx',
    reach: async (page) => page.getByRole('button', { name: /^CI settings/ }).click(),
  },
  {
    name: 'new-machine-key',
    path: machine,
    dialogOf: 'machines/new-key.tsx',
    reach: async (page) => {
      await unfold(page, 'New key');
      await page.getByLabel('Label').fill('a new one');
      await press('Create key')(page);
    },
  },
  {
    name: 'remove-grant',
    path: machine,
    dialogOf: 'machines/grants.tsx',
    reach: press(`Remove the grant of ${crowded.repository}`),
  },
  { name: 'end-machine-key', path: machine, dialogOf: 'machines/keys.tsx', reach: press(`Revoke ${server}`) },
  { name: 'key-expiry', path: machine, dialogOf: 'machines/keys.tsx', reach: press(`Expiry of ${server}`) },
  {
    name: 'end-api-key',
    path: `${account}/api-keys`,
    dialogOf: 'machines/api-keys.tsx',
    reach: press(`Revoke ${laptop}`),
  },
  {
    name: 'new-api-key',
    path: `${account}/api-keys`,
    dialogOf: 'machines/api-keys.tsx',
    reach: async (page) => {
      await unfold(page, 'New API key');
      await page.getByLabel('Name').fill('a new one');
      await press('Create key')(page);
    },
  },
  {
    name: 'close-repository',
    path: `${repository}/settings`,
    dialogOf: 'views/repository-endings.tsx',
    reach: async (page) => {
      await page.getByLabel('Visibility').selectOption('private');
      await press('Change')(page);
    },
  },
  {
    name: 'disable-repository',
    path: `${repository}/settings`,
    dialogOf: 'views/repository-endings.tsx',
    reach: press('Disable …'),
  },
  {
    name: 'delete-repository',
    path: `/repositories/${crowded.organization}/${crowded.disabled}/settings`,
    dialogOf: 'views/repository-endings.tsx',
    reach: press('Delete …'),
  },
  {
    name: 'repository-deleted',
    path: `/repositories/${crowded.organization}/${crowded.deleted}/settings`,
    dialogOf: 'views/repository-endings.tsx',
    isLast: true,
    reach: async (page) => {
      await press('Delete …')(page);
      const name = `${crowded.organization}/${crowded.deleted}`;
      await page.getByLabel(`Type ${name} to confirm`).fill(name);
      await page.getByRole('button', { name: 'Delete for good' }).click();
      await page.getByRole('dialog', { name: 'The repository is deleted' }).waitFor();
    },
  },
  {
    name: 'end-writing',
    path: `/data-connections/${crowded.connection}`,
    as: seedNames.admin.identity_id,
    dialogOf: 'platform/connection.tsx',
    reach: press('Make read-only …'),
  },
  {
    name: 'open-untested',
    path: `/data-connections/${crowded.connection}`,
    as: seedNames.admin.identity_id,
    dialogOf: 'platform/open-dialog.tsx',
    reach: async (page) => {
      await page.getByLabel('Who can create repositories on it').selectOption('');
      await press('Save')(page);
    },
  },
  { name: 'file', path: files, dialogOf: 'files/file-dialog.tsx', reach: press('readings.csv') },
  {
    name: 'move-file',
    path: files,
    dialogOf: 'files/move-dialog.tsx',
    reach: async (page) => {
      await page.getByLabel('Select readings.csv').check();
      await press('Move or rename')(page);
    },
  },
  {
    name: 'delete-file',
    path: files,
    dialogOf: 'files/delete-dialog.tsx',
    reach: async (page) => {
      await page.getByRole('checkbox').last().check();
      await press('Delete')(page);
    },
  },
  {
    name: 'review-upload',
    path: files,
    dialogOf: 'files/review-dialog.tsx',
    reach: async (page) => {
      const chosen = page.getByLabel('Upload files');
      await chosen.focus();
      await chosen.setInputFiles({ name: 'readings.csv', mimeType: 'text/csv', buffer: Buffer.from('a') });
    },
  },
  {
    name: 'remove-unfinished',
    path: files,
    dialogOf: 'files/remove-unfinished-dialog.tsx',
    reach: async (page) => page.getByRole('button', { name: /^Remove left-behind/ }).click(),
  },
  {
    name: 'cancel-upload',
    path: files,
    dialogOf: 'files/files-route.tsx',
    reach: async (page) => {
      await upload(page);
      await press('Cancel upload')(page);
    },
  },
];

/** Every dialog of the console, and other views that need a click. */
export const dialogs: readonly View[] = all.map(({ name, path, as = crowded.person, ...more }) => ({
  name: `dialog-${name}`,
  path: `/-/console${path}`,
  as,
  ...more,
}));
