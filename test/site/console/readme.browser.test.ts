import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededUsers } from '../../../lib/local/seed.ts';
import { violations } from '../../service/axe.ts';
import { chromiumPath, launchChromium } from '../../service/chromium.ts';
import { type SeededService, startSeededService } from '../../service/seeded-service.ts';
import { openView, signedInPage } from '../../service/signed-in-page.ts';

let service: SeededService;
let browser: Browser;
let page: Page;

describe.skipIf(chromiumPath === undefined)('the README of a repository, in a browser', { timeout: 60_000 }, () => {
  beforeAll(async () => {
    [service, browser] = await Promise.all([startSeededService({ users: seededUsers }), launchChromium()]);
    page = await signedInPage(browser, service, 'ada');
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  const overview = '/repositories/tide-institute/tide-gauges';
  const open = (on: Page, path: string) => openView(on, `${service.apiUrl}/-/console${path}`);
  const field = (on: Page) => on.getByLabel('README.md');
  const save = (on: Page, name = 'Save README') => on.getByRole('button', { name }).click();

  it('leads from an empty repository to a template, shows a preview, and saves it', async () => {
    await open(page, overview);
    await page.getByText('This repository is empty').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('link', { name: 'Create a README' }).click();
    await expect.poll(() => field(page).inputValue()).toMatch(/^# Tide gauges\n\n[\s\S]*## How to cite/);
    await field(page).fill('# Tide gauges\n\n**Hourly** <b>levels</b>\n');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.locator('.prose strong', { hasText: 'Hourly' }).waitFor();
    expect(await page.locator('.prose b').count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await save(page);
    await page.locator('.prose strong', { hasText: 'Hourly' }).waitFor();
    await page.getByRole('link', { name: 'Edit the README' }).waitFor();
  });

  it('shows the text of another user, and loses neither text', async () => {
    const other = await signedInPage(browser, service, 'ada');
    await open(page, `${overview}/readme`);
    await open(other, `${overview}/readme`);
    await field(page).fill('Mine');
    await field(other).fill('Theirs');
    await save(other);
    await other.locator('.prose', { hasText: 'Theirs' }).waitFor();
    await save(page);
    await page.getByText('Another user changed the README').waitFor();
    expect(await page.locator('pre.theirs').innerText()).toBe('Theirs');
    expect(await field(page).inputValue()).toBe('Mine');
    await field(page).fill('Theirs and mine');
    await save(page, 'Save my text');
    await page.locator('.prose', { hasText: 'Theirs and mine' }).waitFor();
    await other.context().close();
  });
});
