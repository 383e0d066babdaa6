import { type Action, accountView, click, closedAccount, confirm, named, ofAccount, type Trier } from './action.ts';

const connectionView = ({ connection }: Trier) => `/data-connections/${connection}`;
const ofConnection = ({ connection }: Trier) => ({ connection });
const ofMate = ({ mate }: Trier) => ({ account: mate });
const nothing = () => ({});
const connection = '/data-connections/{data_connection_id}';

/** Actions on the audit trail, on items without an account, and on accounts of others. */
export const platformActions: readonly Action[] = [
  {
    name: 'see the audit trail',
    view: accountView(''),
    button: named('Audit trail', 'link'),
    operation: 'GET /accounts/{account_id}/audit-events',
    target: ofAccount,
  },
  {
    name: 'read the audit trail',
    view: accountView('/audit-trail'),
    button: () => ({ label: 'Audit trail' }),
    operation: 'GET /accounts/{account_id}/audit-events',
    target: ofAccount,
    async press(page) {
      await page.getByLabel('Event').selectOption('membership.invited');
      await click(page, 'Show');
      await page.getByRole('region', { name: 'Audit trail' }).waitFor();
    },
  },
  {
    name: 'see the flags of an account',
    view: accountView(''),
    button: named('Flags', 'link'),
    operation: 'GET /accounts/{account_id}/flags',
    target: ofAccount,
  },
  {
    name: 'administer the place',
    view: () => '',
    button: named('Administration', 'link'),
    operation: 'POST /data-connections',
    target: nothing,
  },
  {
    name: 'see data connections',
    view: () => '/data-connections',
    button: () => ({ label: 'Data connections' }),
    operation: 'GET /data-connections',
    target: nothing,
  },
  {
    name: 'make a data connection',
    view: () => '/data-connections',
    button: named('New data connection', 'link'),
    operation: 'POST /data-connections',
    target: nothing,
    async press(page, { name }) {
      await page.getByRole('link', { name: 'New data connection' }).click();
      const typed = {
        Name: 'Another store',
        'Connection ID': `made-by-${name}`,
        Region: 'eu-west-1',
        Bucket: 'some-bucket',
        'Base prefix': 'another/',
        'Access key ID': 'AKIDEXAMPLE',
        'Secret access key': 'storage-secret',
      };
      for (const [label, value] of Object.entries(typed)) await page.getByLabel(label, { exact: true }).fill(value);
      await click(page, 'Create connection');
    },
  },
  {
    name: 'test a data connection',
    view: connectionView,
    button: named('Test reading'),
    operation: `POST ${connection}/test`,
    target: ofConnection,
    press: (page) => click(page, 'Test reading'),
  },
  {
    name: 'change a data connection',
    view: connectionView,
    button: named('Save'),
    operation: `PUT ${connection}`,
    target: ofConnection,
    async press(page) {
      await page.getByLabel('Name', { exact: true }).fill('Named anew');
      await click(page, 'Save');
    },
  },
  {
    name: 'end writing to a data connection',
    view: connectionView,
    button: named('Make read-only …'),
    operation: `DELETE ${connection}`,
    target: ofConnection,
    async press(page) {
      await click(page, 'Make read-only …');
      await confirm(page, 'Make read-only');
    },
  },
  {
    name: 'set the flags of another',
    view: ({ mate }) => `/accounts/${mate}/flags`,
    button: named('Save'),
    operation: 'PUT /accounts/{account_id}/flags',
    target: ofMate,
    async press(page) {
      await page.getByRole('checkbox', { name: /create_organizations/ }).check();
      await click(page, 'Save');
    },
  },
  {
    name: 'say how many repositories another may have',
    view: ({ mate }) => `/accounts/${mate}/flags`,
    button: named('Set limit'),
    operation: 'PUT /accounts/{account_id}/repository-limit',
    target: ofMate,
    async press(page) {
      await page.getByLabel('Maximum number').fill('2000');
      await click(page, 'Set limit');
    },
  },
  {
    name: 'disable another',
    view: ({ mate }) => `/accounts/${mate}/settings`,
    button: named('Disable …'),
    operation: 'DELETE /accounts/{account_id}',
    target: ofMate,
    async press(page) {
      await click(page, 'Disable …');
      await confirm(page, 'Disable');
      await page.getByRole('button', { name: 'Enable again' }).click();
      await page.getByRole('button', { name: 'Disable …' }).waitFor();
    },
  },
  {
    name: 'enable another',
    view: () => `/accounts/${closedAccount}/settings`,
    button: named('Enable again'),
    operation: 'POST /accounts/{account_id}/enable',
    target: () => ({ account: closedAccount }),
    press: (page) => click(page, 'Enable again'),
  },
];
