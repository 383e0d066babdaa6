import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { GetObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ClientWorld, schemes, startClientWorld } from './client-world.ts';
import type { InstalledClient } from './installed-client.ts';

export const bucket = 'tide-institute';

/** What a client does with objects. Keys are whole, the repository's name first. What it has no way to do says why. */
export interface Transfers {
  upload(world: ClientWorld, file: string, key: string): Promise<unknown>;
  /** In how many parts it sends 12 MiB; 1 for a client that knows no parts. */
  partsOfLarge: number;
  download(world: ClientWorld, key: string, file: string): Promise<unknown>;
  /** The bytes from `first` to `last`, both included. */
  readRange: Able<(world: ClientWorld, key: string, first: number, last: number) => Promise<Buffer>>;
  list(world: ClientWorld, prefix: string): Promise<string[]>;
  copy: Able<(world: ClientWorld, from: string, to: string) => Promise<unknown>>;
  remove: Able<(world: ClientWorld, key: string) => Promise<unknown>>;
  /** A client with no such command of its own uploads file by file. */
  syncUp?(world: ClientWorld, folder: string, prefix: string): Promise<unknown>;
  syncDown?(world: ClientWorld, prefix: string, folder: string): Promise<unknown>;
  /** Whether it can name a key with an empty segment. */
  emptySegments?: { cannot: string };
  /** What it says where it is not allowed to. */
  refused?: { read: RegExp; write: RegExp };
}

type Able<F> = F | { cannot: string };

const oddNames = [
  'with space',
  'a+b',
  '50%',
  '50%25',
  'k=v',
  'a&b;c,d',
  "it's (1)!",
  '~x$@:',
  'Zähler ✓ 測',
  'sub/deep/er',
];
const oddKey = 'raw-drafts/steps/a+b=50% ä ✓.bin';
const largeBytes = 12 * 1024 * 1024;

/** Has a client do everything with objects, over http and over https, and looks at what reached the store behind. */
export function describeTransfers(client: Pick<InstalledClient, 'title' | 'isMissing'>, transfers: Transfers): void {
  describe.skipIf(client.isMissing).each(schemes)(`${client.title} over %s`, { timeout: 120_000 }, (scheme) => {
    let world: ClientWorld;
    let small: Buffer;
    let large: Buffer;
    const at = (name: string) => path.join(world.folder, name);
    beforeAll(async () => {
      world = await startClientWorld(scheme);
      large = Buffer.alloc(largeBytes);
      for (let index = 0; index < largeBytes; index += 4) large.writeUInt32LE((index * 2_654_435_761) >>> 0, index);
      small = large.subarray(0, 70_000);
      await Promise.all([writeFile(at('small.bin'), small), writeFile(at('large.bin'), large)]);
    });
    afterAll(() => world.close());

    test('uploads an object of an odd name and downloads it', async () => {
      await transfers.upload(world, at('small.bin'), oddKey);
      expect((await stored(world, oddKey)).bytes.equals(small)).toBe(true);
      await transfers.download(world, oddKey, at('small.copy'));
      expect((await readFile(at('small.copy'))).equals(small)).toBe(true);
    });

    test(`uploads a large object in ${transfers.partsOfLarge} part(s) and downloads it`, async () => {
      await transfers.upload(world, at('large.bin'), 'raw-drafts/steps/large.bin');
      const { bytes, etag } = await stored(world, 'raw-drafts/steps/large.bin');
      expect(bytes.equals(large)).toBe(true);
      expect(Number(/-(\d+)"$/.exec(etag)?.[1] ?? 1)).toBe(transfers.partsOfLarge);
      await transfers.download(world, 'raw-drafts/steps/large.bin', at('large.copy'));
      expect((await readFile(at('large.copy'))).equals(large)).toBe(true);
    });

    testIfAble('reads a range', transfers.readRange, async (readRange) => {
      const range = await readRange(world, oddKey, 1000, 3999);
      expect(range.equals(small.subarray(1000, 4000))).toBe(true);
    });

    testIfAble('copies an object', transfers.copy, async (copy) => {
      await copy(world, oddKey, 'raw-drafts/steps/copied +1.bin');
      expect((await stored(world, 'raw-drafts/steps/copied +1.bin')).bytes.equals(small)).toBe(true);
    });

    test('lists what is below a prefix and nothing else', async () => {
      await transfers.upload(world, at('small.bin'), 'raw-drafts/stepsister.bin');
      const listed = await transfers.list(world, 'raw-drafts/steps/');
      expect(listed.sort()).toEqual(await storedKeys(world, 'raw-drafts/steps/'));
      expect(listed).toContain(oddKey);
    });

    test('syncs a folder of odd names there and back', async () => {
      const texts = new Map(oddNames.map((name) => [`${name}.txt`, `text of ${name}`]));
      await writeFiles(at('there'), texts);
      const prefix = 'raw-drafts/synced/';
      await syncUp(world, transfers, at('there'), prefix);
      // GDAL makes an object for each folder too.
      const files = (await storedKeys(world, prefix)).filter((key) => !key.endsWith('/'));
      expect(files).toEqual([...texts.keys()].map((name) => prefix + name).sort());
      await mkdir(at('back'));
      await syncDown(world, transfers, prefix, at('back'));
      expect(await readFiles(at('back'))).toEqual(texts);
    });

    testIfAble('keeps empty segments of a key', transfers.emptySegments ?? transfers.upload, async () => {
      const key = 'raw-drafts/empty//segments//x.bin';
      await transfers.upload(world, at('small.bin'), key);
      expect(await storedKeys(world, 'raw-drafts/empty')).toEqual([key]);
      await transfers.download(world, key, at('segments.copy'));
      expect((await readFile(at('segments.copy'))).equals(small)).toBe(true);
    });

    testIfAble('deletes an object', transfers.remove, async (remove) => {
      await remove(world, oddKey);
      expect(await storedKeys(world, oddKey)).toEqual([]);
    });

    const { refused } = transfers;
    if (refused === undefined) return;
    test('says that it may not read and may not write, where it was not granted a repository', async () => {
      await expect(transfers.download(world, 'not-granted/x.bin', at('refused.copy'))).rejects.toThrow(refused.read);
      await expect(transfers.upload(world, at('small.bin'), 'not-granted/x.bin')).rejects.toThrow(refused.write);
    });
  });
}

function testIfAble<F>(title: string, able: Able<F>, run: (step: F) => Promise<void>): void {
  if (isUnable(able)) test.skip(`${title} (${able.cannot})`, () => undefined);
  else test(title, () => run(able));
}

function isUnable(able: unknown): able is { cannot: string } {
  return typeof able === 'object' && able !== null && 'cannot' in able;
}

async function stored({ storage }: ClientWorld, key: string): Promise<{ bytes: Buffer; etag: string }> {
  const place = { Bucket: storage.bucket, Key: `${bucket}/${key}` };
  const { Body, ETag = '' } = await storage.client.send(new GetObjectCommand(place));
  return { bytes: Buffer.from((await Body?.transformToByteArray()) ?? []), etag: ETag };
}

async function storedKeys({ storage }: ClientWorld, prefix: string): Promise<string[]> {
  const place = { Bucket: storage.bucket, Prefix: `${bucket}/${prefix}` };
  const { Contents = [] } = await storage.client.send(new ListObjectsV2Command(place));
  return Contents.map(({ Key = '' }) => Key.slice(bucket.length + 1)).sort();
}

async function syncUp(world: ClientWorld, transfers: Transfers, folder: string, prefix: string): Promise<void> {
  if (transfers.syncUp !== undefined) return void (await transfers.syncUp(world, folder, prefix));
  for (const name of (await readFiles(folder)).keys()) {
    await transfers.upload(world, path.join(folder, name), prefix + name);
  }
}

async function syncDown(world: ClientWorld, transfers: Transfers, prefix: string, folder: string): Promise<void> {
  if (transfers.syncDown !== undefined) return void (await transfers.syncDown(world, prefix, folder));
  for (const key of await transfers.list(world, prefix)) {
    const file = path.join(folder, key.slice(prefix.length));
    await mkdir(path.dirname(file), { recursive: true });
    await transfers.download(world, key, file);
  }
}

async function writeFiles(folder: string, texts: ReadonlyMap<string, string>): Promise<void> {
  for (const [name, text] of texts) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}

async function readFiles(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  const texts = await Promise.all(
    files.map(async (file) => [path.relative(folder, file), await readFile(file, 'utf8')] as const),
  );
  return new Map(texts);
}
