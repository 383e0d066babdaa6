import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type BrowserContext, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operationId } from '../../../lib/operations/operation.ts';
import { registry } from '../../../lib/operations/registry.ts';
import { startTestService, type TestService } from '../../service/test-service.ts';

const operationIds = registry.filter(({ method }) => method !== 'ANY').map(operationId);
const browserPath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);

let service: TestService;
let docsUrl: string;
beforeAll(async () => {
  service = await startTestService();
  docsUrl = `${service.apiUrl}/api/v1/docs`;
});
afterAll(() => service.close());

describe('the reference page', () => {
  it('is sent as a page that may load nothing, run nothing and be framed by nobody', async () => {
    const answer = await fetch(docsUrl);
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
      ),
      'x-content-type-options': 'nosniff',
    });
    const text = await answer.text();
    expect(text).toMatch(/^<!doctype html>/);
    expect(text).not.toMatch(/<script|<img|<iframe|<link|@import|url\(| on\w+=| style=/i);
  });

  it('is read by anyone, whatever the Authorization header says', async () => {
    expect((await fetch(docsUrl, { headers: { authorization: 'Bearer none' } })).status).toBe(200);
  });

  it('tells how machines sign in', async () => {
    const text = await (await fetch(docsUrl)).text();
    for (const said of [
      'AWS_REGION',
      'AWS_DEFAULT_REGION',
      'AWS_ENDPOINT_URL_S3',
      'AWS_ENDPOINT_URL_STS',
      'AWS_ROLE_ARN',
      'AWS_WEB_IDENTITY_TOKEN_FILE',
      'sts-endpoint: &quot;https://',
      'id-token: write',
      'CPL_AWS_WEB_IDENTITY_ENABLE=NO',
      'audience: &quot;https://',
      '<code>~</code> and <code>$HOME</code> are not expanded',
      'absolute path',
      'line break at the end of the file does no harm',
      'from 2.13',
      'boto3 1.28 with botocore 1.31',
      'replace any key that it has used before',
      'runs below an hour',
      'a client that renews them',
      'from 900 to 43200',
      'ExpiredToken',
      'web_identity_token_file',
      'role-duration-seconds: 3600',
      'InvalidIdentityToken',
      'AccessDenied',
      'Throttling',
    ]) {
      expect(text).toContain(said);
    }
  });
});

describe.skipIf(browserPath === undefined)('in a browser, the reference page', () => {
  let profile: string;
  let browser: BrowserContext;
  beforeAll(async () => {
    profile = await mkdtemp(path.join(tmpdir(), 'sluice-browser-'));
    browser = await chromium.launchPersistentContext(profile, {
      executablePath: browserPath ?? '',
      args: [
        '--headless',
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    });
  });
  afterAll(async () => {
    await browser.close();
    await rm(profile, { recursive: true, force: true });
  });

  async function openPage(width: number, colorScheme: 'light' | 'dark' = 'light') {
    const page = await browser.newPage();
    const requests: string[] = [];
    const complaints: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    await page.goto(docsUrl);
    return { page, requests, complaints };
  }

  it('needs no request but its own and makes the console say nothing', async () => {
    const { page, requests, complaints } = await openPage(1440);
    await page.waitForLoadState('networkidle');
    expect(requests).toEqual([docsUrl]);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('has a place for every operation, and no link that leads nowhere', async () => {
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

  it('leads from the contents to an operation', async () => {
    const { page } = await openPage(1440);
    await page.getByRole('navigation').getByRole('link', { name: 'Create a data connection' }).click();
    expect(new URL(page.url()).hash).toBe('#createDataConnection');
    const heading = page.locator('#createDataConnection h3');
    expect((await heading.boundingBox())?.y).toBeLessThan(200);
    await page.close();
  });

  it.each([360, 800, 1440])('fits a window %i pixels wide without scrolling sideways', async (width) => {
    const { page } = await openPage(width);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    await page.close();
  });

  it('is styled, light on dark where the reader wants that', async () => {
    const colours = [];
    for (const scheme of ['light', 'dark'] as const) {
      const { page } = await openPage(1440, scheme);
      colours.push(await page.evaluate('getComputedStyle(document.body).backgroundColor'));
      await page.close();
    }
    expect(colours).toEqual(['rgb(255, 255, 255)', 'rgb(15, 24, 29)']);
  });
});
