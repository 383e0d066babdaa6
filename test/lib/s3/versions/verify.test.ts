import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { limits } from '../../../../lib/domain/limits.ts';
import { openJobStorage } from '../../../../lib/s3/versions/job-storage.ts';
import type { ManifestEntry } from '../../../../lib/s3/versions/manifest.ts';
import { encodeIndex, encodePage } from '../../../../lib/s3/versions/manifest.ts';
import {
  continueVerification,
  type VerificationCounts,
  type VerificationCursor,
} from '../../../../lib/s3/versions/verify.ts';
import { bucket, credentials, type OpenStore, openStore } from '../../local/s3/open-store.ts';
import { Crash, entriesOf, type FrozenPlace, freeze, setVersioning, storageOf, writerOf } from './freeze-fixture.ts';

let opened: OpenStore;
let offsetMs = 0;
beforeAll(async () => {
  opened = await openStore();
});
afterAll(() => opened.close());

const count = 70;
const noCounts: VerificationCounts = { checked: 0, missing: 0, changed: 0, problems: [] };
const start = { cursor: { page: 0, entry: 0 }, counts: noCounts };
const keyOf = (at: number) => `k${String(at).padStart(3, '0')}`;

/** Freezes 70 objects, with 40 entries in each manifest page. */
async function frozen(prefix: string) {
  const place: FrozenPlace = {
    s3: opened.s3,
    storage: storageOf({ endpoint: opened.store.url, bucket, prefix, ...credentials }),
    clock: () => Date.now() + offsetMs,
  };
  await setVersioning(place, 'Enabled');
  for (let at = 0; at < count; at += 1) await writerOf(place).put(keyOf(at), `${at}`);
  const before = async (step: string) => {
    if (step !== 'wait') return;
    opened.moveClock(1);
    offsetMs += 1000;
  };
  const sizes = { pageEntries: 40, listedPagesPerSave: 100 };
  const { outcome } = await freeze(place, { versionUid: 'v', before, sizes });
  if (outcome.kind !== 'ready') throw new Error(outcome.reason);
  const { entries } = await entriesOf(place, 'v', outcome);
  const storage = openJobStorage(place.storage, 'v', { clock: place.clock });
  const verify = (from = start, more: object = {}) =>
    continueVerification(outcome.index_sha256, from, {
      ...{ storage, save: async () => undefined, clock: place.clock, endsAt: Number.POSITIVE_INFINITY },
      ...more,
    });
  const removeVersion = async ({ key, version_id }: ManifestEntry) => {
    await opened.s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: prefix + key, VersionId: version_id }));
  };
  return { ...outcome, place, prefix, entries, storage, verify, removeVersion };
}

test('every object is checked, and later writes are no problems', async () => {
  const { place, verify } = await frozen('whole/');
  await writerOf(place).put(keyOf(0), 'later');
  await writerOf(place).remove(keyOf(1));
  expect(await verify()).toEqual({ kind: 'done', counts: { ...noCounts, checked: count } });
});

test('missing and changed objects are counted, and named in the order of keys', async () => {
  const { verify, entries, removeVersion, storage } = await frozen('problems/');
  for (const at of [3, 41]) await removeVersion(entries[at] as ManifestEntry);
  const changed = { [keyOf(5)]: { etag: 'other' }, [keyOf(69)]: { size: 9 } } as Record<string, object>;
  const falsified = {
    ...storage,
    findStoredVersion: async (entry: ManifestEntry) => {
      const found = await storage.findStoredVersion(entry);
      return found && { ...found, ...changed[entry.key] };
    },
  };
  const problems = [
    { key: keyOf(3), problem: 'missing' },
    { key: keyOf(5), problem: 'changed' },
    { key: keyOf(41), problem: 'missing' },
    { key: keyOf(69), problem: 'changed' },
  ];
  const counts = { checked: count, missing: 2, changed: 2, problems };
  expect(await verify(start, { storage: falsified })).toEqual({ kind: 'done', counts });
});

test('a version ID that is a delete marker, and a key that no client can read, are missing objects', async () => {
  const { place, prefix, storage } = await frozen('markers/');
  const { VersionId = '' } = await opened.s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: `${prefix}gone` }));
  expect(await storage.findStoredVersion({ key: 'gone', version_id: VersionId })).toBeUndefined();
  expect(await storage.findStoredVersion({ key: 'a/../b', version_id: VersionId })).toBeUndefined();
  const { size } = (await storage.findStoredVersion({ key: keyOf(1), version_id: 'null' })) ?? {};
  expect(size).toBeUndefined();
  expect(place.storage.prefix).toBe(prefix);
});

test('the result names a limited number of objects', async () => {
  const { storage, place } = await frozen('many/');
  const problems = limits.verificationProblemsMax + 1;
  const entries = Array.from({ length: problems }, (_, at) => ({
    ...{ key: keyOf(at), size: 1, etag: 'x', version_id: 'none', modified: 0 },
  }));
  const page = encodePage(entries);
  const index = encodeIndex([{ first: keyOf(0), sha256: page.sha256, entries: problems }]);
  for (const part of [page, index]) await storage.putPart(part);
  const outcome = await continueVerification(index.sha256, start, {
    ...{ storage, save: async () => undefined, clock: place.clock, endsAt: Number.POSITIVE_INFINITY },
  });
  if (outcome.kind !== 'done') throw new Error(outcome.kind);
  expect([outcome.counts.missing, outcome.counts.problems.length]).toEqual([problems, problems - 1]);
});

test('a crash after any request and the end of each run repeat no counts and skip no object', async () => {
  const { verify, entries, removeVersion, storage } = await frozen('crashes/');
  await removeVersion(entries[10] as ManifestEntry);
  await removeVersion(entries[60] as ManifestEntry);
  let requests = 0;
  let crashAt = 1;
  const crashing = Object.fromEntries(
    Object.entries(storage).map(([name, send]) => [
      name,
      async (argument: never) => {
        requests += 1;
        if (requests === crashAt) throw new Crash();
        return (send as (argument: never) => Promise<unknown>)(argument);
      },
    ]),
  );
  let saved: { cursor: VerificationCursor; counts: VerificationCounts } = start;
  const save = async (cursor: VerificationCursor, counts: VerificationCounts) => {
    saved = structuredClone({ cursor, counts });
  };
  for (;;) {
    requests = 0;
    const run = verify(saved, { storage: crashing, save, endsAt: crashAt % 2 === 0 ? 0 : Number.POSITIVE_INFINITY });
    const outcome = await run.catch((error: unknown) => {
      if (!(error instanceof Crash)) throw error;
      return { kind: 'continues' } as const;
    });
    crashAt += 7;
    if (outcome.kind === 'continues') continue;
    expect(outcome).toMatchObject({ kind: 'done', counts: { checked: count, missing: 2, changed: 0 } });
    return;
  }
});

test('the position is saved after a number of objects', async () => {
  const { verify } = await frozen('saves/');
  const saves: [number, number, number][] = [];
  await verify(start, {
    objectsPerSave: 40,
    save: async ({ page, entry }: VerificationCursor, { checked }: VerificationCounts) =>
      void saves.push([page, entry, checked]),
  });
  // Page 0 of the manifest has batches of 32 and 8 entries, and page 1 has one of 30.
  expect(saves).toEqual([[0, 40, 40]]);
});

test.each(['index', 'page'])('a manifest without its %s, or with another one, is altered', async (part) => {
  const { verify, index_sha256, place, prefix } = await frozen(`altered-${part}/`);
  const { pages } = await entriesOf(place, 'v', {
    ...{ kind: 'ready', index_sha256, frozen_at: 0, counts: { keys: 0, bytes: 0, stored_versions: 0 } },
  });
  const sha256 = part === 'index' ? index_sha256 : pages[1]?.sha256;
  const at = { Bucket: bucket, Key: `${prefix}.sluice/versions/v/${sha256}.json.gz` };
  const checked = part === 'index' ? 0 : 40;
  const altered = { kind: 'failed', reason: 'manifest_altered', counts: { checked, missing: 0, changed: 0 } };
  await opened.s3.send(new PutObjectCommand({ ...at, Body: 'other' }));
  expect(await verify()).toMatchObject(altered);
  await opened.s3.send(new DeleteObjectCommand(at));
  expect(await verify()).toMatchObject(altered);
});

test('a refused request ends the verification, and an unavailable storage does not', async () => {
  const { verify, place } = await frozen('refused/');
  const storage = openJobStorage(
    { ...place.storage, credentials: { access_key_id: credentials.access_key_id, secret_access_key: 'wrong' } },
    'v',
    { clock: place.clock },
  );
  expect(await verify(start, { storage })).toMatchObject({ kind: 'failed', reason: 'storage_refuses' });
  const down = openJobStorage(
    { ...place.storage, details: { ...place.storage.details, endpoint: 'http://127.0.0.1:1' } },
    'v',
    { clock: place.clock },
  );
  await expect(verify(start, { storage: down })).rejects.toMatchObject({ code: 'unavailable' });
});
