import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededUsers } from '../../../lib/local/seed.ts';
import { pages } from '../../../lib/operations/pages.ts';
import { findRoute, routes } from '../../../site/console/routes.ts';
import { violations } from '../../service/axe.ts';
import { chromiumPath, launchChromium } from '../../service/chromium.ts';
import { focusedName } from '../../service/focused.ts';
import { type SeededService, startSeededService } from '../../service/seeded-service.ts';
import { signedInPage, untilQuiet } from '../../service/signed-in-page.ts';
import { type Act, acts } from './acts.ts';
import { makeCrowdedPlace } from './crowded-place.ts';
import { looks, show } from './looks.ts';
import { type View, views } from './views.ts';

const consoleFolder = path.resolve('site/console');

describe('the list of views', () => {
  it('has every view of the console', () => {
    const shown = views.flatMap(({ path: url }) => findRoute(pathOf(url))?.route.path ?? []);
    expect(routes.filter(({ path: pattern }) => !shown.includes(pattern))).toEqual([]);
  });

  it('has every public page', () => {
    const patterns = pages
      .filter(({ path: pattern }) => !/\.\w+$/.test(pattern))
      .map(
        ({ path: pattern }) =>
          [pattern, new RegExp(`^${pattern.replace(/\{\w+\}/g, '[^/?-][^/?]*')}(?:\\?|$)`)] as const,
      );
    expect(patterns.filter(([, form]) => !views.some(({ path: url }) => form.test(url)))).toEqual([]);
  });

  it('has the focus after each dialog', () => {
    const completed = new Set(acts.map(({ view }) => view.name));
    const again = views.filter(({ dialogOf, isLast }) => dialogOf !== undefined && isLast === undefined);
    expect(again.filter(({ name }) => !completed.has(name))).toEqual([]);
  });

  it('has every dialog of the console', async () => {
    const files = (await readdir(consoleFolder, { recursive: true })).filter((name) => name.endsWith('.tsx'));
    const opened: string[] = [];
    const shared = ['components/dialogs.tsx', 'components/endings.tsx'];
    for (const file of files.filter((name) => !shared.includes(name))) {
      const text = await readFile(path.join(consoleFolder, file), 'utf8');
      const dialogs = text.match(/<(?:Secret)?Dialog\b|^\s+stops:/gm) ?? [];
      opened.push(...dialogs.map(() => file));
    }
    const shown = views.flatMap(({ dialogOf }) => dialogOf ?? []);
    expect(shown.toSorted()).toEqual(opened.toSorted());
  });
});

let service: SeededService;
let browser: Browser;

describe.skipIf(chromiumPath === undefined)('the site in a browser', () => {
  beforeAll(async () => {
    [service, browser] = await Promise.all([
      startSeededService({ users: seededUsers, withDataSet: true, accountLoopbackEndpoints: true }),
      launchChromium(),
    ]);
    await makeCrowdedPlace(service, service.key);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  // Other tests check the public pages in two browsers.
  const ofConsole = views.filter(({ path: url }) => url.startsWith('/-/console'));
  const groups = Map.groupBy(
    ofConsole,
    ({ as, dialogOf }) => `${dialogOf === undefined ? 'views' : 'dialogs'} of ${as ?? 'nobody'}`,
  );
  it.each([...groups].map(([which, seen]) => ({ which, seen })))(
    'shows $which without axe violations, and without cut-off content at any size',
    async ({ seen }) => {
      const page = await signedInPage(browser, service, seen[0]?.as);
      const found: string[] = [];
      for (const view of seen) {
        await show(page, service.apiUrl, view);
        // Opens collapsed sections, so that their forms are checked too.
        if (view.dialogOf === undefined)
          await page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })");
        for (const look of checkedLooks) {
          await look.apply(page);
          // Skip the views with long names, because axe finds the same in them.
          const isAxes = axeLooks.includes(look.name) && !view.name.startsWith('console-long-');
          const faults = isAxes ? await violations(page) : [];
          found.push(...[...faults, ...(await cutOff(page))].map((fault) => `${view.name}, ${look.name}: ${fault}`));
          await look.undo?.(page);
        }
        if (!/ · Sluice$/.test(await page.title())) found.push(`${view.name} has no title`);
        if (view.dialogOf !== undefined) await leave(page, view);
      }
      expect(found).toEqual([]);
      await page.context().close();
    },
    180_000,
  );

  it('shows borders of buttons, icons in the text color, and progress bars in forced colors', async () => {
    const page = await signedInPage(browser, service, 'ada');
    await page.emulateMedia({ forcedColors: 'active' });
    for (const name of ['console-private-files', 'console-repository-settings', 'dialog-cancel-upload']) {
      const view = views.find((each) => each.name === name);
      if (view !== undefined) await show(page, service.apiUrl, view);
      const lost = await page.evaluate(() => {
        const style = (each: Element) => getComputedStyle(each);
        const text = style(document.body).color;
        const bare = [...document.querySelectorAll('.button, progress')].filter(
          (each) => each.checkVisibility() && style(each).borderTopWidth === '0px',
        );
        const icons = [...document.querySelectorAll('.icon')].filter((each) => style(each).stroke !== text);
        return [...bare, ...icons].map(({ outerHTML }) => outerHTML.slice(0, 100));
      });
      expect(lost, name).toEqual([]);
    }
    await page.context().close();
  });

  it('leaves the focus on the pressed control, its container, or its result', async () => {
    const users = new Map<string | undefined, Page>();
    const lost: string[] = [];
    for (const { view, act, then } of acts) {
      const page = users.get(view.as) ?? (await signedInPage(browser, service, view.as));
      users.set(view.as, page);
      try {
        await show(page, service.apiUrl, view);
        await act(page);
        // The focus may be lost again when content loads.
        if (isAt(await focusedName(page), then)) await untilQuiet(page);
        const focused = expect.poll(() => focusedName(page));
        await (typeof then === 'string' ? focused.toBe(then) : focused.toMatch(then));
      } catch (error) {
        lost.push(`${view.name}: the focus is on “${await focusedName(page)}”, not on ${then}. ${error}`);
      }
    }
    expect(lost).toEqual([]);
  }, 180_000);
});

const axeLooks = ['1440-light', '360-dark'];
/** Each size is tested in one color scheme only, because colors cut nothing off. */
const checkedLooks = looks.filter(({ name }) => !['1440-dark', '360-light', 'print'].includes(name));

function pathOf(url: string): string {
  return url.startsWith('/-/console') ? url.slice('/-/console'.length).replace(/\?.*/, '') || '/' : '-';
}

async function cutOff(page: Page): Promise<string[]> {
  const beyond = await page.evaluate(() => {
    const dialog = document.querySelector('dialog[open]');
    const own = dialog === null ? 0 : dialog.scrollWidth - dialog.clientWidth;
    const wide = Math.max(own, document.documentElement.scrollWidth - window.innerWidth);
    if (wide <= 0) return undefined;
    const culprits = [...(dialog ?? document.body).querySelectorAll('*')].filter(
      (each) => each.getBoundingClientRect().right > window.innerWidth - 16 && each.children.length === 0,
    );
    return `${wide} pixels too wide, about ${culprits[0]?.outerHTML.slice(0, 120)}`;
  });
  return beyond === undefined ? [] : [beyond];
}

/** Checks that the dialog keeps the focus. When a key closes it, the focus returns to the button that opened it. */
async function leave(page: Page, { name }: View): Promise<void> {
  // After the last tab stop, the focus is in the browser's toolbar.
  const inside =
    '/^(BODY|HTML)$/.test(document.activeElement.tagName) || document.activeElement.closest("dialog") ? true : document.activeElement.outerHTML.slice(0, 200)';
  for (let press = 0; press < 4; press += 1) {
    await page.keyboard.press('Tab');
    expect(await page.evaluate(inside), name).toBe(true);
  }
  // Dialogs that close only by their own button.
  const own = page.getByRole('button', { name: /^(?:I have stored it|Done)$/ });
  if ((await own.count()) > 0) await own.press('Enter');
  else await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await expect.poll(() => page.evaluate('document.activeElement !== document.body'), { message: name }).toBe(true);
}

function isAt(name: string, then: Act['then']): boolean {
  return typeof then === 'string' ? name === then : then.test(name);
}
