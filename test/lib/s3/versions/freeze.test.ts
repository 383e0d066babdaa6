import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { FreezeCounts, FreezeFailure } from '../../../../lib/domain/data/repository-versions.ts';
import { limits } from '../../../../lib/domain/limits.ts';
import { compareKeys } from '../../../../lib/s3/resource.ts';
import { continueFreeze } from '../../../../lib/s3/versions/freeze.ts';
import { type JobStorage, openJobStorage } from '../../../../lib/s3/versions/job-storage.ts';
import { findEntry, findPage } from '../../../../lib/s3/versions/manifest.ts';
import { serveInTest } from '../../../service/http-server.ts';
import { seededNumbers } from '../../../service/seeded-random.ts';
import { bucket, credentials, type OpenStore, openStore, otherBucket } from '../../local/s3/open-store.ts';
import { Crash, entriesOf, type FrozenPlace, freeze, setVersioning, storageOf, writerOf } from './freeze-fixture.ts';

let opened: OpenStore;
let offsetMs = 0;
beforeAll(async () => {
  opened = await openStore();
});
afterAll(() => opened.close());

function moveClock(seconds: number): void {
  opened.moveClock(seconds);
  offsetMs += seconds * 1000;
}

async function placeAt(prefix: string): Promise<FrozenPlace> {
  const place = {
    s3: opened.s3,
    storage: storageOf({ endpoint: opened.store.url, bucket, prefix, ...credentials }),
    clock: () => Date.now() + offsetMs,
  };
  await setVersioning(place, 'Enabled');
  return place;
}

// The clients sign with the real time, and the storage accepts a difference of 15 minutes.
const resetClock = () => moveClock(-offsetMs / 1000);
afterEach(resetClock);

/** Waits for the second of the storage's clock that marker A needs. */
const passSecond = async (step: string) => {
  if (step === 'wait') moveClock(1);
};

test('a version has the objects that were stored before the freeze, and none below .sluice', async () => {
  const place = await placeAt('whole/');
  const { put, remove, begin, read } = writerOf(place);
  await put('a', 'old');
  await put('a', 'new');
  await put('deleted', 'x');
  await remove('deleted');
  await put('back', '1');
  await remove('back');
  await put('back', '2');
  await (await begin('parts', 'in parts'))();
  await put('.sluice/other', 'no');
  await put('ä/🌊 +%', 'odd');
  const { outcome } = await freeze(place, { versionUid: 'v', before: passSecond });
  const { entries } = await entriesOf(place, 'v', outcome);
  expect(Object.fromEntries(await Promise.all(entries.map(async (entry) => [entry.key, await read(entry)])))).toEqual({
    a: 'new',
    back: '2',
    parts: 'in parts',
    'ä/🌊 +%': 'odd',
  });
  expect(outcome).toMatchObject({ kind: 'ready', counts: { keys: 4, bytes: 3 + 1 + 8 + 3, stored_versions: 9 } });
});

test('later writes and deletions change no entry, and each entry stays readable', async () => {
  const place = await placeAt('later/');
  const { put, remove, begin, read } = writerOf(place);
  const complete = await begin('parts', 'after');
  for (const key of ['a', 'b', 'c', 'parts']) await put(key, 'before');
  let isWalking = false;
  const before = async (step: string) => {
    await passSecond(step);
    if (step !== 'listVersions' || isWalking) return;
    isWalking = true;
    await put('a', 'after');
    await remove('b');
    await put('new', 'after');
    await complete();
  };
  const { outcome } = await freeze(place, { versionUid: 'v', before });
  expect(isWalking).toBe(true);
  const { entries } = await entriesOf(place, 'v', outcome);
  expect(entries.map(({ key }) => key)).toEqual(['a', 'b', 'c', 'parts']);
  for (const entry of entries) expect(await read(entry)).toBe('before');
});

test('the pages and the index find every key', async () => {
  const place = await placeAt('pages/');
  const { put } = writerOf(place);
  const keys = Array.from({ length: 57 }, (_, at) => `k${at}/${'é'.repeat(at % 3)}`).sort(compareKeys);
  for (const key of keys) await put(key, key);
  const options = {
    versionUid: 'v',
    listMax: 10,
    sizes: { pageEntries: 4, listedPagesPerSave: 2 },
    before: passSecond,
  };
  const { outcome, saved } = await freeze(place, options);
  const { pages, entries } = await entriesOf(place, 'v', outcome);
  expect(entries.map(({ key }) => key)).toEqual(keys);
  // The freeze saves its position after 20 stored versions.
  expect(saved.filter(({ step }) => step === 'walking').length).toBeGreaterThan(3);
  for (const key of [...keys, 'a', 'k1', 'zzz']) {
    const page = findPage(pages, key);
    const from = entries.findIndex((entry) => entry.key === page?.first);
    const found = page && findEntry(entries.slice(from, from + page.entries), key);
    expect(found?.key).toBe(keys.includes(key) ? key : undefined);
  }
});

test('marker A waits for a later second of the storage than the first marker', async () => {
  const place = await placeAt('second/');
  const storage = openJobStorage(place.storage, 'v', place);
  const saved: unknown[] = [];
  const save = async (cursor: unknown) => void saved.push(cursor);
  const begun = Math.floor(place.clock() / 1000 + 60) * 1000;
  const services = { storage, save, clock: place.clock, endsAt: 0 };
  const outcome = await continueFreeze({ step: 'marking', begun }, services);
  expect([outcome, saved]).toEqual([{ kind: 'continues', afterSeconds: 1 }, []]);
});

describe('a freeze fails', () => {
  test.each(['Suspended', undefined] as const)('if the versioning of the storage is %s', async (versioning) => {
    const place = await placeAt('unversioned/');
    const other = {
      ...place,
      storage: storageOf({
        ...place.storage.details,
        ...credentials,
        endpoint: opened.store.url,
        prefix: 'x/',
        bucket: otherBucket,
      }),
    };
    if (versioning !== undefined) await setVersioning(place, versioning);
    const { outcome } = await freeze(versioning === undefined ? other : place, { versionUid: 'v' });
    expect(outcome).toEqual({ kind: 'failed', reason: 'no_versioning' });
  });

  test('if the storage refuses a request', async () => {
    const place = await placeAt('refused/');
    const storage = { ...place.storage, credentials: { ...credentials, access_key_id: 'REVOKED' } };
    const { outcome } = await freeze({ ...place, storage }, { versionUid: 'v' });
    expect(outcome).toMatchObject({ kind: 'failed', reason: 'storage_refuses' });
  });

  test('without the credentials that the storage returns as its error code', async () => {
    const endpoint = await serveInTest(({ headers }, response) => {
      response.writeHead(403).end(`<Error><Code>${headers.authorization}</Code></Error>`);
    });
    const { storage, ...place } = await placeAt('hostile/');
    const details = { ...storage.details, endpoint };
    const { outcome } = await freeze({ ...place, storage: { ...storage, details } }, { versionUid: 'v' });
    const detail = 'the storage refuses to store a marker: 403 ';
    expect(outcome).toEqual({ kind: 'failed', reason: 'storage_refuses', detail });
  });

  const version = (key: string, modified = 0) => ({ key, version_id: key, modified, object: { size: 1, etag: 'e' } });
  const uploads = Array.from({ length: limits.versionUploadsMax + 1 }, (_, at) => ({ key: `k${at}`, initiated: 0 }));
  test.each<[FreezeFailure, Partial<JobStorage>]>([
    ['keys_unsorted', { listVersions: async () => ({ items: [version('b'), version('a')], next: undefined }) }],
    ['too_many_uploads', { listUploads: async () => ({ items: uploads, next: undefined }) }],
    ['no_versioning', { putMarker: async () => ({ version_id: undefined, modified: 0 }) }],
  ])('with the reason %s', async (reason, answers) => {
    const place = await placeAt(`${reason}/`);
    const storage = { ...openJobStorage(place.storage, 'v', place), ...answers };
    const services = { storage, save: async () => undefined, clock: place.clock, endsAt: Number.POSITIVE_INFINITY };
    const outcome = await continueFreeze({ step: 'listing', a: 5000 }, services);
    expect(outcome).toEqual({ kind: 'failed', reason });
  });

  test.each<[FreezeFailure, Partial<FreezeCounts>]>([
    ['too_many_keys', { keys: limits.versionKeysMax }],
    ['too_many_stored_versions', { stored_versions: limits.versionStoredVersionsMax }],
  ])('with the reason %s above its limit', async (reason, counts) => {
    const place = await placeAt(`${reason}/`);
    await writerOf(place).put('a', '1');
    const { saved } = await freeze(place, { versionUid: 'v', before: passSecond });
    const begun = saved.find((cursor) => cursor.step === 'walking');
    if (begun?.step !== 'walking') throw new Error('the freeze saved no position of its walk');
    const cursor = { ...begun, segments: [], counts: { ...begun.counts, ...counts } };
    const services = { save: async () => undefined, clock: place.clock, endsAt: Number.POSITIVE_INFINITY };
    const storage = openJobStorage(place.storage, 'v', place);
    expect(await continueFreeze(cursor, { storage, ...services })).toEqual({ kind: 'failed', reason });
  });
});

test('a storage that does not respond ends the run with an error, and the next run continues', async () => {
  const place = await placeAt('unreachable/');
  const { storage, ...rest } = place;
  const details = { ...storage.details, endpoint: 'http://127.0.0.1:1' };
  await expect(freeze({ ...rest, storage: { ...storage, details } }, { versionUid: 'v' })).rejects.toMatchObject({
    code: 'unavailable',
  });
});

describe('random histories', () => {
  type Content = string | undefined;

  /**
   * Runs a freeze while writers change the repository between its requests, with crashes. Checks that each entry was
   * the object of its key at one moment from the request for the freeze until marker B.
   */
  async function runHistory(seed: number): Promise<string> {
    const next = seededNumbers(`freeze ${seed}`);
    const chance = (share: number) => next() < share;
    const place = await placeAt(`history-${seed}/`);
    const writer = writerOf(place);
    const keys = ['a', 'a/b', 'b', 'c+d', 'é'];
    const current = new Map<string, Content>();
    /** The contents of each key since the freeze was requested. Undefined before the request. */
    let possible: Map<string, Set<Content>> | undefined;
    let isOver = false;
    const uploads: { key: string; content: string; complete: () => Promise<void> }[] = [];
    let written = 0;
    const note = (key: string, content: Content) => {
      current.set(key, content);
      if (!isOver) possible?.get(key)?.add(content);
    };
    const act = async () => {
      const key = keys[Math.floor(next() * keys.length)] ?? 'a';
      written += 1;
      const content = `${key} ${written}`;
      const kind = next();
      if (kind < 0.4) {
        await writer.put(key, content);
        note(key, content);
      } else if (kind < 0.55) {
        await writer.remove(key);
        note(key, undefined);
      } else if (kind < 0.75 && uploads.length < 4) {
        // Storage gives times in seconds. So the check accepts both of two uploads of one key in the same second.
        moveClock(1);
        uploads.push({ key, content, complete: await writer.begin(key, content) });
      } else {
        const upload = uploads.splice(Math.floor(next() * uploads.length), 1)[0];
        if (upload === undefined) return;
        await upload.complete();
        note(upload.key, upload.content);
      }
    };
    for (let count = 0; count < 12; count += 1) {
      await act();
      if (chance(0.4)) moveClock(1);
    }
    possible = new Map(keys.map((key) => [key, new Set([current.get(key)])]));
    const crashesMax = chance(0.5) ? 3 : 0;
    let crashes = 0;
    let markers = 0;
    let hasListed = false;
    const before = async (step: string) => {
      if (step === 'wait') moveClock(1);
      // The list of objects begins after marker B was written. The marker may be written again after a crash.
      if (step === 'listVersions') isOver = true;
      if (step === 'listUploads') hasListed = true;
      if (step === 'putMarker') markers += 1;
      while (chance(0.35)) await act();
      if (chance(0.3)) moveClock(1);
      if (step !== 'wait' && crashes < crashesMax && chance(0.2)) {
        crashes += 1;
        throw new Crash();
      }
    };
    const options = { listMax: 3, sizes: { pageEntries: 2, listedPagesPerSave: 1 }, isShort: chance(0.5), before };
    const { outcome } = await freeze(place, { versionUid: 'v', ...options });
    expect(hasListed && markers >= 3).toBe(true);
    const { entries } = await entriesOf(place, 'v', outcome);
    expect(entries.map(({ key }) => key)).toEqual(entries.map(({ key }) => key).toSorted(compareKeys));
    const frozen = new Map(
      await Promise.all(entries.map(async (entry) => [entry.key, await writer.read(entry)] as const)),
    );
    for (const key of keys) {
      const contents = possible.get(key);
      expect(contents?.has(frozen.get(key)), `${key}: ${frozen.get(key)} of ${[...(contents ?? [])].join(', ')}`).toBe(
        true,
      );
    }
    resetClock();
    return crashes > 0 ? 'with crashes' : 'without';
  }

  test.each([0, 1, 2])(
    'show no mixed state and no later writes in share %i of the seeds',
    async (share) => {
      const seen = new Set<string>();
      for (let seed = share * 12; seed < (share + 1) * 12; seed += 1) seen.add(await runHistory(seed));
      expect(seen).toEqual(new Set(['with crashes', 'without']));
    },
    60_000,
  );
});
