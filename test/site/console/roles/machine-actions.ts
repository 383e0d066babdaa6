import type { Page } from 'playwright-core';
import {
  type Action,
  accountView,
  click,
  confirm,
  named,
  ofAccount,
  ofRepository,
  organization,
  repositoryView,
  type Trier,
} from './action.ts';

const machineView = ({ machine }: Trier) => `/accounts/${organization}/service-accounts/${machine}`;
const ofMachine = ({ machine }: Trier) => ({ account: `${organization}--${machine}` });
const subjectOf = ({ machine }: Trier) => `repo:harbour/${machine}:ref:refs/heads/main`;
const unfold = async (page: Page, name: string) => page.getByText(name, { exact: true }).click();
const machine = '/service-accounts/{service_account_id}';

/** Deletes or ends the existing item with this name. */
async function end(page: Page, name: string): Promise<void> {
  await click(page, `Revoke ${name}`);
  await page.getByLabel(`Type ${name} to confirm`).fill(name);
  await confirm(page, 'Revoke key');
}

function ofApiKeys(of: 'account' | 'repository'): readonly Action[] {
  const path =
    of === 'account' ? '/accounts/{account_id}/api-keys' : '/repositories/{account_id}/{repository_id}/api-keys';
  const view = of === 'account' ? accountView('/api-keys') : repositoryView('/api-keys');
  const target = of === 'account' ? ofAccount : ofRepository;
  const nameOf = ({ name }: Trier) => `${of} key of ${name}`;
  return [
    {
      name: `make an API key of ${of === 'account' ? 'an account' : 'a repository'}`,
      view,
      button: named('Create key'),
      operation: `POST ${path}`,
      target,
      async press(page) {
        await unfold(page, 'New API key');
        await page.getByLabel('Name').fill('laptop');
        await click(page, 'Create key');
        await confirm(page, 'I have stored it');
      },
    },
    {
      name: `end an API key of ${of === 'account' ? 'an account' : 'a repository'}`,
      view,
      button: (trier) => ({ role: 'button', name: `Revoke ${nameOf(trier)}` }),
      operation: 'DELETE /api-keys/{access_key_id}',
      // The account and the repository come from the list that contains the item.
      target: (trier) => ({ ...target(trier), key: nameOf(trier) }),
      shownBy: `GET ${path}`,
      press: (page, trier) => end(page, nameOf(trier)),
    },
  ];
}

/** Actions on service accounts and on keys of every kind. */
export const machineActions: readonly Action[] = [
  {
    name: 'make a service account',
    view: accountView('/service-accounts'),
    button: named('Create service account'),
    operation: 'POST /accounts/{account_id}/service-accounts',
    target: ofAccount,
    async press(page, { name }) {
      await unfold(page, 'New service account');
      await page.getByLabel('Name').fill(`made-by-${name}`.slice(0, 40));
      await click(page, 'Create service account');
    },
  },
  {
    name: 'see a sign-in that was refused',
    view: machineView,
    button: named('Trust this workflow …'),
    operation: `GET ${machine}`,
    target: ofMachine,
  },
  {
    name: 'trust a workflow',
    view: machineView,
    button: named('Trust this subject'),
    operation: `POST ${machine}/trusted-workflows`,
    target: ofMachine,
    async press(page) {
      await unfold(page, 'Trust a workflow');
      await page.locator('#workflows').getByLabel('Code repository').fill('harbour/another');
      await page.getByLabel('Branch', { exact: true }).fill('main');
      await click(page, 'Trust this subject');
    },
  },
  {
    name: 'remove a trusted workflow',
    view: machineView,
    button: (trier) => ({ role: 'button', name: `Remove ${subjectOf(trier)}` }),
    operation: `DELETE ${machine}/trusted-workflows/{workflow_id}`,
    target: ofMachine,
    async press(page, trier) {
      await click(page, `Remove ${subjectOf(trier)}`);
      await confirm(page, 'Remove');
    },
  },
  {
    name: 'grant a repository',
    view: machineView,
    button: named('Grant'),
    operation: `PUT ${machine}/grants/{repository_id}`,
    target: ofMachine,
    async press(page, { repository }) {
      await unfold(page, 'Grant a repository');
      await page.getByLabel('Repository', { exact: true }).first().fill(repository);
      await click(page, 'Grant');
    },
  },
  {
    name: 'change a grant',
    view: machineView,
    button: ({ disabled }) => ({ label: `Access to ${disabled}` }),
    operation: `PUT ${machine}/grants/{repository_id}`,
    target: ofMachine,
    async press(page, { disabled }) {
      await page.getByLabel(`Access to ${disabled}`).selectOption('read_write');
    },
  },
  {
    name: 'remove a grant',
    view: machineView,
    button: ({ disabled }) => ({ role: 'button', name: `Remove the grant of ${disabled}` }),
    operation: `DELETE ${machine}/grants/{repository_id}`,
    target: ofMachine,
    async press(page, { disabled }) {
      await click(page, `Remove the grant of ${disabled}`);
      await confirm(page, 'Remove');
    },
  },
  {
    name: 'make a key of a service account',
    view: machineView,
    button: named('Create key'),
    operation: `POST ${machine}/keys`,
    target: ofMachine,
    async press(page) {
      await unfold(page, 'New key');
      await page.getByLabel('Label').fill('new');
      await click(page, 'Create key');
      await confirm(page, 'I have stored it');
    },
  },
  {
    name: 'replace a key of a service account',
    view: machineView,
    button: named('Replace old'),
    operation: `POST ${machine}/keys`,
    target: ofMachine,
  },
  {
    name: 'change when a key expires',
    view: machineView,
    button: named('Expiry of old'),
    operation: `PUT ${machine}/keys/{key_id}/expiry`,
    target: ofMachine,
    async press(page) {
      await click(page, 'Expiry of old');
      await confirm(page, 'Change');
    },
  },
  {
    name: 'end a key of a service account',
    view: machineView,
    button: named('Revoke old'),
    operation: `DELETE ${machine}/keys/{key_id}`,
    target: ofMachine,
    press: (page) => end(page, 'old'),
  },
  {
    name: 'see the settings of a client',
    view: machineView,
    button: () => ({ label: 'Your software' }),
    operation: `GET ${machine}/client-settings`,
    target: ofMachine,
  },
  {
    name: 'describe a service account',
    view: machineView,
    button: named('Save'),
    operation: `PATCH ${machine}`,
    target: ofMachine,
    async press(page) {
      await page.getByLabel('Description').fill('Described');
      await click(page, 'Save');
    },
  },
  {
    name: 'disable a service account',
    view: machineView,
    button: named('Disable …'),
    operation: `POST ${machine}/disable`,
    target: ofMachine,
    async press(page) {
      await click(page, 'Disable …');
      await confirm(page, 'Disable');
      await page.getByRole('button', { name: 'Enable again' }).waitFor();
    },
  },
  {
    name: 'enable a service account',
    view: machineView,
    button: named('Enable again'),
    operation: `POST ${machine}/enable`,
    target: ofMachine,
    follows: true,
    press: (page) => click(page, 'Enable again'),
  },
  {
    name: 'delete a service account',
    view: machineView,
    button: named('Delete …'),
    operation: `DELETE ${machine}`,
    target: ofMachine,
    async press(page, trier) {
      const { account } = ofMachine(trier);
      await click(page, 'Delete …');
      await page.getByLabel(`Type ${account} to confirm`).fill(account);
      await confirm(page, 'Delete for good');
    },
  },
  ...ofApiKeys('account'),
  ...ofApiKeys('repository'),
];
