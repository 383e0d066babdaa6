import {
  type Action,
  accountView,
  click,
  confirm,
  confirmed,
  disabledView,
  inView,
  links,
  named,
  ofAccount,
  ofDisabled,
  ofOwn,
  ofRepository,
  organization,
  ownView,
  repositoryView,
  submitted,
  type Trier,
} from './action.ts';
import { machineActions } from './machine-actions.ts';
import { platformActions } from './platform-actions.ts';

const members = '/accounts/{account_id}/members';
const repository = '/repositories/{account_id}/{repository_id}';

const linkOf = ({ name }: Trier) => `the link of ${name} for a reader`;

/** Actions on the invitation links of an account or a repository. */
const linkActions = (view: Action['view'], target: Action['target'], path: string): Action[] =>
  inView(view, target, [
    {
      name: `create a link at ${path}`,
      button: named('Create link'),
      operation: `POST ${path}`,
      input: { role: 'read_data' },
      async press(page) {
        await page.getByText('Create an invitation link', { exact: true }).click();
        await click(page, 'Create link');
        await confirm(page, 'I have stored it');
      },
    },
    {
      name: `revoke a link at ${path}`,
      button: (trier) => ({ role: 'button', name: `Revoke ${linkOf(trier)}` }),
      operation: `DELETE ${path}/{invitation_link_id}`,
      input: { role: 'read_data' },
      follows: true,
      press: (page, trier) => click(page, `Revoke ${linkOf(trier)}`),
    },
  ]);

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
  ...links(accountView(''), ofAccount, {
    'see the people of an account': ['People', `GET ${members}`],
    'see service accounts': ['Service accounts', 'GET /accounts/{account_id}/service-accounts'],
    'see the API keys of an account': ['API keys', 'GET /accounts/{account_id}/api-keys'],
    'see transfers': ['Transfers', 'GET /accounts/{account_id}/transfers'],
  }),
  {
    name: 'invite somebody to an account',
    view: accountView('/people'),
    button: named('Invite', 'button'),
    operation: `POST ${members}`,
    target: ofAccount,
    input: { role: 'read_data' },
    press: submitted('Invite a member', 'Account ID', ({ mate }) => mate, 'Invite'),
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
          press: confirmed((trier) => `Cancel invitation ${nameOf(trier)}`, 'Cancel invitation'),
        }),
      },
    ];
  }),
  {
    name: 'change the profile',
    view: accountView('/settings'),
    button: () => ({ label: 'Location' }),
    operation: 'PUT /accounts/{account_id}/profile',
    target: ofAccount,
    press: submitted(undefined, 'Location', ({ name }) => `At ${name}`, 'Save'),
  },
  ...links(repositoryView(''), ofRepository, {
    // An administrator who may manage the repository but not read it sees its record.
    'look at a repository that is not open': ['Overview', [`GET ${repository}/overview`, `GET ${repository}`]],
    'see the files': ['Files', 'read'],
    'see the API keys of a repository': ['API keys', `GET ${repository}/api-keys`],
    'see the versions': ['Versions', `GET ${repository}/versions`],
  }),
  ...inView(repositoryView(''), ofRepository, [
    {
      name: 'count the files',
      button: named('Count now'),
      operation: `POST ${repository}/inventory`,
      press: (page) => click(page, 'Count now'),
    },
    {
      name: 'create a README',
      button: named('Create a README', 'link'),
      operation: 'write',
      async press(page) {
        await page.getByRole('link', { name: 'Create a README' }).click();
        await click(page, 'Save README');
      },
    },
    {
      name: 'edit the README',
      button: named('Edit the README', 'link'),
      operation: 'write',
      follows: true,
      async press(page) {
        await page.getByRole('link', { name: 'Edit the README' }).click();
        await page.getByLabel('README.md').fill('# Changed');
        await click(page, 'Save README');
      },
    },
  ]),
  ...inView(repositoryView('/versions'), ofRepository, [
    {
      name: 'create a version',
      button: named('Create version'),
      operation: `POST ${repository}/versions`,
      press: submitted('Create a version', 'Name', ({ name }) => `by-${name}`, 'Create version'),
    },
  ]),
  ...inView(repositoryView('/versions/v1'), ofRepository, [
    {
      name: 'withdraw a version',
      button: named('Withdraw …'),
      operation: `POST ${repository}/versions/{version_name}/withdraw`,
      follows: true,
    },
    {
      name: 'verify a version',
      button: named('Verify this version'),
      operation: `POST ${repository}/versions/{version_name}/verify`,
      follows: true,
    },
    {
      name: 'set the DOI of a version',
      button: named('Save DOI'),
      operation: `PUT ${repository}/versions/{version_name}/doi`,
      follows: true,
    },
    {
      name: 'register a DOI',
      button: named('Register a DOI with DataCite'),
      operation: `POST ${repository}/versions/{version_name}/doi/register`,
      follows: true,
    },
  ]),
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
    press: submitted('Invite a member', 'Account ID', ({ mate }) => mate, 'Invite'),
  },
  ...linkActions(accountView('/people'), ofAccount, '/accounts/{account_id}/invitation-links'),
  ...linkActions(repositoryView('/people'), ofRepository, `${repository}/invitation-links`),
  ...inView(repositoryView('/people'), ofRepository, [
    {
      name: 'share a link to data',
      button: named('Share link'),
      operation: `POST ${repository}/links`,
      press: submitted('Share a link', 'Note', ({ name }) => `of ${name}`, 'Share link'),
    },
    {
      name: 'revoke a link to data',
      button: ({ name }) => ({ role: 'button', name: `Revoke of ${name}` }),
      operation: `DELETE ${repository}/links/{link_id}`,
      follows: true,
      press: (page, { name }) => click(page, `Revoke of ${name}`),
    },
  ]),
  ...inView(repositoryView('/settings'), ofRepository, [
    {
      name: 'describe a repository',
      button: () => ({ label: 'Description' }),
      operation: `PUT ${repository}`,
      press: submitted(undefined, 'Description', ({ name }) => `By ${name}`, 'Save'),
    },
  ]),
  ...inView(repositoryView('/settings/visibility'), ofRepository, [
    {
      name: 'change who reads it',
      button: () => ({ label: 'Visibility' }),
      operation: `PUT ${repository}/data-mode`,
      async press(page) {
        await page.getByLabel('Visibility').selectOption('subscription');
        await click(page, 'Save');
      },
    },
  ]),
  ...inView(repositoryView('/settings/writing'), ofRepository, [
    {
      name: 'change who writes to it',
      button: () => ({ label: 'Federated-only writes' }),
      operation: `PATCH ${repository}/settings`,
      async press(page) {
        await page.getByLabel('Federated-only writes').check();
        await click(page, 'Save');
        await confirm(page, 'Turn on');
      },
    },
  ]),
  ...inView(repositoryView('/settings/front-page'), ofRepository, [
    {
      name: 'feature it on the front page',
      button: () => ({ label: 'Order on the front page' }),
      operation: `PUT ${repository}/featured`,
      press: submitted(undefined, 'Order on the front page', () => '1', 'Save'),
    },
  ]),
  ...inView(repositoryView('/settings/storage'), ofRepository, [
    {
      name: 'see where the files are stored',
      button: named('Copy the location in the storage'),
      operation: `GET ${repository}`,
    },
  ]),
  ...inView(repositoryView('/settings/danger-zone'), ofRepository, [
    {
      name: 'offer a repository',
      button: named('Transfer …'),
      operation: `POST ${repository}/transfers`,
      async press(page, { mate }) {
        await page.getByLabel('Account ID').fill(mate);
        await click(page, 'Transfer …');
        await confirm(page, 'Send transfer request');
      },
    },
    {
      name: 'disable a repository',
      button: named('Disable …'),
      operation: `POST ${repository}/disable`,
      press: confirmed('Disable …', 'Disable'),
    },
  ]),
  ...inView(disabledView, ofDisabled, [
    {
      name: 'delete a disabled repository',
      button: named('Delete …'),
      operation: `POST ${repository}/delete`,
    },
    {
      name: 'enable a repository',
      button: named('Enable again'),
      operation: `POST ${repository}/enable`,
      press: (page) => click(page, 'Enable again'),
    },
  ]),
  ...inView(accountView('/settings/danger-zone'), ofAccount, [
    {
      name: 'delete an account',
      button: named('Delete …'),
      operation: 'POST /accounts/{account_id}/delete',
      status: 409,
      press: confirmed('Delete …', 'Delete for good', () => organization),
    },
    {
      name: 'disable an account',
      button: named('Disable …'),
      operation: 'POST /accounts/{account_id}/disable',
      async press(page) {
        await click(page, 'Disable …');
        await confirm(page, 'Disable');
        await page.getByRole('button', { name: 'Enable again' }).click();
        await page.getByRole('button', { name: 'Disable …' }).waitFor();
      },
    },
    {
      name: 'enable an account',
      button: named('Enable again'),
      operation: 'POST /accounts/{account_id}/enable',
      follows: true,
    },
  ]),
  ...inView(ownView('/settings/blocked-accounts'), ofOwn, [
    {
      name: 'block an account',
      button: named('Block'),
      operation: 'PUT /accounts/{account_id}/blocked-accounts/{blocked_account_id}',
      press: submitted('Block an account', 'Account ID', ({ mate }) => mate, 'Block'),
    },
  ]),
  ...inView(ownView('/settings/danger-zone'), ofOwn, [
    {
      name: 'disable one’s own account',
      button: named('Disable …'),
      operation: 'POST /accounts/{account_id}/disable',
    },
  ]),
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
    press: confirmed('Leave Harbour', 'Leave'),
  },
];
