import { readdirSync, readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededUsers } from '../../../lib/local/seed.ts';
import { addMember, connection as connectionOf, made, signUp } from '../../functions/users.ts';
import { violations } from '../../service/axe.ts';
import { chromiumPath, launchChromium } from '../../service/chromium.ts';
import { type SeededService, startSeededService } from '../../service/seeded-service.ts';
import { openView, signedInPage } from '../../service/signed-in-page.ts';
import type { Client } from '../../service/test-service.ts';

type Name = 'ada' | 'admin';

/** Tests a form that is open while another user changes the same record. */
interface Case {
  form: string;
  /** The source file of the form, relative to `site/console`. */
  file: string;
  by: Name;
  view: string;
  /** The change that the other user makes. */
  other: (send: Client) => Promise<unknown>;
  /** Opens the form, starting from the view. */
  act: (page: Page) => Promise<void>;
  /** The field of the form, with its original value, its current value, and the user's value. */
  rows: string[];
  /** The API path and the value that it must return after `Save my changes`. */
  path: string;
  outcome: object;
}

const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).click();
const confirm = async (page: Page, opener: string, name: string) => {
  await page.getByRole('button', { name: opener, exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
};
const repository = '/repositories/tide-institute/tide-gauges';
const meta = { title: 'Tide gauges', description: 'Theirs', tags: 'sea' };
const connection = '/data-connections/local-store';
const own = '/data-connections/institute-store';
const ownView = '/accounts/tide-institute/storage/connections/institute-store';
const machine = '/service-accounts/tide-institute--nightly-sync';
const changed = async (send: Client, path: string, fields: object) => {
  const { authentication: _, ...body } = (await send('GET', path)).body;
  return made(send('PUT', path, { ...body, ...fields }));
};
const roleOf = async (send: Client, role: string) => {
  const { body } = await send('GET', '/accounts/tide-institute/members');
  const { membership_id } = body.find((each: { account_id: string }) => each.account_id === 'grace');
  return made(send('POST', `/memberships/${membership_id}/update-role`, JSON.stringify(role)));
};

const cases: readonly Case[] = [
  {
    form: 'a profile',
    file: 'views/account-settings.tsx',
    by: 'ada',
    view: '/accounts/ada/settings',
    other: (send) => made(send('PUT', '/accounts/ada/profile', { location: 'Oslo', bio: 'Theirs' })),
    async act(page) {
      await page.getByLabel('Location').fill('Lisbon');
      await save(page);
    },
    rows: ['About\t–\tTheirs\tnot changed by you', 'Location\t–\tOslo\tLisbon'],
    path: '/accounts/ada/profile',
    outcome: { location: 'Lisbon', bio: 'Theirs' },
  },
  {
    form: 'flags',
    file: 'platform/flags.tsx',
    by: 'admin',
    view: '/accounts/ada/flags',
    other: (send) => made(send('PUT', '/accounts/ada/flags', ['create_organizations'])),
    async act(page) {
      await page.getByRole('checkbox', { name: /Administrator/ }).check();
      await save(page);
    },
    rows: ['Administrator\tno\tno\tyes', 'Can create repositories on restricted storage\tyes\tno\tnot changed by you'],
    path: '/accounts/ada/flags',
    outcome: ['create_organizations', 'admin'],
  },
  {
    form: 'the end of an account',
    file: 'views/account-settings.tsx',
    by: 'ada',
    view: '/accounts/tide-institute/settings/danger-zone',
    other: (send) => made(send('PUT', '/accounts/tide-institute/profile', { location: 'Oslo' })),
    act: (page) => confirm(page, 'Disable …', 'Disable'),
    rows: ['Location\tBergen, Norway\tOslo\tnot changed by you', 'State\tenabled\tenabled\tdisabled'],
    path: '/accounts/tide-institute',
    outcome: { disabled: true, profile: { location: 'Oslo' } },
  },
  {
    form: 'the position of a repository on the front page',
    file: 'views/repository-settings.tsx',
    by: 'admin',
    view: `${repository}/settings/front-page`,
    other: (send) => made(send('PUT', `${repository}/featured`, { order: 7 })),
    async act(page) {
      await page.getByLabel('Order on the front page').fill('3');
      await save(page);
    },
    rows: ['Order on the front page\t0\t7\t3'],
    path: repository,
    outcome: { featured: 3 },
  },
  {
    form: 'what a repository says of itself',
    file: 'views/repository-settings.tsx',
    by: 'ada',
    view: `${repository}/settings`,
    other: (send) => made(send('PUT', repository, { meta, state: 'unlisted' })),
    async act(page) {
      await page.getByLabel('Title').fill('Mine');
      await save(page);
    },
    rows: [
      'Title\tTide gauges\tTide gauges\tMine',
      'Description\tWater levels, which a service account uploads every night\tTheirs\tnot changed by you',
      'Tags\ttides\tsea\tnot changed by you',
      'In the catalogue\tListed: anyone can find it\tUnlisted: anyone with the link\tnot changed by you',
    ],
    path: repository,
    outcome: { meta: { title: 'Mine', description: 'Theirs' }, state: 'unlisted' },
  },
  {
    form: 'who reads a repository',
    file: 'views/repository-settings.tsx',
    by: 'ada',
    view: `${repository}/settings/visibility`,
    other: (send) => made(send('PUT', `${repository}/data-mode`, { data_mode: 'subscription' })),
    async act(page) {
      await page.getByLabel('Visibility').selectOption('private');
      await save(page);
      await page.getByRole('dialog').getByRole('button', { name: 'Make private' }).click();
    },
    rows: [
      'Visibility\tOpen: anyone can read it without an account\tRestricted: only people you invite\tPrivate: only members can read it',
    ],
    path: repository,
    outcome: { data_mode: 'private' },
  },
  {
    form: 'the end of a repository',
    file: 'views/repository-endings.tsx',
    by: 'ada',
    view: `${repository}/settings/danger-zone`,
    other: (send) => made(send('PUT', `${repository}/data-mode`, { data_mode: 'open' })),
    act: (page) => confirm(page, 'Disable …', 'Disable'),
    rows: [
      'Visibility\tPrivate: only members can read it\tOpen: anyone can read it without an account\tnot changed by you',
      'State\tenabled\tenabled\tdisabled',
    ],
    path: repository,
    outcome: { disabled: true, data_mode: 'open' },
  },
  {
    form: 'a data connection',
    file: 'platform/connection.tsx',
    by: 'admin',
    view: connection,
    other: (send) => changed(send, connection, { required_flag: 'create_repositories', allowed_data_modes: ['open'] }),
    async act(page) {
      await page.getByLabel('Name', { exact: true }).fill('Mine');
      await save(page);
    },
    rows: [
      'Name\tStore of this machine\tStore of this machine\tMine',
      'Allowed visibility\tOpen, Restricted, Private\tOpen\tnot changed by you',
      'Who can create repositories on it\tEveryone with an account\tAccounts that may use restricted storage\tnot changed by you',
    ],
    path: connection,
    outcome: { name: 'Mine', required_flag: 'create_repositories', allowed_data_modes: ['open'] },
  },
  {
    form: 'the end of writing to a data connection',
    file: 'platform/connection.tsx',
    by: 'admin',
    view: connection,
    other: (send) => changed(send, connection, { name: 'Theirs' }),
    act: (page) => confirm(page, 'Make read-only …', 'Make read-only'),
    rows: ['Name\tMine\tTheirs\tnot changed by you', 'Use\tReading and writing\tReading and writing\tReading only'],
    path: connection,
    outcome: { name: 'Theirs', read_only: true },
  },
  {
    form: 'who places repositories on a data connection',
    file: 'platform/connection-access.tsx',
    by: 'admin',
    view: connection,
    other: (send) => changed(send, connection, { name: 'Once more', required_flag: 'admin' }),
    async act(page) {
      await page.getByRole('button', { name: 'Test reading', exact: true }).click();
      await page.getByText('Nothing failed.').waitFor();
      await page.getByRole('button', { name: 'Allow' }).click();
    },
    rows: [
      'Name\tTheirs\tOnce more\tnot changed by you',
      'Who can create repositories on it\tAdministrators\tAdministrators\tEveryone with an account',
    ],
    path: connection,
    outcome: { name: 'Once more' },
  },
  {
    form: 'storage of an account',
    file: 'storage/manage.tsx',
    by: 'ada',
    view: ownView,
    other: (send) => changed(send, own, { allowed_data_modes: ['open'] }),
    async act(page) {
      await page.getByText('Change the settings').click();
      await page.getByLabel('Name', { exact: true }).fill('Mine');
      await save(page);
    },
    rows: ['Name\tA store\tA store\tMine', 'Allowed visibility\tOpen, Private\tOpen\tnot changed by you'],
    path: own,
    outcome: { name: 'Mine', allowed_data_modes: ['open'] },
  },
  {
    form: 'the credentials of storage of an account',
    file: 'storage/manage.tsx',
    by: 'ada',
    view: ownView,
    other: (send) => changed(send, own, { name: 'Theirs' }),
    async act(page) {
      await page.getByText('New credentials').click();
      await page.getByLabel('Access key ID').fill('AKIDNEW');
      await page.getByLabel('Secret access key').fill('new-secret');
      await page.getByRole('button', { name: 'Replace credentials' }).click();
    },
    rows: ['Name\tMine\tTheirs\tnot changed by you'],
    path: own,
    outcome: { name: 'Theirs', authentication: { access_key_id: 'AKIDNEW', secret_access_key: 'new-secret' } },
  },
  {
    form: 'the end of writing to storage of an account',
    file: 'storage/manage.tsx',
    by: 'ada',
    view: ownView,
    other: (send) => changed(send, own, { name: 'Once more' }),
    act: (page) => confirm(page, 'Make read-only …', 'Make read-only'),
    rows: [
      'Name\tTheirs\tOnce more\tnot changed by you',
      'Use\tReading and writing\tReading and writing\tReading only',
    ],
    path: own,
    outcome: { name: 'Once more', read_only: true },
  },
  {
    form: 'what a service account is for',
    file: 'machines/endings.tsx',
    by: 'ada',
    view: '/accounts/tide-institute/service-accounts/nightly-sync',
    other: (send) => made(send('POST', `${machine}/disable`)),
    async act(page) {
      await page.getByLabel('Description').fill('Mine');
      await save(page);
    },
    rows: [
      'Description\tUploads new readings every night\tUploads new readings every night\tMine',
      'State\tenabled\tdisabled\tnot changed by you',
    ],
    path: machine,
    outcome: { description: 'Mine', disabled: true },
  },
  {
    form: 'the end of a service account',
    file: 'machines/endings.tsx',
    by: 'ada',
    view: '/accounts/tide-institute/service-accounts/nightly-sync',
    other: (send) => made(send('PATCH', machine, { description: 'Theirs' })),
    act: (page) => confirm(page, 'Disable …', 'Disable'),
    rows: ['Description\tMine\tTheirs\tnot changed by you', 'State\tenabled\tenabled\tdisabled'],
    path: machine,
    outcome: { description: 'Theirs', disabled: true },
  },
  {
    form: 'the settings of a service account',
    file: 'machines/endings.tsx',
    by: 'ada',
    view: '/accounts/tide-institute/service-accounts/nightly-sync',
    other: (send) => made(send('PATCH', `${machine}/settings`, { federated_only: true })),
    async act(page) {
      await page.getByLabel('End sessions on revocation').check();
      await page.getByRole('button', { name: 'Apply' }).click();
    },
    rows: ['End sessions on revocation\toff\toff\ton', 'Federated-only writes\toff\ton\tnot changed by you'],
    path: machine,
    outcome: { end_sessions_on_revocation: true, federated_only: true },
  },
  {
    form: 'who writes to a repository',
    file: 'views/repository-writing.tsx',
    by: 'ada',
    view: `${repository}/settings/writing`,
    other: (send) => made(send('PATCH', `${repository}/settings`, { federated_only: true })),
    async act(page) {
      await page.getByLabel('Federated-only writes').check();
      await save(page);
      await page.getByRole('dialog').getByRole('button', { name: 'Turn on' }).click();
    },
    rows: ['Federated-only writes\toff\ton\ton'],
    path: `${repository}/settings`,
    outcome: { federated_only: true },
  },
  {
    form: 'the role of a member',
    file: 'views/members.tsx',
    by: 'ada',
    view: '/accounts/tide-institute/people',
    other: (send) => roleOf(send, 'maintainers'),
    act: async (page) => void (await page.getByLabel('Role of grace').selectOption('write_data')),
    rows: ['Role\tReader\tMaintainer\tWriter'],
    path: '/accounts/tide-institute/members',
    outcome: [{ account_id: 'ada' }, { account_id: 'grace', role: 'write_data' }],
  },
  {
    form: 'a grant',
    file: 'machines/grants.tsx',
    by: 'ada',
    view: '/accounts/tide-institute/service-accounts/nightly-sync',
    other: (send) => made(send('PUT', `${machine}/grants/raw-drafts`, { access: 'read_write' })),
    act: async (page) => void (await page.getByLabel('Access to raw-drafts').selectOption('read_write')),
    rows: ['Access\tRead\tRead and write\tRead and write'],
    path: `${machine}/grants`,
    outcome: [{}, { repository_id: 'raw-drafts', access: 'read_write' }],
  },
];

describe('a form of the console', () => {
  it('has a test case if it shows stored values, and no other code sends a version', () => {
    const root = 'site/console';
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
    const uses = (file: string, text: RegExp) => [...readFileSync(`${root}/${file}`, 'utf8').matchAll(text)].length;
    const forms = files
      .filter((file) => !file.startsWith('components/'))
      .flatMap((file) =>
        Array.from({ length: uses(file, /use(?:Change|RowChange|VersionedForm)\(|<Lifecycle\b/g) }, () => file),
      );
    expect(forms.sort()).toEqual(cases.map(({ file }) => file).sort());
    expect(files.filter((file) => uses(file, /ifUnchanged\(|If-Match/g) > 0).sort()).toEqual([
      'api/client.ts',
      'components/stale.tsx',
      // The README is an object of the data proxy, which replaces it only if its ETag is the same.
      'readme/readme-data.ts',
    ]);
  });
});

describe.skipIf(chromiumPath === undefined)('a form in a browser', () => {
  let service: SeededService;
  let browser: Browser;
  const pages: Partial<Record<Name, Page>> = {};
  const users: Partial<Record<Name, Client>> = {};
  beforeAll(async () => {
    [service, browser] = await Promise.all([startSeededService({ users: seededUsers }), launchChromium()]);
    for (const name of ['ada', 'admin'] as const) {
      users[name] = await service.user(name);
      pages[name] = await signedInPage(browser, service, name);
    }
    const ada = users.ada as Client;
    await addMember(ada, 'tide-institute', await signUp(service, 'grace'), 'grace', 'read_data');
    await made(ada('PUT', `${machine}/grants/raw-drafts`, { access: 'read' }));
    await made(ada('POST', '/accounts/tide-institute/data-connections', connectionOf('institute-store')));
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  it.each(cases)('$form: shows the earlier, current, and new values, and overwrites only on request', async (each) => {
    const page = pages[each.by] as Page;
    const send = users[each.by] as Client;
    await reset(each);
    await openView(page, `${service.apiUrl}/-/console${each.view}`);
    await each.other(send);
    await each.act(page);
    const dialog = page.getByRole('dialog', { name: 'Another user changed this in the meantime' });
    await dialog.waitFor();
    expect(await dialog.locator('tbody tr').allInnerTexts()).toEqual(each.rows);
    if (each === cases[0]) expect(await violations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save my changes' }).click();
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    const { body } = await send('GET', each.path);
    expect(body).toMatchObject(each.outcome);
  });

  it('shows the current values on request, and reports a deleted resource', async () => {
    const [page, send] = [pages.ada as Page, users.ada as Client];
    await openView(page, `${service.apiUrl}/-/console/accounts/ada/settings`);
    await page.getByLabel('Location').fill('Mine');
    await made(send('PUT', '/accounts/ada/profile', { location: 'Theirs' }));
    await save(page);
    await page.getByRole('button', { name: 'Discard my changes' }).click();
    await expect.poll(() => page.getByLabel('Location').inputValue()).toBe('Theirs');
    await openView(page, `${service.apiUrl}/-/console/accounts/tide-institute/service-accounts/nightly-sync`);
    await page.getByLabel('Access to raw-drafts').waitFor();
    await made(send('DELETE', `${machine}/grants/raw-drafts`));
    await page.getByLabel('Access to raw-drafts').selectOption('read');
    await page.getByText('This no longer exists').waitFor();
    await expect.poll(() => page.getByLabel('Access to raw-drafts').count()).toBe(0);
    const remove = page.getByRole('button', { name: /^Remove repo:/ });
    await remove.click();
    const [{ workflow_id }] = (await send('GET', `${machine}/trusted-workflows`)).body;
    await made(send('DELETE', `${machine}/trusted-workflows/${workflow_id}`));
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('This no longer exists').waitFor();
    await expect.poll(() => remove.count()).toBe(0);
  });

  it('accepts pasted text, and shows the value that it sends', async () => {
    const [page, send] = [pages.ada as Page, users.ada as Client];
    await openView(page, `${service.apiUrl}/-/console/accounts/ada/settings`);
    await page.getByLabel('Homepage').fill('example.org/ada');
    await page.getByText('It is saved as https://example.org/ada').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await page.goto(`${service.apiUrl}/-/console/repositories/tide-institute/raw-drafts/settings/metadata`);
    await page.getByLabel('License', { exact: true }).selectOption('Another license …');
    await page.getByLabel('Which license').fill('CC BY-NC 4.0');
    await page.getByText('It is saved as CC-BY-NC-4.0').waitFor();
    await page.getByLabel('DOI').fill('https://doi.org/10.1000/182');
    await page.getByText('It is saved as 10.1000/182').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    expect((await send('GET', '/accounts/ada/profile')).body.url).toBe('https://example.org/ada');
    const { body } = await send('GET', '/repositories/tide-institute/raw-drafts');
    expect(body.meta).toMatchObject({ license: 'CC-BY-NC-4.0', doi: '10.1000/182' });
    await expect.poll(() => page.getByLabel('Which license').inputValue()).toBe('CC-BY-NC-4.0');
  });

  it('says what to enter in place of an email address or an unknown account ID in every field for an account', async () => {
    const page = pages.ada as Page;
    await openView(page, `${service.apiUrl}/-/console/repositories/tide-institute/raw-drafts/settings/danger-zone`);
    await page.getByRole('textbox', { name: 'Account ID' }).fill('grace@example.org');
    await page.getByRole('button', { name: 'Transfer …' }).click();
    await page.getByText('enter the ID of that account').waitFor();
    await page.getByRole('textbox', { name: 'Account ID' }).fill('grcae');
    await page.getByRole('button', { name: 'Transfer …' }).click();
    await page.getByText('There is no account with this ID').waitFor();
    await page.goto(`${service.apiUrl}/-/console/accounts/ada/settings/blocked-accounts`);
    await page.getByText('Block an account').click();
    await page.getByLabel('Account ID').fill('grace@example.org');
    await page.getByRole('button', { name: 'Block', exact: true }).click();
    await page.getByText('Block an account by its ID').waitFor();
    await page.getByLabel('Account ID').fill('https://other.example/grace');
    await page.getByRole('button', { name: 'Block', exact: true }).click();
    await page.getByText('This is not the URL of an account of this site').waitFor();
    await page.getByLabel('Account ID').fill(`${service.apiUrl}/site-admin`);
    await page.getByRole('button', { name: 'Block', exact: true }).click();
    await page.getByRole('button', { name: 'Unblock site-admin' }).click();
    await page.goto(`${service.apiUrl}/-/console/accounts/tide-institute/service-accounts/nightly-sync`);
    await page.getByText('Grant a repository', { exact: true }).click();
    await page.getByLabel('Repository', { exact: true }).fill(`${service.apiUrl}/ada/raw-drafts`);
    await page.getByRole('button', { name: 'Grant', exact: true }).click();
    await page.getByText('This is not the URL of a repository of tide-institute').waitFor();
  });

  /** Restores the resource that an earlier case deleted or ended. */
  async function reset({ form }: Case): Promise<void> {
    const ada = users.ada as Client;
    if (form === 'what a repository says of itself') await made(ada('POST', '/accounts/tide-institute/enable'));
    if (form.startsWith('who places')) await changed(users.admin as Client, connection, { required_flag: 'admin' });
    if (form === 'the end of a service account') await made(ada('POST', `${machine}/enable`));
    if (form.startsWith('who writes')) await made(ada('POST', `${repository}/enable`));
  }
});
