import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededUsers } from '../../lib/local/seed.ts';
import { violations } from '../service/axe.ts';
import { chromiumPath } from '../service/chromium.ts';
import { type ConsolePages, openConsolePages, signInAs } from '../service/console-pages.ts';
import { type SeededService, startSeededService } from '../service/seeded-service.ts';
import { signInScript, untilQuiet } from '../service/signed-in-page.ts';
import { userToken } from '../service/user-tokens.ts';

const ran = "document.title='ran'";
const hostileName = `<img src=x onerror="${ran}">`;

let service: SeededService;
let pages: ConsolePages;
let site: string;
/** Pages of Ada, who owns the Tide Institute, and of Grace, a new user. */
let ada: Page;
let grace: Page;

describe.skipIf(chromiumPath === undefined)('the console in a browser', () => {
  beforeAll(async () => {
    service = await startSeededService({ users: seededUsers });
    site = service.apiUrl;
    pages = await openConsolePages();
    [ada, grace] = [await pages.newPage(), await pages.newPage()];
  });
  afterAll(async () => {
    await pages?.close();
    await service?.close();
  });

  it('returns to the same view after the sign-in, without a code or token in the URL', async () => {
    const addresses: string[] = [];
    ada.on('framenavigated', (frame) => addresses.push(frame.url()));
    await ada.goto(`${site}/-/console/accounts/tide-institute`);
    await signInAs(ada, 'Ada');
    await ada.getByRole('heading', { name: 'Tide Institute' }).waitFor();
    await expect.poll(() => ada.url()).toBe(`${site}/-/console/accounts/tide-institute`);
    expect(await ada.evaluate('JSON.stringify(history.state)')).toMatch(/^\{"entry":\d+\}$/);
    expect(addresses.filter((url) => /token=|eyJ/.test(url))).toEqual([]);
    expect(await ada.evaluate('JSON.stringify(sessionStorage)')).toBe('{}');
    expect(await ada.evaluate('Object.keys(localStorage).sort()')).toEqual([
      'sluice.account',
      'sluice.tokens',
      'sluice.used',
    ]);
    expect(await ada.evaluate('document.cookie')).toBe('');
  });

  it('leads a new user from the sign-in to an account, and shows a refusal at its field', async () => {
    await grace.goto(`${site}/-/console`);
    await grace.getByRole('button', { name: 'Sign in' }).click();
    await grace.getByLabel(/A name that is not in the list/).fill('grace');
    await grace.locator('.one-line button').click();
    await grace.getByLabel('Account ID').fill('A!');
    await grace.getByRole('button', { name: 'Create account' }).click();
    const field = grace.getByLabel('Account ID');
    await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true');
    await expect.poll(() => grace.evaluate('document.activeElement.name')).toBe('account_id');
    await field.fill('grace');
    await grace.getByLabel('Your name').fill(hostileName);
    await grace.getByRole('button', { name: 'Create account' }).click();
    await grace.getByRole('heading', { name: 'Publish your first file' }).waitFor();
    expect(await grace.locator('.steps li').count()).toBe(5);
    await grace.getByText('ask an administrator of this site to allow it for your account, grace').waitFor();
    expect(await grace.getByRole('link', { name: 'New organization' }).count()).toBe(0);
  });

  it('creates a repository and invites a user by clicks', async () => {
    await ada.getByRole('link', { name: 'New repository' }).click();
    await ada.getByLabel('Title').fill('Ocean heat!');
    await expect.poll(() => ada.getByLabel('Repository ID').inputValue()).toBe('ocean-heat');
    await ada.getByLabel('Repository ID').fill('ocean-heat');
    await ada.getByLabel('Title').fill('Ocean heat');
    await ada.getByLabel('Visibility').selectOption('private');
    const license = ada.getByLabel('License', { exact: true });
    await license.selectOption('Another license …');
    await ada.getByLabel('Which license').fill('free for all');
    await ada.getByRole('button', { name: 'Create repository' }).click();
    await expect.poll(() => ada.getByLabel('Which license').getAttribute('aria-invalid')).toBe('true');
    await license.selectOption('CC-BY-4.0');
    await ada.getByRole('button', { name: 'Create repository' }).click();
    await ada.getByRole('heading', { name: 'Ocean heat' }).waitFor();
    await ada.getByText('CC-BY-4.0').waitFor();
    await expect.poll(() => ada.url()).toBe(`${site}/-/console/repositories/tide-institute/ocean-heat`);
    await expect.poll(() => ada.evaluate('document.activeElement.textContent')).toBe('Overview');
    await ada.getByRole('link', { name: 'Upload files' }).click();
    await expect.poll(() => ada.url()).toBe(`${site}/-/console/repositories/tide-institute/ocean-heat/files`);
    await ada.getByRole('link', { name: 'Tide Institute' }).first().click();
    await ada.getByRole('link', { name: 'People' }).click();
    await ada.getByText('Invite a member').click();
    await ada.getByLabel('Account ID').fill('grace@example.org');
    await ada.getByRole('button', { name: 'Invite', exact: true }).click();
    await ada.getByText('create an account here, and invite the ID').waitFor();
    await ada.getByLabel('Account ID').fill('grcae');
    await expect.poll(() => ada.getByText('create an account here, and invite the ID').count()).toBe(0);
    expect(await ada.evaluate('document.activeElement.name')).toBe('account_id');
    await ada.getByRole('button', { name: 'Invite', exact: true }).click();
    await ada.getByText('Ask the user for the ID on their Start page.').waitFor();
    await ada.getByLabel('Account ID').fill('gra');
    await expect.poll(() => ada.locator('datalist option[value=grace]').count()).toBe(1);
    await ada.getByLabel('Account ID').fill('grace');
    await ada.getByRole('group').filter({ hasText: 'Invite a member' }).getByLabel('Role').selectOption('read_data');
    await ada.getByRole('button', { name: 'Invite', exact: true }).click();
    await ada.getByText('grace is invited.').waitFor();
  });

  it('shows the invitation to its receiver, who then has only the view of readers and runs no script of others', async () => {
    await grace.goto(`${site}/-/console`);
    await grace.getByRole('button', { name: 'Accept the invitation to Tide Institute' }).click();
    await grace.getByText('You are a reader').waitFor();
    await grace.getByRole('link', { name: 'Tide Institute' }).click();
    await grace.getByRole('heading', { name: 'Tide Institute' }).waitFor();
    expect(await grace.locator('.byline').innerText()).toBe('tide-institute');
    await grace.getByText('Private: members').first().waitFor();
    await grace.getByRole('link', { name: 'Ocean heat' }).click();
    await grace.getByRole('heading', { name: 'Ocean heat' }).waitFor();
    await untilQuiet(grace);
    expect(await tabs(grace)).toEqual(['Overview', 'Files', 'Versions']);
    expect(await grace.getByRole('link', { name: 'Upload files' }).count()).toBe(0);
    await ada.reload();
    await ada.getByText(hostileName).waitFor();
    expect(await ada.title()).not.toBe('ran');
    expect(await tabs(ada)).toEqual([
      'Repositories',
      'People',
      'Service accounts',
      'API keys',
      'Storage',
      'Transfers',
      'Usage',
      'Audit trail',
      'Flags',
      'Settings',
    ]);
    await grace.goto(`${site}/-/console/accounts/tide-institute/people`);
    await grace.getByText('you have no access').waitFor();
  });

  it('removes a member after it lists the consequences', async () => {
    await ada.getByRole('button', { name: 'Remove grace' }).click();
    await ada.getByText('grace can no longer use Tide Institute').waitFor();
    await ada.getByText('grace has no valid key here.').waitFor();
    await ada.keyboard.press('Escape');
    await expect.poll(() => ada.locator('dialog').count()).toBe(0);
    await ada.getByRole('button', { name: 'Remove grace' }).click();
    await ada.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await ada.getByText('Ended').waitFor();
    await ada.goto(`${site}/-/console`);
    await ada.getByRole('button', { name: 'Leave Tide Institute' }).click();
    await ada.getByText('Keys that you created stay valid: “local start”.').waitFor();
    await ada.getByRole('link', { name: 'keys that you created' }).click();
    await ada.getByRole('region', { name: 'Keys that ada created' }).getByText('local start').waitFor();
  });

  it('refuses a script as the homepage, and shows a problem document as text', async () => {
    await ada.goto(`${site}/-/console/accounts/ada/settings`);
    await ada.getByLabel('Homepage').fill(`javascript:${ran}`);
    await ada.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => ada.getByLabel('Homepage').getAttribute('aria-invalid')).toBe('true');
    const body = JSON.stringify({ code: 'x', detail: hostileName, errors: [{ path: 'bio', message: hostileName }] });
    await ada.route('**/profile', (route) =>
      route.fulfill({ status: 400, contentType: 'application/problem+json', body }),
    );
    await ada.getByRole('button', { name: 'Save' }).click();
    await ada.getByText(hostileName).first().waitFor();
    await ada.unroute('**/profile');
    expect(await ada.title()).not.toBe('ran');
    expect(await ada.locator('#console img').count()).toBe(0);
  });

  it('disables a repository, and deletes it after the user types its name', async () => {
    await ada.goto(`${site}/-/console/repositories/tide-institute/ocean-heat/settings/danger-zone`);
    await ada.getByRole('button', { name: 'Disable …' }).click();
    await ada.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await ada.getByRole('button', { name: 'Delete …' }).click();
    const last = ada.getByRole('dialog').getByRole('button', { name: 'Delete for good' });
    expect(await last.isDisabled()).toBe(true);
    await ada.getByLabel('Type tide-institute/ocean-heat to confirm').fill('tide-institute/ocean-heat');
    await last.click();
    await ada.getByText('Any files that it had are still in the storage').waitFor();
    // A deleted item has no buttons.
    await ada.locator('dialog:modal').getByRole('button', { name: 'Done' }).click();
    await ada.waitForURL(`${site}/-/console/accounts/tide-institute`);
    expect((await (await service.user('ada'))('GET', '/repositories/tide-institute/ocean-heat')).status).toBe(404);
  });

  it('shows many accounts and invitations in pages', async () => {
    await ada.route('**/api/v1/whoami*', (route) => {
      const url = new URL(route.request().url());
      url.searchParams.set('limit', '1');
      return route.continue({ url: url.href });
    });
    const [admin, asAda] = [await service.user('admin'), await service.user('ada')];
    const body = { account_id: 'far-away', account_type: 'organization', profile: { name: 'Far away' } };
    expect((await admin('POST', '/accounts', body)).status).toBe(201);
    const invitation = { account_id: 'ada', role: 'read_data' };
    expect((await admin('POST', '/accounts/far-away/members', invitation)).status).toBe(201);
    await ada.goto(`${site}/-/console`);
    const more = ada.getByRole('button', { name: /Show more accounts/ });
    await more.waitFor();
    expect(await ada.getByText('Far away').count()).toBe(0);
    await more.click();
    await ada.getByRole('button', { name: 'Reject the invitation to Far away' }).waitFor();
    await ada.getByRole('link', { name: 'Tide Institute' }).waitFor();
    await ada.unroute('**/api/v1/whoami*');
    const { memberships } = (await asAda('GET', '/whoami')).body;
    const open = memberships.find((each: { state: string }) => each.state === 'invited');
    expect((await asAda('POST', `/memberships/${open.membership_id}/reject`)).status).toBe(200);
  });

  it('refuses a sign-in answer that this tab did not request, and one of another issuer', async () => {
    const asked: string[] = [];
    const page = await pages.newPage();
    page.on('request', (request) => asked.push(`${request.method()} ${request.url()}`));
    await page.goto(`${site}/-/sign-in/callback?code=of-an-attacker&state=theirs`);
    await page.getByText('This sign-in did not begin in this tab').waitFor();
    await expect.poll(() => page.url()).toBe(`${site}/-/console`);
    await page.route('**/oauth2/authorize*', (route) => route.fulfill({ status: 204 }));
    for (const more of ['&iss=https%3A%2F%2Fother.example', '', '&iss=']) {
      // Waits until the page has requested the issuer's page. If that request started later, it would abort the
      // navigation to the callback.
      const left = page.waitForResponse('**/oauth2/authorize*');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await left;
      const state = await page.evaluate(`JSON.parse(sessionStorage.getItem('sluice.sign-in')).state`);
      await page.goto(`${site}/-/sign-in/callback?code=of-an-attacker&state=${state}${more}`);
      await page.getByText('The sign-in failed').waitFor();
    }
    expect(asked.filter((each) => each.startsWith('POST'))).toEqual([]);
    expect(asked.some((each) => /assets/.test(each))).toBe(true);
    expect(await page.evaluate(`localStorage.getItem('sluice.tokens')`)).toBeNull();
    await page.context().close();
  });

  it('reloads the page once when a chunk is missing, and then shows the next step', async () => {
    const gone: string[] = [];
    await ada.goto(`${site}/-/console/accounts/tide-institute`);
    await ada.getByRole('link', { name: 'New repository' }).waitFor();
    await ada.route('**/-/assets/people-*', (route) => {
      gone.push(route.request().url());
      return route.fulfill({ status: 404 });
    });
    await ada.getByRole('link', { name: 'People' }).click();
    await ada.getByText('A new version of the site is available').waitFor();
    expect(gone).toHaveLength(2);
    await ada.unroute('**/-/assets/people-*');
    await ada.getByRole('button', { name: 'Reload' }).click();
    await ada.getByText('Invite a member').waitFor();
  });

  it('preserves typed input and shows a message when a deployment has replaced the files', async () => {
    const page = await pages.newPage();
    const tokens = { id: 'a', access_token: await userToken(service, 'ada'), refresh_token: 'a' };
    await page.clock.install();
    await page.addInitScript(signInScript(tokens, 90_000));
    await page.route('**/-/assets/flow-*', (route) => route.fulfill({ status: 404 }));
    await page.goto(`${site}/-/console/accounts/tide-institute/people`);
    await page.getByText('Invite a member').click();
    const field = page.getByLabel('Account ID');
    await field.fill('gr');
    // The search for the name needs a token that is about to expire.
    await page.clock.fastForward(40_000);
    await field.fill('grace-hop');
    await page.clock.fastForward(1000);
    await page.getByText('A new version of the site is available').waitFor();
    expect(await field.inputValue()).toBe('grace-hop');
    await page.context().close();
  });

  it('traps the focus in a dialog, and returns it when the dialog closes', async () => {
    await ada.goto(`${site}/-/console/repositories/tide-institute/tide-gauges/settings/danger-zone`);
    const opener = ada.getByRole('button', { name: 'Disable …' });
    await opener.focus();
    await ada.keyboard.press('Enter');
    await ada.getByRole('dialog').waitFor();
    for (let press = 0; press < 6; press += 1) await ada.keyboard.press('Tab');
    expect(
      await ada.evaluate(
        `document.activeElement === document.body || document.activeElement.closest('dialog') !== null`,
      ),
    ).toBe(true);
    await ada.keyboard.press('Escape');
    await expect.poll(() => ada.evaluate('document.activeElement.textContent')).toBe('Disable …');
  });

  it('shows the owner of an offered repository by its ID, and the consequences before the user accepts', async () => {
    const asAda = await service.user('ada');
    const body = {
      repository_id: 'offered',
      data_mode: 'open',
      meta: { title: 'Offered', description: '', tags: '' },
      data_connection_id: 'local-store',
    };
    expect((await asAda('POST', '/repositories/ada', body)).status).toBe(201);
    const invitation = { account_id: 'grace', role: 'read_data' };
    const invited = await asAda('POST', '/repositories/ada/offered/members', invitation);
    const asGrace = await service.user('grace');
    expect((await asGrace('POST', `/memberships/${invited.body.membership_id}/accept`)).status).toBe(200);
    await grace.goto(`${site}/-/console`);
    await grace.getByRole('button', { name: 'Leave offered' }).waitFor();
    const offer = await asAda('POST', '/repositories/ada/offered/transfers', { to: 'grace' });
    expect(offer.status).toBe(201);
    for (const path of ['/accounts/grace/transfers', '']) {
      await grace.goto(`${site}/-/console${path}`);
      await grace.getByRole('button', { name: 'Accept ada/offered' }).click();
      const dialog = grace.getByRole('dialog', { name: 'Accept offered?' });
      await dialog.getByText("Its data is published under your account's name").waitFor();
      expect(await violations(grace)).toEqual([]);
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      const link = grace.getByRole('link', { name: 'ada/offered' });
      expect(await link.getAttribute('href')).toBe('/ada/offered');
      await grace.locator('strong', { hasText: /^ada$/ }).waitFor();
    }
    await grace.getByRole('button', { name: 'Accept ada/offered' }).click();
    await grace.getByRole('button', { name: 'Accept repository' }).click();
    await grace.getByText('The repository is grace/offered now.').waitFor();
    expect((await asGrace('GET', '/repositories/grace/offered')).status).toBe(200);
    // Wait until the page no longer shows the earlier membership, which has ended.
    await grace.getByRole('button', { name: 'Leave offered' }).waitFor({ state: 'hidden' });
  });

  it('leads the members of a transferred repository from its old path to the new one', async () => {
    await ada.goto(`${site}/-/console/repositories/ada/offered/versions`);
    await ada.getByText('This repository was transferred from ada/offered to grace/offered.').waitFor();
    await expect.poll(() => ada.title()).toBe('Offered · Sluice');
    expect(await violations(ada)).toEqual([]);
    await ada.getByRole('link', { name: 'Go to grace/offered' }).click();
    await ada.waitForURL('**/-/console/repositories/grace/offered');
    await ada.getByText('This repository was transferred').waitFor({ state: 'hidden' });
  });

  it('sends a change once when the button is pressed twice', async () => {
    const sent: string[] = [];
    for (const page of [ada, grace]) {
      page.on('request', (request) => {
        const { pathname } = new URL(request.url());
        if (pathname.startsWith('/api/') && request.method() !== 'GET') sent.push(`${request.method()} ${pathname}`);
      });
    }
    await ada.goto(`${site}/-/console/accounts/tide-institute/people`);
    await ada.getByText('Invite a member').click();
    await ada.getByLabel('Account ID').fill('grace');
    await ada.getByRole('button', { name: 'Invite', exact: true }).dblclick();
    await ada.getByText('grace is invited.').waitFor();
    await grace.goto(`${site}/-/console`);
    await grace
      .getByRole('button', { name: 'Accept the invitation to Tide Institute' })
      .evaluate((button: HTMLButtonElement) => {
        button.click();
        button.click();
      });
    await grace.getByText('You are a member of Tide Institute now.').waitFor();
    await ada.goto(`${site}/-/console/accounts/ada/settings`);
    await ada.getByLabel('Location').fill('Bergen');
    const save = ada.getByRole('button', { name: 'Save' });
    await save.evaluate(({ form }: HTMLButtonElement) => {
      form?.requestSubmit();
      form?.requestSubmit();
    });
    await ada.getByText('Saved.').waitFor();
    // Makes the second of two clicks, after the response to the first one. The bar with the button is already gone.
    expect(await save.count()).toBe(0);
    await ada.mouse.down({ clickCount: 2 });
    await ada.mouse.up({ clickCount: 2 });
    await ada.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Dashboard' }).click();
    await ada.getByRole('heading', { name: 'Dashboard' }).waitFor();
    const once = ['/tide-institute/members', '/accept', '/ada/profile'].map((end) =>
      sent.filter((each) => each.endsWith(end)),
    );
    expect(once.map(({ length }) => length)).toEqual([1, 1, 1]);
  });

  it('gives a page of another origin that opened it no control', async () => {
    const other = await pages.newPage();
    await other.goto(service.identity.people.jwks_uri);
    const [opened] = await Promise.all([
      other.context().waitForEvent('page'),
      other.evaluate(`globalThis.opened = open('${site}/-/console')`),
    ]);
    await opened.getByRole('button', { name: 'Sign in' }).waitFor();
    // Without this protection, the foreign page could navigate the tab to a fake sign-in page while the user is away.
    await expect.poll(() => other.evaluate('globalThis.opened.closed')).toBe(true);
    expect(await opened.evaluate('opener')).toBeNull();
    await other.context().close();
  });

  it('violates no content security policy in the tests above', () => {
    expect(pages.complaints.filter((text) => /Content Security Policy|Refused to/i.test(text))).toEqual([]);
  });
});

function tabs(page: Page): Promise<string[]> {
  return page.locator('nav.tabs a').allInnerTexts();
}
