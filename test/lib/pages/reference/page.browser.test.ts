import { createHash } from 'node:crypto';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operationId } from '../../../../lib/operations/operation.ts';
import { problemCodes } from '../../../../lib/operations/problems.ts';
import { registry } from '../../../../lib/operations/registry.ts';
import { signInKey } from '../../../../lib/pages/site/console-configuration.ts';
import { chromiumPath, launchChromium } from '../../../service/chromium.ts';
import { startTestService, type TestService } from '../../../service/test-service.ts';

const operationIds = registry.filter(({ method }) => method !== 'ANY').map(operationId);

let service: TestService;
let docsUrl: string;
beforeAll(async () => {
  service = await startTestService();
  docsUrl = `${service.apiUrl}/api/v1/docs`;
});
afterAll(() => service.close());

describe('the reference page', () => {
  it('has a policy that allows only its own script, and no frames', async () => {
    const answer = await fetch(docsUrl);
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; script-src 'sha256-[\w+/]{43}='; style-src 'sha256-[\w+/]{43}='; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
      ),
      'x-content-type-options': 'nosniff',
    });
    const text = await answer.text();
    expect(text).toMatch(/^<!doctype html>/);
    expect(text).not.toMatch(/<img|<iframe|@import|url\(| on\w+=| style=/i);
    expect(text.match(/<link[^>]*>/g)).toEqual([
      expect.stringMatching(/^<link rel="icon" href="data:image\/svg\+xml,/),
    ]);
    const scripts = [...text.matchAll(/<script type="module">([\s\S]*?)<\/script>/g)];
    expect(text.match(/<script/gi)).toHaveLength(1);
    const hash = createHash('sha256')
      .update(scripts[0]?.[1] ?? '')
      .digest('base64');
    expect(answer.headers.get('content-security-policy')).toContain(`script-src 'sha256-${hash}'`);
  });

  it('ignores the Authorization header', async () => {
    expect((await fetch(docsUrl, { headers: { authorization: 'Bearer none' } })).status).toBe(200);
  });

  it('describes everything that applies to all operations', async () => {
    const text = await (await fetch(docsUrl)).text();
    const sections =
      'start basics identity permissions lists retries refusals rates browsers conventions machines'.split(' ');
    for (const id of sections) expect(text).toContain(`id="${id}"`);
    for (const code of problemCodes) expect(text).toContain(`href="#problem-${code}"`);
  });

  it('describes the sign-in of machines', async () => {
    const text = await (await fetch(docsUrl)).text();
    const settings =
      'AWS_REGION AWS_DEFAULT_REGION AWS_ENDPOINT_URL_S3 AWS_ENDPOINT_URL_STS AWS_ROLE_ARN web_identity_token_file';
    const errors = 'ExpiredToken InvalidIdentityToken AccessDenied Throttling CPL_AWS_WEB_IDENTITY_ENABLE=NO';
    for (const words of [
      ...`${settings} ${errors}`.split(' '),
      ...['sts-endpoint: &quot;https://', 'audience: &quot;https://', 'id-token: write', 'role-duration-seconds: 3600'],
      ...['<code>~</code> and <code>$HOME</code> are not expanded', 'absolute path', 'may end with a line break'],
      ...['from 2.13', 'boto3 1.28 with botocore 1.31', 'from 900 to 43200', 'replace any key that it has used before'],
      ...['runs below an hour', 'a client that renews them'],
    ]) {
      expect(text).toContain(words);
    }
  });
});

describe.skipIf(chromiumPath === undefined)('the reference page in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser.close();
  });

  async function openPage(width: number, colorScheme: 'light' | 'dark' = 'light') {
    const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
    const requests: string[] = [];
    const complaints: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(docsUrl);
    return { page, requests, complaints };
  }

  it('sends no further request, and logs nothing', async () => {
    const { page, requests, complaints } = await openPage(1440);
    await page.waitForLoadState('networkidle');
    expect(requests).toEqual([docsUrl]);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('has the header of the site, in which users sign in and return', async () => {
    const { page } = await openPage(1440);
    const link = page.locator('header.site [data-account] a');
    const shown = async () => [await link.textContent(), await link.getAttribute('href')];
    expect(await page.locator('header.site a').allTextContents()).toEqual([
      'Sluice',
      'Catalogue',
      'API reference',
      'Sign in',
    ]);
    expect(await shown()).toEqual(['Sign in', '/-/console?return=/api/v1/docs']);
    await page.evaluate(`localStorage.setItem('${signInKey}', '{"access_token":"a"}')`);
    await page.reload();
    expect(await shown()).toEqual(['Console', '/-/console']);
    await page.evaluate(`localStorage.clear()`);
    await page.close();
  });

  it('has a section for every operation, and no broken link', async () => {
    const { page } = await openPage(1440);
    const { ids, links } = (await page.evaluate(`({
      ids: [...document.querySelectorAll('[id]')].map((element) => element.id),
      links: [...document.querySelectorAll('a[href^="#"]')].map((link) => link.getAttribute('href').slice(1)),
    })`)) as { ids: string[]; links: string[] };
    expect(ids).toEqual(expect.arrayContaining(operationIds));
    expect(new Set(ids).size).toBe(ids.length);
    expect(links.filter((link) => !ids.includes(link))).toEqual([]);
    await page.close();
  });

  it('links the contents to the operations', async () => {
    const { page } = await openPage(1440);
    await page
      .getByRole('navigation', { name: 'Contents' })
      .getByRole('link', { name: 'Create a data connection' })
      .click();
    await expect.poll(() => new URL(page.url()).hash).toBe('#createDataConnection');
    const heading = page.locator('#createDataConnection h3');
    await expect.poll(async () => (await heading.boundingBox())?.y).toBeLessThan(200);
    await page.close();
  });

  describe('is searched', () => {
    it.each([
      ['createRepository', ['createRepositoryInvitationLink', 'createRepository', 'createRepositoryApiKey']],
      ['post invite', ['inviteAccountMember', 'inviteRepositoryMember', 'showInvitationLink']],
      ['/accounts/ada/members', ['inviteAccountMember', 'listAccountMembers']],
      ['/api/v1/accounts/{account_id}/members', ['inviteAccountMember', 'listAccountMembers']],
      ['last_owner', ['problem-last_owner']],
      ['NewApiKey', ['schema-NewApiKey']],
      ['zzz', []],
    ])('by %s', async (words, expected) => {
      const { page, complaints } = await openPage(1440);
      await page.keyboard.press('/');
      await page.keyboard.type(words);
      const hashes = () =>
        page.evaluate(
          `[...document.querySelectorAll('nav li a')].filter((link) => link.checkVisibility()).map((link) => link.hash.slice(1))`,
        );
      await expect.poll(hashes).toEqual(expected);
      expect(await page.getByText('No matches.').isVisible()).toBe(expected.length === 0);
      await page.keyboard.press('Enter');
      await expect.poll(() => new URL(page.url()).hash).toBe(expected.length === 0 ? '' : `#${expected[0]}`);
      await page.locator('#find').focus();
      await page.keyboard.press('Escape');
      await expect.poll(() => page.locator('nav li:visible').count()).toBeGreaterThan(operationIds.length);
      expect(complaints).toEqual([]);
      await page.close();
    });
  });

  it('shows its contents behind a button on a phone, and closes them after a click', async () => {
    const { page } = await openPage(360);
    const contents = page.getByRole('navigation', { name: 'Contents' });
    expect(await contents.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Contents' }).click();
    await expect.poll(() => contents.boundingBox()).toMatchObject({ x: 0, width: 360 });
    await contents.getByRole('link', { name: 'Create a data connection' }).click();
    await expect.poll(() => contents.isVisible()).toBe(false);
    await page.waitForFunction(
      `Math.abs(document.querySelector('#createDataConnection').getBoundingClientRect().top) < 120`,
    );
    await page.close();
  });

  it('scrolls long lines inside the examples', async () => {
    const { page } = await openPage(360);
    const [inner, outer] = (await page.evaluate(
      `(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth])(document.querySelector('#start-create pre'))`,
    )) as number[];
    expect(inner).toBeGreaterThan(outer ?? 0);
    expect(outer).toBeLessThanOrEqual(360);
    await page.close();
  });

  it.each([360, 800, 1440])('fits a window %i pixels wide without scrolling sideways', async (width) => {
    const { page } = await openPage(width);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    await page.close();
  });

  it('has a light and a dark style', async () => {
    const colours = [];
    for (const scheme of ['light', 'dark'] as const) {
      const { page } = await openPage(1440, scheme);
      colours.push(await page.evaluate('getComputedStyle(document.body).backgroundColor'));
      await page.close();
    }
    expect(colours).toEqual(['rgb(255, 255, 255)', 'rgb(14, 22, 27)']);
  });
});
