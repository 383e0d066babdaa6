import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { seededPeople } from '../../../lib/local/seed.ts';
import { chromiumPath } from '../../service/chromium.ts';
import { startSeededService } from '../../service/seeded-service.ts';
import { fileOf, repositoryOf } from '../upload/upload-world.ts';

export type FilesWorld = Awaited<ReturnType<typeof openFilesWorld>>;

/** A service, a folder on the disk, and a browser that is shown the files of a repository. */
export async function openFilesWorld() {
  const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  const service = await startSeededService({ people: [...seededPeople, { identity_id: 'ben', name: 'Ben' }] });
  const world = await repositoryOf(service);
  const folder = await mkdtemp(path.join(tmpdir(), 'sluice-files-'));
  const context = await chromium.launchPersistentContext(path.join(folder, 'profile'), {
    executablePath: chromiumPath ?? '',
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
  });
  const trouble: string[] = [];

  return {
    service,
    world,
    folder,
    context,
    /** What pages did that they may not. */
    trouble,
    async openPage(): Promise<Page> {
      const opened = await context.newPage();
      opened.setDefaultTimeout(20_000);
      opened.on('console', (message) => {
        if (/Content Security Policy|Refused to/.test(message.text())) trouble.push(message.text());
      });
      opened.on('pageerror', (error) => trouble.push(String(error)));
      return opened;
    },
    async openFolder(page: Page, of = '', name = 'Ada') {
      await page.goto(`${service.apiUrl}/-/console/repositories/tide-institute/raw-drafts/files?path=${of}`);
      await page.getByRole('button', { name: 'Sign in' }).click();
      // The issuer offers everybody, or asks nobody whom it remembers.
      const offered = page.getByRole('button', { name });
      const files = page.getByText('or drop files and folders');
      await offered.or(files).first().waitFor();
      if (await offered.isVisible()) await offered.click();
      await files.waitFor();
    },
    async written(name: string, bytes: number | string): Promise<string> {
      const file = path.join(folder, name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, new Uint8Array(await fileOf(name, bytes).arrayBuffer()));
      return file;
    },
    async dropped(page: Page, name: string) {
      const client = await context.newCDPSession(page);
      const data = { items: [], files: [path.join(folder, name)], dragOperationsMask: 1 };
      for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
        await client.send('Input.dispatchDragEvent', { type, x: 300, y: 200, data });
      }
    },
    async slowLine(page: Page, bytesPerSecond: number) {
      const client = await context.newCDPSession(page);
      const line = { latency: 0, downloadThroughput: -1, uploadThroughput: bytesPerSecond };
      await client.send('Network.enable');
      const set = (offline: boolean, uploadThroughput = bytesPerSecond) =>
        client.send('Network.emulateNetworkConditions', { ...line, offline, uploadThroughput });
      await set(false);
      return { cut: () => set(true), mend: () => set(false, -1) };
    },
    async violations(page: Page) {
      await page.evaluate(axe);
      const { violations: found } = (await page.evaluate('axe.run()')) as {
        violations: { id: string; nodes: { html: string }[] }[];
      };
      return found.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
    },
    async close() {
      await context.close();
      await service.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export const headlineOf = (page: Page) => page.locator('#upload-title');
