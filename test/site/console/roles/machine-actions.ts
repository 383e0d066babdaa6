import type { Page } from 'playwright-core';
import {
  type Action,
  accountView,
  click,
  confirm,
  confirmed,
  inView,
  named,
  ofAccount,
  ofRepository,
  organization,
  repositoryView,
  submitted,
  type Trier,
} from './action.ts';

const machineView = ({ machine }: Trier) => `/accounts/${organization}/service-accounts/${machine}`;
const ofMachine = ({ machine }: Trier) => ({ account: `${organization}--${machine}` });
const subjectOf = ({ machine }: Trier) => `repo:harbour/${machine}:ref:refs/heads/main`;
const unfold = async (page: Page, name: string) => page.getByText(name, { exact: true }).click();
const machine = '/service-accounts/{service_account_id}';
const issuerOf = ({ name }: Trier) => `https://${name}.tides.example`;

function ofApiKeys(of: 'account' | 'repository'): readonly Action[] {
  const path =
    of === 'account' ? '/accounts/{account_id}/api-keys' : '/repositories/{account_id}/{repository_id}/api-keys';
  const view = of === 'account' ? accountView('/api-keys') : repositoryView('/api-keys');
  const target = of === 'account' ? ofAccount : ofRepository;
  const nameOf = ({ name }: Trier) => `${of} key of ${name}`;
  return inView(view, target, [
    {
      name: `make an API key of ${of === 'account' ? 'an account' : 'a repository'}`,
      button: named('Create key'),
      operation: `POST ${path}`,
      async press(page) {
        await unfold(page, 'New API key');
        await page.getByLabel('Name').fill('laptop');
        await click(page, 'Create key');
        await confirm(page, 'I have stored it');
      },
    },
    {
      name: `end an API key of ${of === 'account' ? 'an account' : 'a repository'}`,
      button: (trier) => ({ role: 'button', name: `Revoke ${nameOf(trier)}` }),
      operation: 'DELETE /api-keys/{access_key_id}',
      // The list that contains the item shows its account and repository.
      target: (trier) => ({ ...target(trier), key: nameOf(trier) }),
      shownBy: `GET ${path}`,
      press: confirmed((trier) => `Revoke ${nameOf(trier)}`, 'Revoke key', nameOf),
    },
  ]);
}

/** Actions on service accounts and on keys of every kind. */
export const machineActions: readonly Action[] = [
  {
    name: 'make a service account',
    view: accountView('/service-accounts'),
    button: named('Create service account'),
    operation: 'POST /accounts/{account_id}/service-accounts',
    target: ofAccount,
    press: submitted('New service account', 'Name', ({ name }) => `made-by-${name}`, 'Create service account'),
  },
  ...inView(machineView, ofMachine, [
    {
      name: 'see a sign-in that was refused',
      button: named('Trust this workflow …'),
      operation: `GET ${machine}`,
    },
    {
      name: 'trust a workflow',
      button: named('Trust this subject'),
      operation: `POST ${machine}/trusted-workflows`,
      async press(page) {
        await unfold(page, 'Trust a workflow');
        await page.locator('#workflows').getByLabel('Code repository').fill('harbour/another');
        await page.getByLabel('Branch', { exact: true }).fill('main');
        await click(page, 'Trust this subject');
      },
    },
    {
      name: 'remove a trusted workflow',
      button: (trier) => ({ role: 'button', name: `Remove ${subjectOf(trier)}` }),
      operation: `DELETE ${machine}/trusted-workflows/{workflow_id}`,
      press: confirmed((trier) => `Remove ${subjectOf(trier)}`, 'Remove'),
    },
    {
      name: 'grant a repository',
      button: named('Grant'),
      operation: `PUT ${machine}/grants/{repository_id}`,
      async press(page, { repository }) {
        await unfold(page, 'Grant a repository');
        await page.getByLabel('Repository', { exact: true }).first().fill(repository);
        await click(page, 'Grant');
      },
    },
    {
      name: 'change a grant',
      button: ({ disabled }) => ({ label: `Access to ${disabled}` }),
      operation: `PUT ${machine}/grants/{repository_id}`,
      async press(page, { disabled }) {
        await page.getByLabel(`Access to ${disabled}`).selectOption('read_write');
      },
    },
    {
      name: 'remove a grant',
      button: ({ disabled }) => ({ role: 'button', name: `Remove the grant of ${disabled}` }),
      operation: `DELETE ${machine}/grants/{repository_id}`,
      press: confirmed(({ disabled }) => `Remove the grant of ${disabled}`, 'Remove'),
    },
    {
      name: 'make a key of a service account',
      button: named('Create key'),
      operation: `POST ${machine}/keys`,
      async press(page) {
        await unfold(page, 'New key');
        await page.getByLabel('Label').fill('new');
        await click(page, 'Create key');
        await confirm(page, 'I have stored it');
      },
    },
    {
      name: 'replace a key of a service account',
      button: named('Replace old'),
      operation: `POST ${machine}/keys`,
    },
    {
      name: 'change when a key expires',
      button: named('Expiry of old'),
      operation: `PUT ${machine}/keys/{key_id}/expiry`,
      async press(page) {
        await click(page, 'Expiry of old');
        await confirm(page, 'Change');
      },
    },
    {
      name: 'end a key of a service account',
      button: named('Revoke old'),
      operation: `DELETE ${machine}/keys/{key_id}`,
      press: confirmed('Revoke old', 'Revoke key', () => 'old'),
    },
    {
      name: 'see the settings of a client',
      button: () => ({ label: 'Your software' }),
      operation: `GET ${machine}/client-settings`,
    },
    {
      name: 'describe a service account',
      button: named('Save'),
      operation: `PATCH ${machine}`,
      press: submitted(undefined, 'Description', () => 'Described', 'Save'),
    },
    {
      name: 'change the settings of a service account',
      button: named('Apply'),
      operation: `PATCH ${machine}/settings`,
      async press(page) {
        await page.getByLabel('End sessions on revocation').check();
        await click(page, 'Apply');
      },
    },
    {
      name: 'disable a service account',
      button: named('Disable …'),
      operation: `POST ${machine}/disable`,
      async press(page) {
        await click(page, 'Disable …');
        await confirm(page, 'Disable');
        await page.getByRole('button', { name: 'Enable again' }).waitFor();
      },
    },
    {
      name: 'enable a service account',
      button: named('Enable again'),
      operation: `POST ${machine}/enable`,
      follows: true,
      press: (page) => click(page, 'Enable again'),
    },
    {
      name: 'delete a service account',
      button: named('Delete …'),
      operation: `DELETE ${machine}`,
      press: confirmed('Delete …', 'Delete for good', (trier) => ofMachine(trier).account),
    },
  ]),
  ...inView(accountView('/settings/issuers'), ofAccount, [
    {
      name: 'register an issuer',
      button: named('Register'),
      operation: 'POST /accounts/{account_id}/issuers',
      async press(page, trier) {
        await page.getByText('Register an issuer', { exact: true }).click();
        await page.getByLabel('Issuer', { exact: true }).fill(issuerOf(trier));
        await click(page, 'Register');
      },
    },
    {
      name: 'delete an issuer',
      button: (trier) => ({ role: 'button', name: `Delete ${issuerOf(trier)}` }),
      operation: 'DELETE /accounts/{account_id}/issuers/{issuer_id}',
      follows: true,
      press: confirmed((trier) => `Delete ${issuerOf(trier)}`, 'Delete'),
    },
  ]),
  ...ofApiKeys('account'),
  ...ofApiKeys('repository'),
];
