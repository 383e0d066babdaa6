import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededUsers } from '../../lib/local/seed.ts';
import { chromiumPath, launchChromium } from '../service/chromium.ts';
import { expectSound, signInAs } from '../service/console-pages.ts';
import { type SeededService, startSeededService } from '../service/seeded-service.ts';
import type { Client } from '../service/test-service.ts';
import { type RepositoryApis, startRepositoryApis } from './repository-apis.ts';

const machine = 'tide-institute--nightly-sync';
const machinePath = '/accounts/tide-institute/service-accounts/nightly-sync';
const github = 'https://token.actions.githubusercontent.com';
const gitlab = 'https://gitlab.com';
const cluster = 'https://cluster.tides.example';

let apis: RepositoryApis;
let service: SeededService;
let ada: Page;
let asAda: Client;

describe.skipIf(chromiumPath === undefined)('the form of a trusted workload', () => {
  beforeAll(async () => {
    apis = await startRepositoryApis();
    service = await startSeededService({
      users: seededUsers,
      ciIssuers: [
        { issuer: github, kind: 'github', algorithms: ['RS256'] },
        { issuer: gitlab, kind: 'gitlab', algorithms: ['RS256'] },
      ],
    });
    const browser = await launchChromium();
    const context = await browser.newContext({
      proxy: { server: apis.proxyUrl, bypass: '127.0.0.1' },
      ignoreHTTPSErrors: true,
    });
    ada = await context.newPage();
    ada.setDefaultTimeout(25_000);
    asAda = await service.user('ada');
    await open(machinePath);
    await signInAs(ada, 'Ada');
    await ada.getByText('Trusted workflows').waitFor();
  });
  afterAll(async () => {
    await ada?.context().close();
    await service?.close();
    apis?.close();
  });

  it('pins the numeric IDs that the API of GitHub shows, and sends it nothing about the user', async () => {
    await typeWorkflow(github, 'Tides/Code');
    await submit();
    await closeDialog();
    await ada.getByText('Pinned to repository 4711 of owner 42').waitFor();
    expect(await trusted('Tides/Code')).toMatchObject({ pinned: { repository_id: '4711', repository_owner_id: '42' } });
    const [{ url, headers } = { url: '', headers: {} }] = apis.requests;
    expect(url).toBe('api.github.com/repos/Tides/Code');
    expect(Object.keys(headers)).not.toEqual(expect.arrayContaining(['cookie']));
    expect([headers.cookie, headers.authorization, headers.referer]).toEqual([undefined, undefined, undefined]);
  });

  it('pins the numeric IDs that the API of GitLab shows for a project in nested groups', async () => {
    await typeWorkflow(gitlab, 'tides/gauges/code');
    await submit();
    await closeDialog();
    expect(await trusted('tides/gauges/code')).toMatchObject({
      pinned: { repository_id: '77', repository_owner_id: '78' },
    });
  });

  it('shows both names of a renamed repository, pins no ID, and uses the current name on request', async () => {
    await typeWorkflow(github, 'tides/old-name');
    await submit();
    await ids().getByText('GitHub shows another name for this repository').waitFor();
    expect(await ids().locator('dd').allInnerTexts()).toEqual(['tides/old-name', 'mallory/taken']);
    await submit();
    await form().getByText('Type the current name of the repository').first().waitFor();
    expect(await trusted('tides/old-name')).toBeUndefined();
    await expectSound(ada, 'the form with two names');
    await form().getByRole('button', { name: 'Use the current name' }).click();
    expect(await form().getByLabel('Code repository').inputValue()).toBe('mallory/taken');
    await submit();
    await closeDialog();
    expect(await trusted('mallory/taken')).toMatchObject({ pinned: { repository_id: '4712' } });
  });

  it('accepts typed IDs of a private repository', async () => {
    await typeWorkflow(github, 'tides/private');
    await submit();
    await ids().getByText('GitHub shows no public repository of this name').waitFor();
    await form().getByLabel('Repository ID').fill('99');
    await submit();
    await form().getByText('must be given together').first().waitFor();
    await form().getByLabel('Owner ID').fill('98');
    await submit();
    await closeDialog();
    expect(await trusted('tides/private')).toMatchObject({
      pinned: { repository_id: '99', repository_owner_id: '98' },
    });
  });

  it.each([
    ['its rate limit', 'tides/limited', 'answers no more requests'],
    ['no answer', 'tides/silent', 'did not answer'],
    ['a redirect to another host', 'tides/elsewhere', 'did not answer'],
    ['a hostile name', 'tides/hostile', 'cannot be used'],
    ['an answer that is too large', 'tides/huge', 'cannot be used'],
    ['an ID that is not exact', 'tides/imprecise', 'cannot be used'],
  ])('leaves the pin to the first sign-in after %s', async (_, repository, sentence) => {
    await typeWorkflow(github, repository);
    await submit();
    await ids().getByText(sentence).waitFor();
    expect(await trusted(repository)).toBeUndefined();
    await submit();
    await closeDialog();
    await ada.getByText('Not pinned yet').first().waitFor();
    expect(await trusted(repository)).toMatchObject({ pinned: null });
    expect(apis.otherHosts).not.toContain('elsewhere.example:443');
    expect(await ada.title()).not.toBe('ran');
  });

  it('sends the optional conditions of the CI system, and the list shows them', async () => {
    await typeWorkflow(github, 'Tides/Code', 'environment', 'production');
    await form().getByText('More conditions').click();
    await form().getByLabel('Event').fill('push');
    await form().getByLabel('Ref', { exact: true }).fill('refs/heads/main');
    await form().getByLabel('Workflow file').fill('tides/code/.github/workflows/publish.yml');
    await expectSound(ada, 'the form with conditions');
    await submit();
    await closeDialog();
    await ada.getByText('event_name: push').waitFor();
    const list = (await asAda('GET', `/service-accounts/${machine}/trusted-workflows`)).body;
    expect(list).toContainEqual(
      expect.objectContaining({ environment: 'production', event_name: 'push', ref: 'refs/heads/main' }),
    );
  });

  it('trusts a workload of an issuer that the account registered, by its subject and further claims', async () => {
    await open('/accounts/tide-institute/settings/issuers');
    await ada.getByText('Register an issuer').click();
    await ada.getByLabel('Issuer', { exact: true }).fill(`${cluster}?a=b`);
    await ada.getByRole('button', { name: 'Register', exact: true }).click();
    await ada.getByText('without user, query, fragment').first().waitFor();
    await ada.getByLabel('Issuer', { exact: true }).fill(cluster);
    await ada.getByRole('button', { name: 'Register', exact: true }).click();
    await ada.getByText('1 key', { exact: true }).waitFor();
    await expectSound(ada, 'the issuers of an account');
    await open(machinePath);
    await ada.getByText('Trust a workflow', { exact: true }).click();
    await form().getByLabel('CI system').selectOption(cluster);
    await form().getByLabel('Subject').fill('harbour');
    await form().getByRole('button', { name: 'Add a claim' }).click();
    await form().getByLabel('Claim 1', { exact: true }).fill('kubernetes.io');
    await form().getByLabel('Value 1').fill('a*');
    await submit();
    await form().getByText('wildcards are not supported').first().waitFor();
    await form().getByLabel('Value 1').fill('exact');
    await submit();
    await form().getByText('must be system:serviceaccount:<namespace>:<name>').first().waitFor();
    await form().getByLabel('Subject').fill('system:serviceaccount:harbour:sync');
    await expectSound(ada, 'the form of a cluster');
    await submit();
    await ada.getByRole('dialog').getByText('serviceAccountToken').waitFor();
    await closeDialog();
    await ada.getByText('kubernetes.io: exact').waitFor();
  });

  it('shows how many trusted workflows stop before it deletes an issuer', async () => {
    await open('/accounts/tide-institute/settings/issuers');
    await ada.getByText('1 trusted').waitFor();
    await ada.getByRole('button', { name: `Delete ${cluster}` }).click();
    await ada.getByRole('dialog').getByText('One trusted workflow stops working').waitFor();
    await ada.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await ada.getByText('No issuer is registered').waitFor();
  });

  it('connects to the CI systems only from the document in the frame', async () => {
    const policyOf = async (path: string) =>
      (await fetch(service.apiUrl + path)).headers.get('content-security-policy');
    expect(await policyOf('/-/console?frame=repository-lookup')).toContain(
      'connect-src https://api.github.com https://gitlab.com;',
    );
    expect(await policyOf('/-/console')).not.toMatch(/github|gitlab/);
    const before = apis.requests.length;
    const refused = await ada.evaluate(
      `fetch('https://api.github.com/repos/Tides/Code').then(() => 'answered', () => 'refused')`,
    );
    expect([refused, apis.requests.length]).toEqual(['refused', before]);
  });
});

async function open(path: string): Promise<void> {
  await ada.goto(`${service.apiUrl}/-/console${path}`);
}

const form = () => ada.locator('#workflows details.create');
const ids = () => form().getByRole('status', { name: 'Numeric IDs of the repository' });
const submit = () => form().getByRole('button', { name: 'Trust this subject' }).click();

async function typeWorkflow(issuer: string, repository: string, origin = 'branch', name = 'main'): Promise<void> {
  await ada.reload();
  await ada.getByText('Trust a workflow', { exact: true }).click();
  await form().getByLabel('CI system').selectOption(issuer);
  await form().getByLabel('Code repository').fill(repository);
  await form().getByLabel('Runs from').selectOption(origin);
  await form().locator(`[name=${origin}]`).fill(name);
}

async function closeDialog(): Promise<void> {
  await ada.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).click();
}

async function trusted(repository: string) {
  const { body } = await asAda('GET', `/service-accounts/${machine}/trusted-workflows`);
  return body.find((each: { repository?: string }) => each.repository === repository);
}
