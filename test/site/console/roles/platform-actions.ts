import {
  type Action,
  accountView,
  click,
  closedAccount,
  confirm,
  confirmed,
  inView,
  links,
  named,
  ofAccount,
  organization,
  submitted,
  type Trier,
} from './action.ts';

const connectionView = ({ connection }: Trier) => `/data-connections/${connection}`;
const ofConnection = ({ connection }: Trier) => ({ connection });
const ofMate = ({ mate }: Trier) => ({ account: mate });
const ownView = ({ ownConnection }: Trier) => `/accounts/${organization}/storage/connections/${ownConnection}`;
const ofOwnConnection = ({ ownConnection }: Trier) => ({ connection: ownConnection });
const nothing = () => ({});
const connection = '/data-connections/{data_connection_id}';

/** Actions on the audit trail, on items without an account, and on accounts of others. */
export const platformActions: readonly Action[] = [
  ...links(accountView(''), ofAccount, {
    'see the audit trail': ['Audit trail', 'GET /accounts/{account_id}/audit-events'],
    'see the storage of an account': ['Storage', 'GET /accounts/{account_id}/data-connections'],
    'see the flags of an account': ['Flags', 'GET /accounts/{account_id}/flags'],
  }),
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
  ...links(() => '', nothing, { 'administer the site': ['Administration', 'POST /data-connections'] }),
  ...Object.entries({
    accounts: ['', 'Accounts'],
    'disabled-repositories': ['/disabled', 'Disabled repositories'],
    'data-connections': ['/connections', 'Data connections'],
    actions: ['/activity', 'Activity of administrators'],
  } as const).map(([list, [view, label]]) => ({
    name: `see the list of ${list}`,
    view: () => `/administration${view}`,
    button: () => ({ label }),
    operation: `GET /administration/${list}`,
    target: nothing,
  })),
  {
    name: 'make a data connection',
    view: () => '/administration/connections',
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
  ...inView(connectionView, ofConnection, [
    {
      name: 'test a data connection',
      button: named('Test reading'),
      operation: `POST ${connection}/test`,
      press: (page) => click(page, 'Test reading'),
    },
    {
      name: 'change a data connection',
      button: named('Save'),
      operation: `PUT ${connection}`,
      async press(page) {
        await page.getByLabel('Name', { exact: true }).fill('Named anew');
        await click(page, 'Save');
      },
    },
    {
      name: 'end writing to a data connection',
      button: named('Make read-only …'),
      operation: `DELETE ${connection}`,
      press: confirmed('Make read-only …', 'Make read-only'),
    },
  ]),
  {
    name: 'connect storage',
    view: accountView('/storage'),
    button: named('Connect storage', 'link'),
    operation: 'POST /accounts/{account_id}/data-connections',
    target: ofAccount,
    async press(page, { name }) {
      await page.getByRole('link', { name: 'Connect storage' }).click();
      const typed = {
        Bucket: `bucket-of-${name}`,
        Region: 'eu-west-1',
        'AWS account ID': '111122223333',
        'Connection ID': `connected-by-${name}`,
      };
      for (const [label, value] of Object.entries(typed)) await page.getByLabel(label, { exact: true }).fill(value);
      await click(page, 'Continue');
    },
  },
  ...inView(ownView, ofOwnConnection, [
    {
      name: 'test storage of an account',
      button: named('Test connection'),
      operation: `POST ${connection}/test`,
      press: (page) => click(page, 'Test connection'),
    },
    {
      name: 'change storage of an account',
      button: named('Save'),
      operation: `PUT ${connection}`,
      press: submitted('Change the settings', 'Name', () => 'Named anew', 'Save'),
    },
    {
      name: 'replace the credentials of storage of an account',
      button: named('Replace credentials'),
      operation: `PUT ${connection}`,
      async press(page) {
        await page.getByText('New credentials', { exact: true }).click();
        await page.getByLabel('Access key ID').fill('AKIDNEW');
        await page.getByLabel('Secret access key').fill('new-secret');
        await click(page, 'Replace credentials');
      },
    },
    {
      name: 'end writing to storage of an account',
      button: named('Make read-only …'),
      operation: `DELETE ${connection}`,
      press: confirmed('Make read-only …', 'Make read-only'),
    },
    {
      name: 'delete storage of an account',
      button: named('Delete …'),
      operation: `POST ${connection}/delete`,
      press: confirmed('Delete …', 'Delete connection'),
    },
  ]),
  ...inView(({ mate }) => `/accounts/${mate}/flags`, ofMate, [
    {
      name: 'set the flags of another',
      button: named('Save'),
      operation: 'PUT /accounts/{account_id}/flags',
      async press(page) {
        await page.getByRole('checkbox', { name: /Can create organizations/ }).check();
        await click(page, 'Save');
      },
    },
    {
      name: 'say how many repositories another may have',
      button: named('Set limit'),
      operation: 'PUT /accounts/{account_id}/repository-limit',
      press: submitted(undefined, 'Maximum number', () => '2000', 'Set limit'),
    },
  ]),
  {
    name: 'disable another',
    view: ({ mate }) => `/accounts/${mate}/settings/danger-zone`,
    button: named('Disable …'),
    operation: 'POST /accounts/{account_id}/disable',
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
    view: () => `/accounts/${closedAccount}/settings/danger-zone`,
    button: named('Enable again'),
    operation: 'POST /accounts/{account_id}/enable',
    target: () => ({ account: closedAccount }),
    press: (page) => click(page, 'Enable again'),
  },
];
