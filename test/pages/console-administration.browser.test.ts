import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emptyBucket } from '../../lib/local/embedded-storage.ts';
import { seededUsers } from '../../lib/local/seed.ts';
import { exchange } from '../data/whole-answer.ts';
import { made, repository } from '../functions/users.ts';
import { chromiumPath } from '../service/chromium.ts';
import { type ConsolePages, expectSound, openConsolePages, signInAs } from '../service/console-pages.ts';
import { type SeededService, startSeededService } from '../service/seeded-service.ts';
import { untilQuiet } from '../service/signed-in-page.ts';
import { expectNoMoreThanKnown } from './leaked-access-keys.ts';

let service: SeededService;
let pages: ConsolePages;
let site: string;
/** The pages of three users: the administrator, the publisher Ada, and a visitor. */
let admin: Page;
let ada: Page;
let passerBy: Page;
const asked: string[] = [];
let keyOfLogin = '';

describe.skipIf(chromiumPath === undefined)('the console for administrators, and for users who found a key', () => {
  beforeAll(async () => {
    service = await startSeededService({ users: seededUsers, accountLoopbackEndpoints: true });
    site = service.apiUrl;
    pages = await openConsolePages();
    [admin, ada, passerBy] = [await newPage(), await newPage(), await newPage()];
  });
  afterAll(async () => {
    await pages?.close();
    await service?.close();
  });

  it('creates a data connection by clicks, and shows each refusal at its field', async () => {
    await signIn(admin, '/', 'Site administrator');
    await admin.getByRole('link', { name: 'Administration' }).click();
    await admin.getByRole('link', { name: 'Connections' }).click();
    await admin.getByRole('link', { name: 'New data connection' }).click();
    const { bucket, region, endpoint, access_key_id } = service.storage;
    await admin.getByLabel('Name', { exact: true }).fill('The second store');
    await admin.getByLabel('Connection ID').fill('second-store');
    await admin.getByLabel('Region').fill('nowhere');
    await admin.getByLabel('Bucket').fill(bucket);
    await admin.getByLabel('Base prefix').fill('_second');
    await admin.getByText('It is saved as _second/').waitFor();
    await admin.getByLabel('Access key ID').fill(access_key_id);
    await admin.getByLabel('Secret access key').fill('not-the-secret');
    await admin.getByRole('button', { name: 'Create connection' }).click();
    await expect.poll(() => admin.getByLabel('Region').getAttribute('aria-invalid')).toBe('true');
    await expect.poll(() => admin.evaluate('document.activeElement.name')).toBe('details.region');
    await admin.getByLabel('Storage', { exact: true }).selectOption('elsewhere');
    await admin.getByLabel('Endpoint').fill(endpoint);
    await admin.getByLabel('Region').fill(region);
    await admin.getByLabel('Base prefix').fill('second');
    await admin.getByRole('button', { name: 'Create connection' }).click();
    await expect.poll(() => admin.getByLabel('Base prefix').getAttribute('aria-invalid')).toBe('true');
    await admin.getByText('Repositories on it could lie inside those on').waitFor();
    await admin.getByLabel('Base prefix').fill('_second');
    await admin.getByRole('button', { name: 'Create connection' }).click();
    await admin.getByRole('button', { name: 'Test reading', exact: true }).waitFor();
    await expect.poll(() => admin.url()).toBe(`${site}/-/console/data-connections/second-store?opens=`);
    expect(await admin.content()).not.toContain('not-the-secret');
    // The first test of the connection starts without a click.
    await admin.getByText('The storage refuses these credentials').first().waitFor();
    await admin.getByText('The test failed. Fix the settings below').waitFor();
    await admin.getByText('Your choice for after the test: Everyone with an account.').waitFor();
    expect(await admin.getByRole('button', { name: 'Allow' }).count()).toBe(0);
    expect(await available()).toBe(1);
  });

  it('asks for confirmation before it opens an untested connection to accounts', async () => {
    const { access_key_id, secret_access_key } = service.storage;
    const dialog = admin.getByRole('dialog');
    const openTo = async (flag: string) => {
      await admin.getByLabel('Who can create repositories on it').selectOption(flag);
      await admin.getByRole('button', { name: 'Save' }).click();
    };
    await openTo('');
    await dialog.getByText(/^The test failed at: .+ may not work\.$/).waitFor();
    await expectSound(admin, 'opening what failed');
    await admin.keyboard.press('Escape');
    expect(await available()).toBe(1);
    await admin.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('button', { name: 'Open without test' }).click();
    await admin.getByText('The last test used the old settings, and failed at').waitFor();
    expect(await available()).toBe(2);
    await openTo('admin');
    await admin.getByText('Only administrators so far.').waitFor();
    expect(await available()).toBe(1);
    await admin.getByLabel('Credentials').selectOption('s3_access_key');
    await admin.getByLabel('Access key ID').fill(access_key_id);
    await admin.getByLabel('Secret access key').fill(secret_access_key);
    await openTo('');
    await dialog.getByText('These settings are not tested.').waitFor();
    await dialog.getByRole('button', { name: 'Test first' }).click();
    await admin.getByText('Nothing failed.').waitFor();
    await admin.getByRole('button', { name: 'Allow' }).waitFor();
    expect(await available()).toBe(1);
    expect(await admin.content()).not.toContain(secret_access_key);
  });

  it('does not test a saved connection again when the view loads again after a failure', async () => {
    const tests: string[] = [];
    admin.on('request', (request) => request.url().endsWith('/second-store/test') && tests.push(request.url()));
    const itself = '**/api/v1/data-connections/second-store';
    await admin.route(itself, (route) => (route.request().method() === 'GET' ? route.abort() : route.fallback()));
    await admin.getByRole('button', { name: 'Save' }).click();
    const again = admin.getByRole('button', { name: 'Try again' });
    await again.waitFor();
    await admin.unroute(itself);
    await again.click();
    await admin.getByText('Test the connection first.').waitFor();
    await untilQuiet(admin);
    expect(tests).toEqual([]);
  });

  it('describes in words which requests the storage answers and allows', async () => {
    await admin.getByRole('button', { name: 'Test reading and writing' }).click();
    await admin.getByText('Nothing failed.').waitFor();
    const rows = await admin.getByRole('region', { name: 'Test results' }).locator('tbody tr').allInnerTexts();
    expect(rows.map((row) => row.split('\t')[0])).toEqual([
      'Name resolution',
      'Connection',
      'Region',
      'Listing',
      'Writing',
      'Reading',
      'Deleting',
    ]);
    expect(rows.every((row) => row.includes('Passed'))).toBe(true);
    for (const [width, colorScheme] of [
      [360, 'dark'],
      [1280, 'light'],
    ] as const) {
      await admin.setViewportSize({ width, height: 800 });
      await admin.emulateMedia({ colorScheme });
      await expectSound(admin, `what the storage answered, at ${width} pixels`);
    }
  });

  it('tests no connection when a user opens its URL', async () => {
    const sent: string[] = [];
    admin.on('request', (request) => sent.push(`${request.method()} ${new URL(request.url()).pathname}`));
    await admin.goto(`${site}/-/console/data-connections/second-store?opens=create_repositories`);
    await admin.getByText('Test the connection first.').waitFor();
    await untilQuiet(admin);
    expect(sent.filter((each) => each.startsWith('POST'))).toEqual([]);
  });

  it('limits a connection to administrators until its test passes, and then opens it by a click', async () => {
    expect(await available()).toBe(1);
    await admin.getByRole('button', { name: 'Test reading', exact: true }).click();
    await admin.getByText('The connection is writable: test reading and writing.').waitFor();
    await admin.getByRole('button', { name: 'Test reading and writing' }).click();
    await admin.getByRole('button', { name: 'Allow' }).click();
    await admin.getByText('Saved.').waitFor();
    expect(await available()).toBe(2);
    // A test result of a connection disappears when its settings change.
    expect(await admin.getByText('Nothing failed.').count()).toBe(0);
  });

  it('warns when an open connection fails, and closes it', async () => {
    const asAdmin = await service.user('admin');
    const { body } = await asAdmin('GET', '/data-connections/second-store');
    const { authentication, ...rest } = body;
    const wrong = { ...authentication, secret_access_key: 'wrong' };
    await asAdmin('PUT', '/data-connections/second-store', { ...rest, authentication: wrong });
    await admin.goto(`${site}/-/console/data-connections/second-store`);
    await admin.getByRole('button', { name: 'Test reading', exact: true }).click();
    await admin.getByText('The test failed, and other users can create repositories on it.').waitFor();
    await admin.getByRole('button', { name: 'Administrators only' }).click();
    await admin.getByText('Only administrators can create repositories on it now.').waitFor();
    const closed = (await asAdmin('GET', '/data-connections/second-store')).body;
    await asAdmin('PUT', '/data-connections/second-store', { ...closed, authentication });
    await admin.reload();
    await admin.getByText('Test the connection first.').waitFor();
  });

  it('makes a connection read-only after it lists the consequences', async () => {
    await admin.getByRole('button', { name: 'Make read-only …' }).click();
    await admin.getByText('Nobody can upload, move or delete files in its repositories').waitFor();
    await admin.getByRole('dialog').getByRole('button', { name: 'Make read-only' }).click();
    await admin.getByText('The connection is read-only now.').waitFor();
    await expect.poll(() => admin.getByRole('button', { name: 'Test reading and writing' }).count()).toBe(0);
    const asAdmin = await service.user('admin');
    expect((await asAdmin('GET', '/data-connections/second-store')).body.read_only).toBe(true);
  });

  it('sets the flags of an account, which can see but not change them', async () => {
    await admin.goto(`${site}/-/console/administration`);
    const accounts = admin.getByRole('region', { name: 'Accounts' }).getByRole('row');
    await admin.getByLabel('Account ID or name').fill('nobody-of-this-name');
    await admin.getByRole('button', { name: 'Search' }).click();
    await admin.getByText('No account ID and no name begins with “nobody-of-this-name”.').waitFor();
    await admin.getByLabel('Account ID or name').fill('tide ins');
    await admin.keyboard.press('Enter');
    await accounts.filter({ hasText: 'tide-institute · Organization' }).waitFor();
    expect(await accounts.count()).toBe(2);
    await admin.getByRole('button', { name: 'Show all accounts' }).click();
    await accounts.filter({ hasText: 'ada · User' }).getByRole('link', { name: 'Change' }).click();
    const flag = admin.getByRole('checkbox', { name: /Can create organizations/ });
    expect(await flag.isChecked()).toBe(true);
    await flag.uncheck();
    await admin.getByRole('button', { name: 'Save' }).click();
    await admin.getByText('Saved.').waitFor();
    await signIn(ada, '/accounts/ada/flags', 'Ada');
    await ada.getByText('Only administrators of the site can change them').waitFor();
    const said = ada.locator('#console dl').getByRole('definition');
    await expect.poll(() => said.allInnerTexts()).toEqual(['Yes', 'No', 'No', 'No']);
    expect(await ada.getByRole('checkbox').count()).toBe(0);
  });

  it('finds connections by name, and activity by accounts that it suggests for a name', async () => {
    await admin.goto(`${site}/-/console/administration/connections`);
    const connections = admin.getByRole('region', { name: 'Data connections' }).getByRole('row');
    await admin.getByLabel('Connection or account').fill(' the second');
    await admin.keyboard.press('Enter');
    await expect.poll(() => new URL(admin.url()).search).toBe('?search=the+second');
    await expect.poll(() => connections.count()).toBe(2);
    await connections.filter({ hasText: 'second-store' }).waitFor();
    await admin.goto(`${site}/-/console/administration/activity?account_id=nobody`);
    await admin.getByText('No activity matches the search.').waitFor();
    for (const [label, name, id] of [
      ['Administrator', 'site adm', 'site-admin'],
      ['Changed account', 'ada', 'ada'],
    ] as const) {
      const field = admin.getByRole('combobox', { name: label });
      await field.fill(name);
      await expect.poll(() => field.evaluate(suggestedIds)).toContain(id);
      await field.fill(id);
    }
    await admin.getByRole('button', { name: 'Search' }).click();
    await admin
      .getByRole('cell', { name: /changed the flags of/ })
      .first()
      .waitFor();
    await admin.getByRole('button', { name: 'Show all activity' }).click();
    await expect.poll(() => new URL(admin.url()).search).toBe('');
  });

  it('creates a platform login with a key, and finds the key by its creator', async () => {
    await admin.goto(`${site}/-/console/administration/operating`);
    await admin.getByText('New platform login').click();
    await admin.getByLabel('ID of the login').fill('ada');
    await admin.getByRole('button', { name: 'Create login' }).click();
    await expect.poll(() => admin.getByLabel('ID of the login').getAttribute('aria-invalid')).toBe('true');
    await admin.getByLabel('ID of the login').fill('harvester');
    await admin.getByRole('button', { name: 'Create login' }).click();
    await expect.poll(() => admin.locator('main').innerText()).toMatch(/^(?!.*service account).*is a platform login/is);
    await admin.getByText('New API key').click();
    await admin.getByLabel('Name', { exact: true }).fill('mirror');
    await admin.getByRole('button', { name: 'Create key' }).click();
    keyOfLogin = await admin.getByRole('dialog').locator('.secret code').first().innerText();
    await admin.getByRole('button', { name: 'I have stored it' }).click();
    await admin.getByRole('button', { name: 'Revoke mirror' }).waitFor();
    await admin.getByText('Find keys by creator').click();
    await admin.getByRole('button', { name: 'Show', exact: true }).click();
    await admin.getByRole('region', { name: 'Keys that site-admin created' }).getByText(keyOfLogin).waitFor();
    await expectSound(admin, 'keys by who made them');
  });

  it('opens a platform login from the list, and revokes a key by its ID', async () => {
    await admin.goto(`${site}/-/console/administration?search=harv`);
    await admin.getByRole('link', { name: 'harvester' }).click();
    await admin.getByRole('button', { name: 'Revoke mirror' }).waitFor();
    await admin.goto(`${site}/-/console/administration/operating`);
    await admin.getByLabel('Access key ID').fill(keyOfLogin);
    await admin.getByRole('button', { name: 'Revoke key' }).click();
    await admin.getByText('The key “mirror” is revoked.').waitFor();
  });

  it('disables an account from the list with a reason, and enables it from the list of disabled ones', async () => {
    await admin.goto(`${site}/-/console/administration`);
    const listed = admin.getByRole('region', { name: 'Accounts' }).getByRole('row', { name: /^harvester/ });
    await listed.getByRole('link', { name: 'Disable …' }).click();
    await admin.getByRole('button', { name: 'Disable …' }).click();
    await admin.getByRole('dialog').getByLabel('Reason').fill('The mirror moved');
    await admin.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await admin.getByRole('button', { name: 'Enable again' }).waitFor();
    const backUp = admin.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Administration' });
    await backUp.click();
    await listed.getByText('disabled').waitFor();
    await admin.getByRole('link', { name: 'Disabled' }).click();
    const disabled = admin.getByRole('region', { name: 'Disabled accounts' }).getByRole('row', { name: /^harvester/ });
    await disabled.getByRole('cell', { name: 'The mirror moved' }).waitFor();
    await disabled.getByRole('cell', { name: 'An administrator' }).waitFor();
    await disabled.getByRole('link', { name: 'Enable …' }).click();
    await admin.getByRole('button', { name: 'Enable again' }).click();
    await admin.getByRole('button', { name: 'Disable …' }).waitFor();
    await backUp.click();
    await admin.getByRole('link', { name: 'Disabled' }).click();
    await admin.getByText('No account is disabled.').waitFor();
    await admin.getByText('No repository is disabled.').waitFor();
  });

  it('lists data connections, and the activity of administrators in sentences', async () => {
    await admin.getByRole('link', { name: 'Connections' }).click();
    const closed = admin.getByRole('row', { name: /second-store/ });
    await closed.getByRole('cell', { name: 'Administrators', exact: true }).waitFor();
    await admin.getByRole('link', { name: 'Activity' }).click();
    const rows = admin.getByRole('region', { name: 'Activity of administrators' }).locator('tbody tr');
    await rows.filter({ hasText: 'Site administrator enabled the account harvester again' }).waitFor();
    await rows.filter({ hasText: 'disabled the account harvester: The mirror moved' }).waitFor();
    await rows.filter({ hasText: 'changed the flags of ada' }).first().waitFor();
    expect((await rows.allInnerTexts()).join()).not.toMatch(/platform_admin|account\.|[0-9a-f]{8}-[0-9a-f]{4}/);
  });

  it('shows audit events in words with their codes in the details, filtered by parameters of the URL', async () => {
    await ada.getByRole('link', { name: 'Audit trail' }).click();
    const trail = ada.getByRole('region', { name: 'Audit trail' });
    const flags = trail.getByRole('row', { name: /changed the flags of/ }).first();
    expect(await flags.innerText()).toContain('as an administrator');
    expect(await flags.innerText()).toMatch(/\d{4}-\d\d-\d\d \d\d:\d\d \S+/);
    await flags.getByText('Details').click();
    expect(await flags.innerText()).toContain('account.flags_set');
    await ada.goto(`${site}/-/console/accounts/tide-institute/audit-trail`);
    await ada.getByLabel('Event').selectOption('grant.set');
    await ada.getByRole('button', { name: 'Show', exact: true }).click();
    await ada.waitForURL(/audit-trail\?kind=grant\.set$/);
    const rows = ada.getByRole('region', { name: 'Audit trail' }).locator('tbody tr');
    await expect.poll(async () => (await rows.allInnerTexts()).every((row) => row.includes(' access to '))).toBe(true);
    await ada.getByRole('link', { name: 'tide-gauges' }).first().click();
    await ada.getByRole('heading', { name: 'Tide gauges' }).waitFor();
    await ada.goBack();
    await ada.getByLabel('Service account').fill('tide-institute--nobody');
    await ada.keyboard.press('Enter');
    await ada.getByText('No event matches the filter.').waitFor();
    await ada.goto(`${site}/-/console/accounts/tide-institute/service-accounts/nightly-sync`);
    await ada.getByRole('link', { name: 'Activity' }).click();
    await ada.waitForURL(/audit-trail\?service_account_id=tide-institute--nightly-sync$/);
    await expect.poll(() => rows.count()).toBeGreaterThan(0);
    for (const row of await rows.allInnerTexts()) expect(row).toContain('tide-institute--nightly-sync');
    // Existing items still have their name beside their ID.
    await rows.getByText('repo:tide-institute/pipelines:ref:refs/heads/main').first().waitFor();
    await rows.getByText('local start').first().waitFor();
  });

  it('distinguishes a link for others from a view of files', async () => {
    await ada.goto(`${site}/-/console/repositories/tide-institute/raw-drafts/files`);
    await ada
      .getByLabel('Upload files')
      .setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('a') });
    await ada.getByRole('button', { name: /^a\.txt/ }).click();
    await ada.getByRole('button', { name: 'Create link' }).click();
    await ada.getByText('Valid until').waitFor();
    await ada.goto(`${site}/-/console/accounts/ada/audit-trail?kind=data_credentials.issued`);
    const rows = ada.getByRole('region', { name: 'Audit trail' }).locator('tbody tr');
    await rows.getByText('created a link to a file').waitFor();
    await rows.getByText('opened files').first().waitFor();
    expect(await rows.locator('a[href$="/accounts/link"]').count()).toBe(0);
  });

  it('shows the marker of read-only storage, and deletes the storage when no repository is on it', async () => {
    const { endpoint, region, access_key_id, secret_access_key } = service.storage;
    await ada.goto(`${site}/-/console/accounts/tide-institute/storage/connect`);
    await ada.getByLabel('Store of this machine').check();
    await ada.getByLabel('Access key', { exact: true }).check();
    const typed = { Endpoint: endpoint, Bucket: emptyBucket, Region: region, 'Base prefix': 'marked' };
    const key = { 'Access key ID': access_key_id, 'Secret access key': secret_access_key };
    for (const [label, value] of Object.entries({ ...typed, ...key })) {
      await ada.getByLabel(label, { exact: true }).fill(value);
    }
    await ada.getByLabel('Use', { exact: true }).selectOption('yes');
    await ada.getByLabel('Connection ID').fill('local-store');
    await ada.getByRole('button', { name: 'Continue' }).click();
    await expect.poll(() => ada.getByLabel('Connection ID').getAttribute('aria-invalid')).toBe('true');
    await ada.getByLabel('Connection ID').fill('marked-store');
    await ada.getByRole('button', { name: 'Continue' }).click();
    const marker = await ada.locator('pre[aria-label="Key of the object"]').innerText();
    await ada.getByRole('button', { name: 'Test connection' }).click();
    await ada.getByText('The marker is not in the storage.').waitFor();
    expect(await ada.content()).not.toContain(secret_access_key);
    const owner = {
      accessKeyId: access_key_id,
      secretAccessKey: secret_access_key,
      region,
      signedAt: service.services.clock(),
    };
    const put = { method: 'PUT', path: `/${emptyBucket}/${marker.trim()}`, body: 'mine' };
    expect((await exchange(endpoint, put, owner)).status).toBe(200);
    await ada.getByRole('button', { name: 'Test connection' }).click();
    await ada.getByText('Nothing failed.').waitFor();
    await ada.getByRole('button', { name: 'Delete …' }).click();
    const dialog = ada.getByRole('dialog');
    await dialog.getByText('No repository is on this storage.').waitFor();
    // Another maintainer creates a repository while the dialog is open.
    const asAda = await service.user('ada');
    const placed = repository('on-marked', { data_connection_id: 'marked-store' });
    await made(asAda('POST', '/repositories/tide-institute', placed));
    await dialog.getByRole('button', { name: 'Delete connection' }).click();
    await dialog.getByRole('link', { name: 'Gauges' }).waitFor();
    await dialog.getByText('Repositories are on this data connection, or their files are being deleted').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(() => ada.getByRole('button', { name: 'Delete …' }).count()).toBe(0);
    await made(asAda('POST', '/repositories/tide-institute/on-marked/disable'));
    const confirm = { confirm: 'tide-institute/on-marked' };
    await made(asAda('POST', '/repositories/tide-institute/on-marked/delete', confirm));
    await ada.goto(`${site}/-/console/data-connections/marked-store`);
    await ada.getByRole('button', { name: 'Delete …' }).click();
    await dialog.getByRole('button', { name: 'Delete connection' }).click();
    await ada.getByText('This account has no storage of its own').waitFor();
  });

  it('shows only a message in a view without access', async () => {
    for (const view of ['audit-trail', 'api-keys', 'people', 'new-repository', 'service-accounts/any']) {
      await ada.goto(`${site}/-/console/accounts/site-admin/${view}`);
      await ada.getByText('you have no access').waitFor();
      expect(await ada.locator('#console form').count()).toBe(0);
    }
  });

  it('says before the form that a user cannot create organizations, and that the only owner cannot leave', async () => {
    await ada.goto(`${site}/-/console/new-organization`);
    await ada.getByText('ask an administrator of this site to allow it for your account, ada.').waitFor();
    expect(await ada.locator('#console form').count()).toBe(0);
    await ada.goto(`${site}/-/console/accounts/tide-institute/people`);
    await ada.getByRole('button', { name: 'Leave ada' }).click();
    await ada.getByRole('dialog').getByText('You are the only owner').waitFor();
    await ada.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).click();
    await ada.getByLabel('Role of ada').selectOption('maintainers');
    await ada.getByText('make someone else an owner first.').waitFor();
  });

  it('shows no administration to other users', async () => {
    await ada.goto(`${site}/-/console`);
    await ada.getByRole('heading', { name: 'Accounts' }).waitFor();
    await untilQuiet(ada);
    expect(await ada.getByRole('link', { name: 'Administration' }).count()).toBe(0);
    await ada.goto(`${site}/-/console/administration`);
    await ada.getByText('Only administrators can use this page.').waitFor();
    await ada.goto(`${site}/-/console/data-connections/second-store`);
    await ada.getByText('Reading only').first().waitFor();
    await untilQuiet(ada);
    expect(await ada.getByRole('link', { name: 'Administration' }).count()).toBe(0);
    expect(await ada.locator('#console main button, #console section button').count()).toBe(0);
  });

  it('revokes a found key without a sign-in, and stores it nowhere', async () => {
    await passerBy.goto(site);
    await passerBy.getByRole('link', { name: 'Report a leaked key' }).click();
    const field = passerBy.getByLabel('What you found');
    await field.fill(`export AWS_KEY=${service.key.slice(0, 20)}`);
    await passerBy.getByText(`${service.key.slice(0, 8)}… is not a complete key`).waitFor();
    expect(await passerBy.getByRole('button', { name: 'Revoke the key' }).isDisabled()).toBe(true);
    await field.fill(`# config\nexport AWS_KEY=${service.key}\n`);
    await passerBy.getByText(`Found: ${service.key.slice(0, 8)}…`).waitFor();
    await expectSound(passerBy, 'a key that was found');
    await passerBy.getByRole('button', { name: 'Revoke the key' }).click();
    await passerBy.getByRole('heading', { name: 'Thank you' }).waitFor();
    await passerBy.getByText('until they expire, within twelve hours at most').waitFor();
    const kept = 'JSON.stringify([location.href, history.state, {...localStorage}, {...sessionStorage}])';
    expect(await passerBy.evaluate(kept)).not.toContain(service.key.slice(0, 12));
    expect(await passerBy.content()).not.toContain(service.key);
    expect(asked.filter((url) => url.includes('sck_'))).toEqual([]);
    expect(JSON.stringify(service.logged)).not.toContain(service.key.slice(0, 12));
    const asAda = await service.user('ada');
    const { body } = await asAda('GET', '/service-accounts/tide-institute--nightly-sync/keys');
    expect(body.filter((key: { state: string }) => key.state === 'revoked')).toHaveLength(1);
    await passerBy.getByRole('button', { name: 'Revoke another key' }).click();
    await expect.poll(() => field.inputValue()).toBe('');
  });

  it('claims no more about an access key than the service knows', () => expectNoMoreThanKnown(passerBy));

  it('violates no content security policy in the tests above', () => {
    expect(pages.complaints.filter((text) => /Content Security Policy|Refused to|pageerror/i.test(text))).toEqual([]);
  });
});

/** Returns the number of data connections that Ada may choose for repositories. */
async function available(): Promise<number> {
  return (await (await service.user('ada'))('GET', '/data-connections/available')).body.length;
}

async function newPage(): Promise<Page> {
  const page = await pages.newPage();
  page.on('request', (request) => asked.push(request.url()));
  return page;
}

async function signIn(page: Page, path: string, name: string): Promise<void> {
  await page.goto(`${site}/-/console${path}`);
  await signInAs(page, name);
}

/** Returns the IDs that a field of the console suggests. */
function suggestedIds(field: Element): string[] {
  return Array.from((field as HTMLInputElement).list?.options ?? [], ({ value }) => value);
}
