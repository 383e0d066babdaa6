import type { Browser, Page } from 'playwright-core';
import type { LocalService } from '../../lib/local/service.ts';
import { personToken } from './person-tokens.ts';

/** A page of a browser of its own, as the console has it after this person signed in; nobody has without a name. */
export async function signedInPage(
  browser: Browser,
  service: Pick<LocalService, 'identity'>,
  identity?: string,
): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  if (identity === undefined) return page;
  const access_token = await personToken(service, identity);
  const tokens = JSON.stringify({ id: identity, earlier: [], access_token, expires_at: Date.now() + 3_000_000 });
  await page.addInitScript(`sessionStorage.setItem('sluice.tokens', ${JSON.stringify(tokens)})`);
  return page;
}

/** Opens a view and waits until it shows what it will. */
export async function openView(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await settled(page);
}

/** The same from another view, as a link within the console does it, without loading the page anew. */
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
  const shown = page.locator('#console').filter({ hasNotText: /One moment|Looking…/ });
  await shown.locator(':is(h1, .notice.problem)').first().waitFor();
}
