import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { chromiumPath } from '../../service/chromium.ts';
import { mebibyte } from '../upload/upload-fixture.ts';
import { filesInABrowser, headlineOf, inputOf } from './files-fixture.ts';

// Each test takes minutes: SLUICE_LARGE_UPLOAD=1 npx vitest run test/site/files/large-uploads.browser.test.ts
const isLarge = process.env['SLUICE_LARGE_UPLOAD'] !== undefined && chromiumPath !== undefined;

describe.runIf(isLarge)('a large upload, in a browser', () => {
  const files = filesInABrowser();
  let page: Page;
  beforeEach(() => {
    page = files.page;
  });

  /** Polls every two seconds until the headline appears. Resolves with the measured figures. */
  async function measured(headline: RegExp) {
    const started = Date.now();
    const peaks = { heapMebibytes: 0, tabMebibytes: 0, serviceMebibytes: 0 };
    let requests = 0;
    page.on('request', () => {
      requests += 1;
    });
    await expect
      .poll(
        async () => {
          const heap = Number(await page.evaluate('performance.memory.usedJSHeapSize'));
          peaks.heapMebibytes = Math.max(peaks.heapMebibytes, Math.round(heap / mebibyte));
          peaks.tabMebibytes = Math.max(peaks.tabMebibytes, tabMebibytes());
          peaks.serviceMebibytes = Math.max(peaks.serviceMebibytes, Math.round(process.memoryUsage().rss / mebibyte));
          return headlineOf(page).textContent();
        },
        { timeout: 2_400_000, interval: 2000 },
      )
      .toMatch(headline);
    return { seconds: (Date.now() - started) / 1000, requests, ...peaks };
  }

  /** Returns the memory of the largest renderer process of the browser. Linux only. */
  function tabMebibytes(): number {
    const profile = path.join(files.folder, 'profile');
    return Math.max(
      0,
      ...readdirSync('/proc').map((pid) => {
        try {
          const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
          if (!command.includes('--type=renderer') || !command.includes(profile)) return 0;
          const [, kibibytes = 0] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
          return Math.round(Number(kibibytes) / 1024);
        } catch {
          return 0;
        }
      }),
    );
  }

  test('of three gigabytes is never in memory as a whole', async () => {
    const file = path.join(files.folder, 'gigabytes.bin');
    await writeFile(file, new Uint8Array(mebibyte).fill(7));
    await truncate(file, 3 * 1024 * mebibyte);
    await files.openFolder(page, 'large/');
    await inputOf(page, 'Upload files').setInputFiles(file);
    const taken = await measured(/^1 file uploaded$/);
    expect(await files.storedBytes('large/gigabytes.bin')).toBe(3 * 1024 * mebibyte);
    console.log('3 GiB', taken);
    expect(taken.heapMebibytes).toBeLessThan(300);
    expect(taken.tabMebibytes).toBeLessThan(700);
  }, 2_500_000);

  test('of 100,000 files does not freeze the page, and completes', async () => {
    const large = path.join(files.folder, 'hundred-thousand');
    for (let below = 0; below < 100; below += 1) {
      await mkdir(path.join(large, String(below)), { recursive: true });
      await Promise.all(
        Array.from({ length: 1000 }, (_, index) => writeFile(path.join(large, `${below}/${index}.txt`), 'x')),
      );
    }
    await files.openFolder(page, 'many/');
    await page.evaluate(`globalThis.gapMax = 0; let last = performance.now();
      setInterval(() => { const now = performance.now(); gapMax = Math.max(gapMax, now - last); last = now; }, 20)`);
    await files.dropped(page, 'hundred-thousand');
    await page.getByRole('button', { name: 'Upload', exact: true }).click({ timeout: 600_000 });
    await headlineOf(page).waitFor({ timeout: 600_000 });
    const found = await measured(/of 100,000 files done$/);
    const sent = await measured(/^100,000 files uploaded$/);
    const gapMax = Number(await page.evaluate('gapMax'));
    console.log('100,000 files', { found, sent, gapMaxMilliseconds: Math.round(gapMax) });
    expect(gapMax).toBeLessThan(5000);
    expect(sent.heapMebibytes).toBeLessThan(500);
  }, 3_600_000);
});
