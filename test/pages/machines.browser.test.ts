import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededUsers } from '../../lib/local/seed.ts';
import { lookAtTable } from '../functions/table-items.ts';
import { made } from '../functions/users.ts';
import { chromiumPath } from '../service/chromium.ts';
import { type ConsolePages, expectSound, openConsolePages, signInAs } from '../service/console-pages.ts';
import { ciToken, roleArn, s3Client } from '../service/data-clients.ts';
import { postExchange } from '../service/raw-exchange.ts';
import { type SeededService, startSeededService } from '../service/seeded-service.ts';
import type { Client } from '../service/test-service.ts';

const machine = 'tide-institute--harbour';
const machinePath = '/accounts/tide-institute/service-accounts/harbour';
const repository = 'tide-institute/harbour-code';
const expires = '2999-01-01T00:00:00Z';
const ran = "document.title='ran'";
const hostile = `<img src=x onerror="${ran}">`;

const table = lookAtTable();
let service: SeededService;
let pages: ConsolePages;
let ada: Page;
let asAda: Client;
/** Secrets that were shown once, and that must not appear afterwards. */
const secrets: string[] = [];

describe.skipIf(chromiumPath === undefined)('machine access in a browser', () => {
  beforeAll(async () => {
    const gitlab = { issuer: 'https://gitlab.example', kind: 'gitlab', algorithms: ['RS256'] } as const;
    service = await startSeededService({ tableName: table.tableName, users: seededUsers, ciIssuers: [gitlab] });
    pages = await openConsolePages();
    ada = await pages.newPage();
    asAda = await service.user('ada');
    await open('/accounts/ada/service-accounts');
    await signInAs(ada, 'Ada');
  });
  afterAll(async () => {
    await pages?.close();
    await service?.close();
  });

  it('shows the first step when there is no service account, and shows refusals at their fields', async () => {
    await ada.getByText('There is no service account yet').waitFor();
    await open('/accounts/tide-institute/service-accounts');
    await ada.getByText('New service account').click();
    await ada.getByLabel('Name').fill('nightly-sync');
    await ada.getByRole('button', { name: 'Create service account' }).click();
    await expectFault('Name', /taken|exists/i);
    await ada.getByLabel('Name').fill('harbour');
    await ada.getByText(machine).waitFor();
    await ada.getByLabel('Purpose').fill(hostile);
    await ada.getByRole('button', { name: 'Create service account' }).click();
    await ada.getByText('It can read only open data').waitFor();
    await expect.poll(() => ada.url()).toBe(`${service.apiUrl}/-/console${machinePath}`);
    expect(await ada.locator('.lead').innerText()).toBe(hostile);
    expect(await ada.locator('nav.tabs [aria-current]').innerText()).toBe('Service accounts');
  });

  it('grants a repository by its title, changes the access, and removes it after it lists the consequences', async () => {
    await ada.getByText('Grant a repository', { exact: true }).click();
    await expect.poll(() => ada.locator('datalist option[value=raw-drafts]').getAttribute('label')).toBe('Raw drafts');
    await ada.getByLabel('Repository', { exact: true }).first().fill('absent');
    await ada.getByRole('button', { name: 'Grant', exact: true }).click();
    await ada.getByText('tide-institute has no repository absent').first().waitFor();
    await ada.getByLabel('Repository', { exact: true }).first().fill('raw-drafts');
    await ada.getByRole('button', { name: 'Grant', exact: true }).click();
    await ada.getByRole('link', { name: 'Raw drafts' }).waitFor();
    await ada.getByLabel('Access to raw-drafts').selectOption('read_write');
    await ada.getByText('raw-drafts: the access is “Read and write” now').waitFor();
    // The page removes a message when it sends the next request, whatever the result of this request is.
    await ada.getByLabel('Repository', { exact: true }).first().waitFor({ state: 'hidden' });
    await ada.getByText('Grant a repository', { exact: true }).click();
    await ada.getByLabel('Repository', { exact: true }).first().fill('absent');
    await ada.getByRole('button', { name: 'Grant', exact: true }).click();
    await ada.getByText('tide-institute has no repository absent').first().waitFor();
    expect(await ada.getByText('the access is “Read and write” now').count()).toBe(0);
    expect((await asAda('GET', `/service-accounts/${machine}/grants`)).body).toEqual([
      { repository_id: 'raw-drafts', access: 'read_write', repository_title: 'Raw drafts' },
    ]);
    await ada.getByRole('button', { name: 'Remove the grant of raw-drafts' }).click();
    await dialog().getByText('can no longer write to raw-drafts').waitFor();
    await dialog().getByRole('button', { name: 'Remove' }).click();
    await ada.getByText('It can read only open data').waitFor();
  });

  it('creates a key, shows it once with the settings of the chosen client, and never stores it', async () => {
    await ada.getByText('New key', { exact: true }).click();
    await ada.getByRole('button', { name: 'Create key' }).click();
    await expect.poll(() => ada.getByLabel('Label').getAttribute('aria-invalid')).toBe('true');
    await ada.getByLabel('Label').fill(hostile);
    await ada.getByRole('button', { name: 'Create key' }).click();
    const key = await dialog().locator('.secret code').innerText();
    secrets.push(key);
    expect(key).toMatch(/^sck_\w{36}$/);
    await dialog().getByLabel('Your software').selectOption('rclone');
    await dialog().getByText(`--s3-endpoint ${service.dataUrl} `).waitFor();
    expect(await dialog().locator('pre').allInnerTexts()).not.toContain(key);
    await expectSound(ada, 'the dialog of a key');
    // The dialog must be centered, even if the element that contains it has a margin.
    const { x = 0, width = 0 } = (await dialog().boundingBox()) ?? {};
    expect(Math.abs(x + width / 2 - 640)).toBeLessThan(10);
    for (let press = 0; press < 3; press += 1) await ada.keyboard.press('Escape');
    expect(await dialog().count()).toBe(1);
    expect(await signsIn({ WebIdentityToken: key })).toBe(200);
    await dialog().getByRole('button', { name: 'I have stored it' }).click();
    await ada.getByText('active').first().waitFor();
    await expectNothingLeft();
    await ada.reload();
    await ada.getByRole('button', { name: `Revoke ${hostile}` }).waitFor();
    await expectNothingLeft();
    expect(await ada.title()).not.toBe('ran');
  });

  it('replaces a key without a gap, and revokes the first key by its name', async () => {
    const [first = ''] = secrets;
    await ada.getByRole('button', { name: `Replace ${hostile}` }).click();
    const card = ada.locator('.card');
    expect(await card.getByRole('button', { name: 'Revoke the old key …' }).isDisabled()).toBe(true);
    await card.getByLabel('Label').fill('second');
    await card.getByRole('button', { name: 'Create key' }).click();
    const second = await dialog().locator('.secret code').innerText();
    secrets.push(second);
    await dialog().getByRole('button', { name: 'I have stored it' }).click();
    await card.getByText('Wait until the new key was used').waitFor();
    expect(await signsIn({ WebIdentityToken: second })).toBe(200);
    await card.getByRole('button', { name: 'Refresh' }).click();
    await card.getByText('The new key is in use. You can revoke the old key.').waitFor();
    await ada.getByText('a newer key is in use').waitFor();
    await card.getByRole('button', { name: 'Revoke the old key …' }).click();
    const last = dialog().getByRole('button', { name: 'Revoke key' });
    expect(await last.isDisabled()).toBe(true);
    await dialog().getByLabel(`Type ${hostile} to confirm`).fill(hostile);
    await last.click();
    await card.getByText('The old key is revoked. You are done.').waitFor();
    service.advance(61);
    expect(await signsIn({ WebIdentityToken: first })).toBe(400);
    expect(await signsIn({ WebIdentityToken: second })).toBe(200);
  });

  it('names a key whose response was lost, so that the user can revoke it', async () => {
    await ada.getByText('New key', { exact: true }).click();
    const form = ada.locator('details.create', { hasText: 'New key' });
    await ada.route('**/keys', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      await route.fetch();
      return route.abort();
    });
    await form.getByLabel('Label').fill('lost');
    await form.getByRole('button', { name: 'Create key' }).click();
    await form.getByText('The site cannot be reached').waitFor();
    await ada.unroute('**/keys');
    await form.getByRole('button', { name: 'Create key' }).click();
    await form.getByText('the response with its secret was lost').waitFor();
    const { body } = await asAda('GET', `/service-accounts/${machine}/keys`);
    const { key_id, state } = body.find(({ label }: { label: string }) => label === 'lost');
    expect([await form.locator('[role=alert] code').innerText(), state]).toEqual([key_id, 'active']);
    await form.getByRole('button', { name: 'Revoke the lost key' }).click();
    await ada.getByText('The key is revoked. Create another one.').waitFor();
    await form.getByRole('button', { name: 'Create key' }).click();
    secrets.push(await dialog().locator('.secret code').innerText());
    await dialog().getByRole('button', { name: 'I have stored it' }).click();
    const states = (await asAda('GET', `/service-accounts/${machine}/keys`)).body
      .filter(({ label }: { label: string }) => label === 'lost')
      .map((each: { state: string }) => each.state);
    expect(states).toEqual(['revoked', 'active']);
  });

  it('shows the exact subject while the user types, and trusts it for a run', async () => {
    await ada.getByText('Trust a workflow', { exact: true }).click();
    const form = ada.locator('#workflows details.create');
    const subject = form.getByRole('status');
    await subject.getByText('repo:<owner>/<repository>:ref:refs/heads/<branch>').waitFor();
    await form.getByLabel('CI system').selectOption('https://gitlab.example');
    await subject.getByText('project_path:').waitFor();
    expect(await form.getByLabel('Runs from').locator('option').allInnerTexts()).toEqual(['A branch', 'A tag']);
    await form.getByLabel('CI system').selectOption(service.identity.ci.issuer);
    await form.getByLabel('Code repository (on GitHub)').fill(repository);
    await form.getByLabel('Code repository (on GitHub)').fill(`https://bitbucket.org/${repository}`);
    await subject.getByText('must be on github.com, and this is a URL of another host').waitFor();
    await form.getByRole('button', { name: 'Trust this subject' }).click();
    await expectFault('Code repository (on GitHub)', /paste the one that it has there/);
    await form.getByLabel('Code repository (on GitHub)').fill(repository);
    await form.getByLabel('Branch', { exact: true }).fill('release/*');
    await subject.getByText('wildcards are not supported').waitFor();
    await form.getByRole('button', { name: 'Trust this subject' }).click();
    await expect.poll(() => form.getByLabel('Branch', { exact: true }).getAttribute('aria-invalid')).toBe('true');
    expect(await form.getByText('wildcards are not supported').count()).toBe(1);
    await form.getByLabel('Code repository').fill(`https://github.com/${repository}.git`);
    await form.getByLabel('Branch', { exact: true }).fill('refs/heads/main');
    await subject.getByText(`repo:${repository}:ref:refs/heads/main`).waitFor();
    await form.getByRole('button', { name: 'Trust this subject' }).click();
    await dialog().getByText('in your code repository on GitHub as .github/workflows/publish.yml').waitFor();
    await dialog().getByText('on another machine cannot reach').waitFor();
    const file = await dialog().locator('pre').innerText();
    expect(file).toContain(`role-to-assume: "${roleArn('FullAccess', machine)}"`);
    expect(file).toContain('branches: ["main"]');
    expect(file).toMatch(/aws s3 ls s3:\/\/tide-institute\/\S* {2}# This account may only read\./);
    await expectSound(ada, 'the dialog of a workflow');
    await dialog().getByRole('button', { name: 'Close', exact: true }).click();
    expect(await runSignsIn('main')).toBe(200);
    await form.getByLabel('Code repository').waitFor({ state: 'hidden' });
    await ada.getByText('Trust a workflow', { exact: true }).click();
    await form.getByLabel('Code repository').fill(repository);
    await form.getByLabel('Branch', { exact: true }).fill('main');
    await form.getByRole('button', { name: 'Trust this subject' }).click();
    await expectFault('Branch', /trusted already/);
  });

  it('shows the sent and trusted claims of a refused sign-in and their difference, and corrects the trust', async () => {
    expect(await runSignsIn('mian')).toBe(403);
    await ada.reload();
    const notice = ada.locator('.refused');
    await notice.getByText('another branch').waitFor();
    expect(await notice.locator('mark').allInnerTexts()).toEqual(['ia', 'ai']);
    await notice.getByRole('button', { name: 'Trust this workflow …' }).click();
    const form = ada.locator('#workflows details.create');
    await form.getByText('The author of that job chose these names').waitFor();
    expect(await form.getByLabel(/type the name of your repository/).count()).toBe(0);
    await form.getByRole('button', { name: 'Trust this subject' }).click();
    await dialog().getByRole('button', { name: 'Close', exact: true }).click();
    await notice.getByText('Run the job again').waitFor();
    expect(await runSignsIn('mian')).toBe(200);
  });

  it.each([
    ['that the service account does not trust yet', 'eve/harbour-code', {}],
    ['whose name another owner has taken', repository, { repository_id: '404', repository_owner_id: '405' }],
  ] as const)('requires the typed name of a repository %s', async (_, of, claims) => {
    service.advance(61);
    expect(await runSignsIn('dev', of, claims)).toBe(403);
    await ada.reload();
    await ada.getByRole('button', { name: 'Trust this workflow …' }).click();
    const form = ada.locator('#workflows details.create');
    const isTakenOver = of === repository;
    await form.getByText('The author of that job chose these names').waitFor();
    expect(await form.getByText('This may be another repository').count()).toBe(isTakenOver ? 1 : 0);
    expect(await ada.getByText('to repository 404 of owner 405').count()).toBe(isTakenOver ? 1 : 0);
    await form.getByRole('button', { name: 'Trust this subject' }).click();
    await expectFault(/type the name of your repository/, /Type the name of your repository/);
    expect((await asAda('GET', `/service-accounts/${machine}/trusted-workflows`)).body).toHaveLength(2);
    await form.getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(() => form.getAttribute('open')).toBeNull();
  });

  it('trusts a workflow with new repository IDs again after the user types its name', async () => {
    const taken = { repository_id: '404', repository_owner_id: '405' };
    service.advance(61);
    expect(await runSignsIn('main', repository, taken)).toBe(403);
    await ada.reload();
    await ada.getByText('someone else may have taken over its name').waitFor();
    await ada.getByRole('button', { name: 'Remove the old workflow and trust it again …' }).click();
    const form = ada.locator('#workflows details.create');
    await form.getByRole('button', { name: 'Trust this subject' }).click();
    await expectFault(/type the name of your repository/, /Type the name of your repository/);
    expect(await runSignsIn('main')).toBe(200);
    await form.getByLabel(/type the name of your repository/).fill(repository);
    await form.getByRole('button', { name: 'Trust this subject' }).click();
    await dialog().getByRole('button', { name: 'Close', exact: true }).click();
    service.advance(61);
    expect(await runSignsIn('main', repository, taken)).toBe(200);
    expect(await runSignsIn('main')).toBe(403);
  });

  it('shows both names of a repository that was renamed after it was trusted', async () => {
    const row = ada.locator('#workflows tbody tr', { hasText: 'mian' });
    await row.waitFor();
    expect(await row.getByText('Last signed in as').count()).toBe(0);
    service.advance(61);
    const { body } = await asAda('GET', `/service-accounts/${machine}/trusted-workflows`);
    const { pinned } = body.find(({ branch }: { branch: string }) => branch === 'mian');
    const { pinned_at: _, ...ids } = pinned;
    expect(await runSignsIn('mian', 'tide-institute/new-name', ids)).toBe(200);
    await ada.reload();
    await row.getByText('Last signed in as tide-institute/new-name').waitFor();
    expect(await row.locator('td').first().innerText()).toContain(repository);
    await expectSound(ada, 'a renamed repository');
  });

  it('shows a hint on a trusted workflow until a repository is granted', async () => {
    const missing = ada.getByText('No repository is granted: a run can read only open data.');
    await missing.first().waitFor();
    await expectSound(ada, 'a workflow without a grant');
    await ada.getByText('Grant a repository', { exact: true }).click();
    await ada.getByLabel('Repository', { exact: true }).first().fill('raw-drafts');
    await ada
      .locator('details.create', { hasText: 'Grant a repository' })
      .getByLabel('Access')
      .selectOption('read_write');
    await ada.getByRole('button', { name: 'Grant', exact: true }).click();
    await ada.getByRole('link', { name: 'Raw drafts' }).waitFor();
    await expect.poll(() => missing.count()).toBe(0);
  });

  it('ends the sessions of a key on choice, also later, and shows the warning of the API', async () => {
    const [now, later] = [await usedKey('ends now'), await usedKey('ends later')];
    const item = await table.find(`ACCOUNT#${machine}`, 'ACCOUNT');
    const ended_at = new Date(service.services.clock()).toISOString();
    const ended_sources = Array.from({ length: 148 }, (_, index) => ({ id: `key-${index}`, ended_at }));
    await table.putAll([{ ...item, ended_sources }]);
    await open(machinePath);
    expect(await revoke('ends later')).toMatchObject({ sessions_ended: 'none' });
    await ada.getByText('The key “ends later” is revoked.', { exact: true }).waitFor();
    expect(await revoke('ends now', 'Also end its sessions')).toMatchObject({ sessions_ended: 'source' });
    await ada.getByText('Its sessions end within five minutes.').waitFor();
    await ada.getByRole('button', { name: 'End sessions of ends later' }).click();
    await expectSound(ada, 'the question about the sessions of a key');
    await dialog().getByRole('button', { name: 'End sessions', exact: true }).click();
    await ada.getByText('The next one ends all sessions of the service account').waitFor();
    const ended = (await table.find(`ACCOUNT#${machine}`, 'ACCOUNT'))?.['ended_sources'] as { id: string }[];
    expect(ended.slice(-2).map(({ id }) => id)).toEqual([now, later]);
    await table.putAll([{ ...(await table.find(`ACCOUNT#${machine}`, 'ACCOUNT')), ended_sources: [] }]);
  });

  it('ends sessions without a choice once the setting is on', async () => {
    await usedKey('by setting');
    await ada.reload();
    await ada.getByLabel('End sessions on revocation (recommended)').check();
    await ada.getByRole('button', { name: 'Apply' }).click();
    await ada.getByText('Saved.').waitFor();
    expect((await asAda('GET', `/service-accounts/${machine}`)).body.end_sessions_on_revocation).toBe(true);
    await ada.getByRole('button', { name: 'Revoke by setting' }).click();
    await dialog().getByText('The sessions of this key end too').waitFor();
    expect(await dialog().getByRole('checkbox').count()).toBe(0);
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    expect(await revoke('by setting')).toMatchObject({ sessions_ended: 'source' });
  });

  it('shows when a leaked key signed in last, and where its sessions could write', async () => {
    const { body } = await made(asAda('POST', `/service-accounts/${machine}/keys`, { label: 'leaked', expiry: '30d' }));
    expect(await signsIn({ WebIdentityToken: body.key })).toBe(200);
    const unused = await made(asAda('POST', `/service-accounts/${machine}/keys`, { label: 'idle', expiry: '30d' }));
    for (const { key } of [body, unused.body]) {
      await made(service.anyone('POST', '/service-account-keys/revocations', { key }));
    }
    await ada.reload();
    const row = (name: RegExp) => ada.getByRole('region', { name: 'Keys' }).getByRole('row', { name });
    await row(/^leaked/)
      .getByText('Its sessions could write to raw-drafts')
      .waitFor();
    expect(
      await row(/^leaked/)
        .getByText('leaked', { exact: true })
        .count(),
    ).toBe(1);
    expect(await row(/^leaked/).innerText()).not.toContain('never');
    expect(await row(/^idle/).innerText()).toMatch(/never\s+Its sessions could write nowhere/);
    await expectSound(ada, 'a leaked key');
  });

  it('lists the keys that federated-only writes stop, and turns them on and off', async () => {
    await usedKey('writes');
    await made(asAda('POST', '/repositories/tide-institute/raw-drafts/api-keys', { name: 'an API key', expires }));
    const keysOf = async () => {
      const table = dialog().getByRole('region', { name: 'Keys that can no longer write' });
      await table.waitFor();
      return table.locator('tbody tr').allInnerTexts();
    };
    const settings: [string, string, string, RegExp[]][] = [
      [machinePath, 'Apply', `/service-accounts/${machine}`, [/^writes\s.*\d\d:\d\d/s]],
      [
        '/repositories/tide-institute/raw-drafts/settings/writing',
        'Save',
        '/repositories/tide-institute/raw-drafts/settings',
        [/^writes\s.*\d\d:\d\d/s, /^an API key\s.*not recorded/s],
      ],
    ];
    for (const [view, button, path, expected] of settings) {
      const isOn = async () => (await asAda('GET', path)).body.federated_only;
      await open(view);
      await ada.getByLabel('Federated-only writes').check();
      await ada.getByRole('button', { name: button }).click();
      const shown = await keysOf();
      for (const row of expected) expect(shown).toContainEqual(expect.stringMatching(row));
      expect(shown.filter((row) => /leaked|by setting/.test(row))).toEqual([]);
      await expectSound(ada, `the question of ${view}`);
      expect(await isOn()).toBe(false);
      await dialog().getByRole('button', { name: 'Turn on' }).click();
      await expect.poll(isOn).toBe(true);
      await ada.getByLabel('Federated-only writes').uncheck();
      await ada.getByRole('button', { name: button }).click();
      await expect.poll(isOn).toBe(false);
    }
    await open(machinePath);
  });

  it('disables and enables a service account after it lists the consequences', async () => {
    await ada.getByRole('button', { name: 'Disable …' }).click();
    await dialog().getByText('stop working for good').waitFor();
    await dialog().getByRole('button', { name: 'Disable' }).click();
    await ada.getByText('It is disabled: no software can sign in with it').waitFor();
    expect(await ada.getByText('New key', { exact: true }).count()).toBe(0);
    service.advance(61);
    expect(await runSignsIn('mian')).toBe(403);
    await ada.reload();
    await ada.getByRole('button', { name: `Enable ${machine}` }).click();
    await ada.getByText('The service account is enabled.').waitFor();
    service.advance(61);
    expect(await runSignsIn('mian')).toBe(200);
  });

  it('creates an API key that reads its repository, and revokes it', async () => {
    await open('/repositories/tide-institute/raw-drafts/api-keys');
    await ada.getByText('New API key').click();
    await ada.getByLabel('Expires').selectOption('date');
    await ada.getByLabel('Name').fill(hostile);
    await ada.getByLabel('Day').fill('2020-01-31');
    await ada.getByRole('button', { name: 'Create key' }).click();
    await expectFault('Day', /future/);
    await ada.getByLabel('Expires').selectOption('30');
    await ada.getByRole('button', { name: 'Create key' }).click();
    await dialog().waitFor();
    const [id = '', secret = ''] = await dialog().locator('.secret code').allInnerTexts();
    secrets.push(secret);
    expect(await dialog().locator('pre').first().innerText()).toContain(`aws_secret_access_key = ${secret}`);
    const client = s3Client(service, { accessKeyId: id, secretAccessKey: secret });
    const read = () => client.send(new ListObjectsV2Command({ Bucket: 'tide-institute', Prefix: 'raw-drafts/' }));
    expect((await read()).KeyCount).toBe(0);
    await expectSound(ada, 'the dialog of an API key');
    await dialog().getByRole('button', { name: 'I have stored it' }).click();
    await ada.getByRole('button', { name: `Revoke ${hostile}` }).click();
    await expectNothingLeft();
    await dialog().getByLabel(`Type ${hostile} to confirm`).fill(hostile);
    await dialog().getByRole('button', { name: 'Revoke key' }).click();
    await ada.getByText(`The key “${hostile}” is revoked.`).first().waitFor();
    service.advance(301);
    await expect(read()).rejects.toMatchObject({ $metadata: { httpStatusCode: 403 } });
    expect(await ada.locator('#console img').count()).toBe(0);
  });

  it('creates a key with the keyboard only, and returns the focus after the dialog', async () => {
    await open(machinePath);
    await ada.getByText('New key', { exact: true }).focus();
    await ada.keyboard.press('Enter');
    await ada.keyboard.press('Tab');
    await ada.keyboard.type('by keyboard');
    await ada.keyboard.press('Enter');
    await dialog().waitFor();
    const focused = () => ada.evaluate('document.activeElement.textContent.trim() || document.activeElement.name');
    for (let press = 0; press < 20 && (await focused()) !== 'I have stored it'; press += 1) {
      await ada.keyboard.press('Tab');
    }
    await ada.keyboard.press('Enter');
    await expect.poll(() => dialog().count()).toBe(0);
    await expect.poll(focused).toBe('New key');
  });

  it('shows actions only to users who may run them, and deletes after the user types the name', async () => {
    const stranger = await pages.newPage();
    await stranger.goto(`${service.apiUrl}/-/console${machinePath}`);
    await signInAs(stranger, 'Site administrator');
    await stranger.getByText('you have no access').waitFor();
    expect(await stranger.locator('nav.tabs').innerText()).not.toContain('Service accounts');
    await open(machinePath);
    await ada.getByRole('button', { name: 'Delete …' }).click();
    const last = dialog().getByRole('button', { name: 'Delete for good' });
    expect(await last.isDisabled()).toBe(true);
    await dialog().getByLabel(`Type ${machine} to confirm`).fill(machine);
    await last.click();
    await expect.poll(() => ada.url()).toBe(`${service.apiUrl}/-/console/accounts/tide-institute/service-accounts`);
    expect((await asAda('GET', `/service-accounts/${machine}`)).status).toBe(404);
    expect(await runSignsIn('main')).toBe(403);
  });

  it('violates no content security policy and runs no script in the tests above', async () => {
    expect(pages.complaints.filter((text) => /Content Security Policy|Refused to|pageerror/i.test(text))).toEqual([]);
    expect(await ada.title()).not.toBe('ran');
  });
});

async function open(path: string): Promise<void> {
  await ada.goto(`${service.apiUrl}/-/console${path}`);
}

function dialog() {
  return ada.getByRole('dialog');
}

/** Expects that the field is marked, has the focus, and has the sentence below it. */
async function expectFault(label: string | RegExp, sentence: RegExp): Promise<void> {
  const field = ada.getByLabel(label).first();
  await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true');
  const fault = ada.locator('.field', { has: field }).locator('.fault');
  await expect.poll(() => fault.innerText()).toMatch(sentence);
  await expect.poll(() => ada.evaluate(`document.activeElement.getAttribute('aria-invalid')`)).toBe('true');
}

async function expectNothingLeft(): Promise<void> {
  const everything = await ada.evaluate(`JSON.stringify([
    document.documentElement.outerHTML, [...document.querySelectorAll('input,textarea,select')].map(({ value }) => value),
    { ...sessionStorage }, { ...localStorage }, location.href, history.state, document.cookie, name,
    performance.getEntries().map(({ name }) => name),
  ])`);
  expect(secrets.length).toBeGreaterThan(0);
  for (const secret of secrets) expect(everything).not.toContain(secret);
}

/** Creates a key, signs in with it, and returns its ID. */
async function usedKey(label: string): Promise<string> {
  const { body } = await made(asAda('POST', `/service-accounts/${machine}/keys`, { label, expiry: '30d' }));
  expect(await signsIn({ WebIdentityToken: body.key })).toBe(200);
  return body.key_id;
}

/** Revokes a key in the console, with the choice of this label, and returns the answer of the API. */
async function revoke(label: string, choice?: string): Promise<unknown> {
  await ada.getByRole('button', { name: `Revoke ${label}` }).click();
  await dialog().getByLabel(`Type ${label} to confirm`).fill(label);
  if (choice !== undefined) await dialog().getByLabel(choice).check();
  const answered = ada.waitForResponse((answer) => answer.request().method() === 'DELETE');
  await dialog().getByRole('button', { name: 'Revoke key' }).click();
  return (await answered).json();
}

/** Returns the status of an exchange as the service account. */
async function signsIn(fields: Record<string, string>): Promise<number> {
  const { status } = await postExchange(service, { RoleArn: roleArn('FullAccess', machine), ...fields });
  return status;
}

async function runSignsIn(branch: string, of = repository, claims: Record<string, string> = {}): Promise<number> {
  const token = await ciToken(service, { sub: `repo:${of}:ref:refs/heads/${branch}`, ...claims });
  return signsIn({ WebIdentityToken: token });
}
