import type { Browser, Page, Request } from 'playwright-core';
import type { LocalService } from '../../lib/local/service.ts';
import { userToken } from './user-tokens.ts';

/** Opens a page in a separate browser context, signed in as this user, or not signed in without a name. */
export async function signedInPage(
  browser: Browser,
  service: Pick<LocalService, 'identity'>,
  identity?: string,
): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  // In a new process, the first page waits until the console is built.
  page.setDefaultTimeout(25_000);
  followRequests(page);
  if (identity === undefined) return page;
  const access_token = await userToken(service, identity);
  await page.addInitScript(signInScript({ id: identity, access_token }));
  return page;
}

/** Returns a script that signs in a user in a page of the site. Pages of other origins may refuse storage. */
export function signInScript(
  tokens: { id: string; access_token: string; refresh_token?: string },
  expiresInMs = 3_000_000,
) {
  const text = JSON.stringify({ ...tokens, expires_at: Date.now() + expiresInMs });
  return `try {
    localStorage.setItem('sluice.used', ${Date.now()});
    localStorage.setItem('sluice.tokens', ${JSON.stringify(text)});
  } catch {}`;
}

/** Opens a view and waits until it has loaded. */
export async function openView(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await settled(page);
}

/** Opens a view from another one without a page load, as a link within the console does. */
export async function goToView(page: Page, url: string): Promise<void> {
  if (!page.url().includes('/-/console')) return openView(page, url);
  await page.evaluate((to) => {
    history.pushState(null, '', to);
    dispatchEvent(new PopStateEvent('popstate'));
    return new Promise((resolve) => requestAnimationFrame(resolve));
  }, url);
  await settled(page);
}

async function settled(page: Page): Promise<void> {
  const shown = page.locator('#console').filter({ hasNotText: /One moment|Loading …|Looking…/ });
  await shown.locator(':is(h1, .notice.problem)').first().waitFor();
}

interface Requests {
  underWay: Set<Request>;
  sent: number;
}

const requestsOf = new WeakMap<Page, Requests>();

/** Records the requests of a page from its start, so that `untilQuiet` can wait for them. */
export function followRequests(page: Page): void {
  const requests: Requests = { underWay: new Set(), sent: 0 };
  requestsOf.set(page, requests);
  page.on('request', (request) => {
    requests.underWay.add(request);
    requests.sent += 1;
  });
  const ended = (request: Request) => requests.underWay.delete(request);
  page.on('requestfinished', ended);
  page.on('requestfailed', ended);
}

/** Number of frames without a request after which all follow-up requests have started. */
const quietFrames = 4;

/**
 * Waits until a page has received all responses and sends no further requests. Playwright's `networkidle` would wait
 * half a second longer.
 */
export async function untilQuiet(page: Page): Promise<void> {
  const requests = requestsOf.get(page);
  if (requests === undefined) throw new Error('the requests of this page are not followed');
  for (let quiet = 0; quiet < quietFrames; ) {
    const { sent } = requests;
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
    quiet = requests.underWay.size === 0 && requests.sent === sent ? quiet + 1 : 0;
  }
}
