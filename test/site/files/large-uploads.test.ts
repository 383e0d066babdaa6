import { mkdir, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { chromiumPath } from '../../service/chromium.ts';
import { fileOf, mebibyte, untilTheEnd } from '../upload/upload-world.ts';
import { type FilesWorld, headlineOf, openFilesWorld } from './files-world.ts';

// Minutes each: SLUICE_LARGE_UPLOAD=1 npx vitest run test/site/files -t large
const isLarge = process.env['SLUICE_LARGE_UPLOAD'] !== undefined;

describe.runIf(isLarge && chromiumPath !== undefined)('uploads from a browser', () => {
  let files: FilesWorld;
  let page: Page;
  beforeAll(async () => {
    files = await openFilesWorld();
  });
  afterAll(() => files?.close(), 300_000);
  beforeEach(async () => {
    page = await files.openPage();
  });

  test('a large file of three gigabytes never is in memory whole', async () => {
    const file = path.join(files.folder, 'gigabytes.bin');
    await writeFile(file, new Uint8Array(await fileOf('x', mebibyte).arrayBuffer()));
    await truncate(file, 3 * 1024 * mebibyte);
    await files.openFolder(page, 'large/');
    const started = Date.now();
    await page.getByLabel('Upload files').setInputFiles(file);
    let heapMax = 0;
    await expect
      .poll(
        async () => {
          heapMax = Math.max(heapMax, Number(await page.evaluate('performance.memory.usedJSHeapSize')));
          return headlineOf(page).textContent();
        },
        { timeout: 1_200_000, interval: 2000 },
      )
      .toBe('1 file uploaded');
    expect((await files.world.data.objects.find('large/gigabytes.bin', untilTheEnd()))?.bytes).toBe(
      3 * 1024 * mebibyte,
    );
    console.log(`3 GiB in ${(Date.now() - started) / 1000} s, at most ${heapMax / mebibyte} MiB of the page's memory`);
    expect(heapMax).toBeLessThan(200 * mebibyte);
  }, 1_300_000);

  test('a large folder of a hundred thousand files does not freeze the page', async () => {
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
    const started = Date.now();
    await files.dropped(page, 'hundred-thousand');
    await page.getByRole('dialog').getByRole('button', { name: 'Upload' }).click({ timeout: 600_000 });
    await expect.poll(() => headlineOf(page).textContent(), { timeout: 600_000 }).toMatch(/of 100,000 files done$/);
    const foundSeconds = (Date.now() - started) / 1000;
    await expect.poll(() => headlineOf(page).textContent(), { timeout: 600_000 }).toMatch(/^Uploading: \d{3}/);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Go on' }).waitFor();
    const gapMax = Number(await page.evaluate('gapMax'));
    console.log(`100,000 files: found in ${foundSeconds} s, the page stood still for at most ${gapMax} ms`);
    expect(gapMax).toBeLessThan(5000);
  }, 1_300_000);
});
