import {
  type Action,
  accountView,
  click,
  confirm,
  disabledView,
  named,
  ofAccount,
  ofDisabled,
  ofOwn,
  ofRepository,
  organization,
  ownView,
  repositoryView,
  type Trier,
} from './action.ts';
import { machineActions } from './machine-actions.ts';
import { platformActions } from './platform-actions.ts';

const members = '/accounts/{account_id}/members';
const repository = '/repositories/{account_id}/{repository_id}';

/** Actions in the order of the test. Actions that delete or end something come last. */
export const actions: readonly Action[] = [
  ...machineActions,
  ...platformActions,
  {
    name: 'make a repository',
    view: accountView(''),
    button: named('New repository', 'link'),
    operation: 'POST /repositories/{account_id}',
    target: ofAccount,
    async press(page, { name }) {
      await page.getByRole('link', { name: 'New repository' }).click();
      await page.getByLabel('Title').fill('Made');
      await page.getByLabel('Repository ID').fill(`made-by-${name}`);
      await click(page, 'Create repository');
    },
  },
  {
    name: 'see the people of an account',
    view: accountView(''),
    button: named('People', 'link'),
    operation: `GET ${members}`,
    target: ofAccount,
  },
  {
    name: 'see service accounts',
    view: accountView(''),
    button: named('Service accounts', 'link'),
    operation: 'GET /accounts/{account_id}/service-accounts',
    target: ofAccount,
  },
  {
    name: 'see the API keys of an account',
    view: accountView(''),
    button: named('API keys', 'link'),
    operation: 'GET /accounts/{account_id}/api-keys',
    target: ofAccount,
  },
  {
    name: 'see transfers',
    view: accountView(''),
    button: named('Transfers', 'link'),
    operation: 'GET /accounts/{account_id}/transfers',
    target: ofAccount,
  },
  {
    name: 'invite somebody to an account',
    view: accountView('/people'),
    button: named('Invite', 'button'),
    operation: `POST ${members}`,
    target: ofAccount,
    input: { role: 'read_data' },
    async press(page, { mate }) {
      await page.getByText('Invite a member', { exact: true }).click();
      await page.getByLabel('Account ID').fill(mate);
      await click(page, 'Invite');
    },
  },
  ...(['boss', 'mate'] as const).flatMap((whom): Action[] => {
    const nameOf = (trier: Trier) => (whom === 'boss' ? 'boss' : trier.mate);
    const target = (trier: Trier) => ({
      ...ofAccount(),
      membershipOf: whom === 'boss' ? (['boss', 'member'] as const) : ([trier.mate, 'invited'] as const),
    });
    return [
      {
        name: `change the role of ${whom === 'boss' ? 'an owner' : 'another'}`,
        view: accountView('/people'),
        button: (trier) => ({ label: `Role of ${nameOf(trier)}` }),
        operation: 'POST /memberships/{membership_id}/update-role',
        target,
        input: { role: 'write_data' },
        shownBy: `GET ${members}`,
        ...(whom === 'mate' && {
          follows: true,
          press: async (page, trier) => {
            await page.getByLabel(`Role of ${nameOf(trier)}`).selectOption('write_data');
          },
        }),
      },
      {
        name: `remove ${whom === 'boss' ? 'an owner' : 'another'}`,
        view: accountView('/people'),
        button: (trier) => ({
          role: 'button',
          name: `${whom === 'boss' ? 'Remove' : 'Cancel invitation'} ${nameOf(trier)}`,
        }),
        operation: 'POST /memberships/{membership_id}/revoke',
        target,
        shownBy: `GET ${members}`,
        ...(whom === 'mate' && {
          follows: true,
          press: async (page, trier) => {
            await click(page, `Cancel invitation ${nameOf(trier)}`);
            await confirm(page, 'Cancel invitation');
          },
        }),
      },
    ];
  }),
  {
    name: 'change the profile',
    view: accountView('/settings'),
    button: named('Save'),
    operation: 'PUT /accounts/{account_id}/profile',
    target: ofAccount,
    press: (page) => click(page, 'Save'),
  },
  {
    name: 'look at a repository that is not open',
    view: repositoryView(''),
    button: named('Overview', 'link'),
    // A user who may manage the repository but not read it, such as an administrator, sees its record.
    operation: [`GET ${repository}/overview`, `GET ${repository}`],
    target: ofRepository,
  },
  {
    name: 'see the files',
    view: repositoryView(''),
    button: named('Files', 'link'),
    operation: 'read',
    target: ofRepository,
  },
  {
    name: 'see the API keys of a repository',
    view: repositoryView(''),
    button: named('API keys', 'link'),
    operation: `GET ${repository}/api-keys`,
    target: ofRepository,
  },
  {
    name: 'upload a file',
    view: repositoryView('/files'),
    button: () => ({ label: 'Upload files' }),
    operation: 'write',
    target: ofRepository,
    async press(page) {
      const file = { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('a') };
      await page.getByLabel('Upload files').setInputFiles(file);
    },
  },
  {
    name: 'invite somebody to a repository',
    view: repositoryView('/people'),
    button: named('Invite'),
    operation: `POST ${repository}/members`,
    target: ofRepository,
    input: { role: 'read_data' },
    async press(page, { mate }) {
      await page.getByText('Invite a member', { exact: true }).click();
      await page.getByLabel('Account ID').fill(mate);
      await click(page, 'Invite');
    },
  },
  {
    name: 'describe a repository',
    view: repositoryView('/settings'),
    button: named('Save'),
    operation: `PUT ${repository}`,
    target: ofRepository,
    press: (page) => click(page, 'Save'),
  },
  {
    name: 'change who reads it',
    view: repositoryView('/settings'),
    button: named('Change'),
    operation: `PUT ${repository}/data-mode`,
    target: ofRepository,
    async press(page) {
      await page.getByLabel('Visibility').selectOption('subscription');
      await click(page, 'Change');
    },
  },
  {
    name: 'offer a repository',
    view: repositoryView('/settings'),
    button: named('Send transfer request'),
    operation: `POST ${repository}/transfers`,
    target: ofRepository,
    async press(page, { mate }) {
      await page.getByLabel('Account ID').fill(mate);
      await click(page, 'Send transfer request');
    },
  },
  {
    name: 'disable a repository',
    view: repositoryView('/settings'),
    button: named('Disable …'),
    operation: `DELETE ${repository}`,
    target: ofRepository,
    async press(page) {
      await click(page, 'Disable …');
      await confirm(page, 'Disable');
    },
  },
  {
    name: 'delete a disabled repository',
    view: disabledView,
    button: named('Delete …'),
    operation: `POST ${repository}/delete`,
    target: ofDisabled,
  },
  {
    name: 'enable a repository',
    view: disabledView,
    button: named('Enable again'),
    operation: `POST ${repository}/enable`,
    target: ofDisabled,
    press: (page) => click(page, 'Enable again'),
  },
  {
    name: 'delete an account',
    view: accountView('/settings'),
    button: named('Delete …'),
    operation: 'POST /accounts/{account_id}/delete',
    target: ofAccount,
    status: 409,
    async press(page) {
      await click(page, 'Delete …');
      await page.getByLabel(`Type ${organization} to confirm`).fill(organization);
      await confirm(page, 'Delete for good');
    },
  },
  {
    name: 'disable an account',
    view: accountView('/settings'),
    button: named('Disable …'),
    operation: 'DELETE /accounts/{account_id}',
    target: ofAccount,
    async press(page) {
      await click(page, 'Disable …');
      await confirm(page, 'Disable');
      await page.getByRole('button', { name: 'Enable again' }).click();
      await page.getByRole('button', { name: 'Disable …' }).waitFor();
    },
  },
  {
    name: 'block an account',
    view: ownView('/settings'),
    button: named('Block'),
    operation: 'PUT /accounts/{account_id}/blocked-accounts/{blocked_account_id}',
    target: ofOwn,
    async press(page, { mate }) {
      await page.getByText('Block an account').click();
      await page.getByLabel('Account ID').fill(mate);
      await click(page, 'Block');
    },
  },
  {
    name: 'disable one’s own account',
    view: ownView('/settings'),
    button: named('Disable …'),
    operation: 'DELETE /accounts/{account_id}',
    target: ofOwn,
  },
  {
    name: 'found an organization',
    view: () => '',
    button: named('New organization', 'link'),
    operation: 'POST /accounts',
    target: () => ({}),
    input: { accountType: 'organization' },
    async press(page, { name }) {
      await page.getByRole('link', { name: 'New organization' }).click();
      await page.getByLabel('Account ID').fill(`founded-by-${name}`);
      await click(page, 'Create organization');
    },
  },
  ...(['accept', 'reject'] as const).map(
    (answer): Action => ({
      name: `${answer} an invitation`,
      view: () => '',
      button: named(`${answer === 'accept' ? 'Accept' : 'Reject'} the invitation to Harbour`),
      operation: `POST /memberships/{membership_id}/${answer}`,
      target: ({ name }) => ({ ...ofAccount(), membershipOf: [name, 'invited'] }),
      ...(answer === 'reject' && { press: (page) => click(page, 'Reject the invitation to Harbour') }),
    }),
  ),
  {
    name: 'leave an account',
    view: () => '',
    button: named('Leave Harbour'),
    operation: 'POST /memberships/{membership_id}/revoke',
    target: ({ name }) => ({ ...ofAccount(), membershipOf: [name, 'member'] }),
    async press(page) {
      await click(page, 'Leave Harbour');
      await confirm(page, 'Leave');
    },
  },
];
