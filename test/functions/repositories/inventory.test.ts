import { PutObjectCommand } from '@aws-sdk/client-s3';
import { describe, expect, test } from 'vitest';
import { limits } from '../../../lib/domain/limits.ts';
import { toTimestamp } from '../../../lib/domain/time.ts';
import { type FetchStorage, fetchBytes } from '../../../lib/s3/storage-fetch.ts';
import { keys } from '../../../lib/store/keys.ts';
import { testService } from '../../service/test-service.ts';
import { jobRunner, storageClient, writingConnection } from '../repository-jobs.ts';
import { lookAtTable } from '../table-items.ts';
import { addMember, made, newKey, repository, signUp, signUpTides } from '../users.ts';

const items = lookAtTable();
const service = await testService({ tableName: items.tableName, accountLoopbackEndpoints: true });
const { admin, ada, ben } = await signUpTides(service);
const { bucket } = service.storage;
const connection = writingConnection(service);
const withStorage = storageClient(service);
const failures: unknown[] = [];
const runJobs = jobRunner(service, failures);

let count = 0;
async function place(changes: object = {}, account = 'tides') {
  count += 1;
  const [id, store] = [`gauges-${count}`, `store-${count}`];
  await made(admin('POST', '/data-connections', connection(store)));
  await made(ada('POST', `/repositories/${account}`, repository(id, { data_connection_id: store, ...changes })));
  const path = `/repositories/${account}/${id}`;
  const inventory = `${path}/inventory`;
  const uid = String((await items.find(`REPOSITORY#${account}/${id}`, 'REPOSITORY'))?.['uid']);
  return {
    ...{ id, store, path, inventory, uid, prefix: `${store}/${account}/${id}/` },
    put: (key: string, Body: string) =>
      withStorage((s3) =>
        s3.send(new PutObjectCommand({ Bucket: bucket, Key: `${store}/${account}/${id}/${key}`, Body })),
      ),
    show: async () => (await made(ada('GET', inventory))).body,
    nextRunAt: async () => (await service.repositoryJobStore.find(uid))?.next_run_at,
  };
}
const hoursUntil = (time: string | undefined) =>
  Math.round((Date.parse(time ?? '') - service.services.clock()) / 360_000) / 10;

test('the files of a new repository are counted, and a request counts them again', async () => {
  const { put, show, inventory, prefix } = await place();
  await put('a.csv', 'one');
  await put('b/c.csv', 'two!');
  await withStorage((s3) => s3.send(new PutObjectCommand({ Bucket: bucket, Key: `${prefix}.sluice/x`, Body: 'x' })));
  expect(await show()).toEqual({ state: 'running', progress: { files: 0 } });
  await service.repositoryJobs.run();
  const first = await show();
  expect(first).toEqual({
    ...{ state: 'ready', counted_at: expect.any(String), files: 2, bytes: 7, is_complete: true },
    newest_change: expect.any(String),
    formats: [{ format: 'csv', files: 2, bytes: 7 }],
    folders: [{ prefix: 'b/', files: 1, bytes: 4 }],
  });
  await put('d.txt', 'three');
  const { status, body } = await ada('POST', inventory);
  expect([status, body]).toEqual([202, { ...first, state: 'running', progress: { files: 0 } }]);
  expect(await show()).toEqual(body);
  await runJobs();
  expect(await show()).toMatchObject({ state: 'ready', files: 3, bytes: 12 });
  const { body: trail } = await made(ada('GET', '/accounts/tides/audit-events?limit=1'));
  expect(trail[0]).toMatchObject({ kind: 'repository.inventory_requested', actor: { account_id: 'ada' } });
});

test('an empty repository has zero files', async () => {
  const { show } = await place();
  await runJobs();
  expect(await show()).toMatchObject({
    state: 'ready',
    files: 0,
    bytes: 0,
    is_complete: true,
    formats: [],
    folders: [],
  });
  expect(await show()).not.toHaveProperty('newest_change');
});

describe('the inventory', () => {
  test('is shown to readers of the repository, and its managers may request a new count', async () => {
    const [open, closed] = [await place(), await place({ data_mode: 'private' })];
    await runJobs();
    const reader = await signUp(service, 'reading');
    await addMember(ada, 'tides', reader, 'reading', 'read_data');
    const { client: key } = await newKey(service, ada, '/accounts/ada');
    for (const [by, ofOpen, ofClosed, code] of [
      [service.anyone, 200, 401, 'unauthenticated'],
      [ben, 200, 403, 'access_denied'],
      [admin, 200, 403, 'access_denied'],
      [reader, 200, 200, 'access_denied'],
      [key, 200, 200, 'bearer_token_required'],
    ] as const) {
      expect((await by('GET', open.inventory)).status).toBe(ofOpen);
      expect((await by('GET', closed.inventory)).status).toBe(ofClosed);
      expect((await by('POST', open.inventory)).body.code).toBe(code);
    }
  });

  test('of a disabled repository is shown to its managers only', async () => {
    const { path, inventory } = await place();
    await runJobs();
    await made(ada('POST', `${path}/disable`));
    expect((await ada('GET', inventory)).status).toBe(200);
    expect((await service.anyone('GET', inventory)).status).toBe(401);
    for (const by of [ben, admin]) expect((await by('GET', inventory)).status).toBe(403);
  });

  test('of a repository that became private is refused to former readers', async () => {
    const { path, inventory } = await place();
    await runJobs();
    expect((await ben('GET', inventory)).status).toBe(200);
    await made(ada('PUT', `${path}/data-mode`, { data_mode: 'private' }));
    expect((await ben('GET', inventory)).status).toBe(403);
  });
});

test('a list shows the size of a repository only to its readers, and to those who manage a disabled one', async () => {
  const [open, closed, disabled] = [await place(), await place({ data_mode: 'private' }), await place()];
  await open.put('a.csv', 'one');
  await runJobs();
  await made(ada('POST', `${disabled.path}/disable`));
  const { body } = await made(ada('GET', open.path));
  await made(ada('PUT', open.path, { meta: body.meta, state: 'listed' }));
  const reader = await signUp(service, 'size-reader');
  await addMember(ada, 'tides', reader, 'size-reader', 'read_data');
  const joined = await signUp(service, 'size-guest');
  await addMember(ada, `tides/${closed.id}`, joined, 'size-guest', 'read_data');
  const { client: key } = await newKey(service, ada, '/accounts/tides');
  const shown = { files: 1, bytes: 3, is_complete: true, formats: ['csv'], newest_change: expect.any(String) };
  const none = expect.objectContaining({ files: 0 });
  const rows = {
    anyone: [service.anyone, [shown, 'not listed', 'not listed']],
    stranger: [ben, [shown, 'not listed', 'not listed']],
    'key of the organization': [key, [shown, 'not listed', 'not listed']],
    admin: [admin, [shown, 'no size', 'no size']],
    'member of the repository': [joined, [shown, none, 'not listed']],
    reader: [reader, [shown, none, 'not listed']],
    owner: [ada, [shown, none, none]],
  } as const;
  for (const [who, [by, expected]] of Object.entries(rows)) {
    const { body: listed } = await made(by('GET', '/repositories/tides?limit=1000'));
    const found = [open, closed, disabled].map(({ id }) => {
      const one = listed.find(({ repository_id }: { repository_id: string }) => repository_id === id);
      return one === undefined ? 'not listed' : (one.contents ?? 'no size');
    });
    expect(found, who).toEqual(expected);
  }
});

describe('a request', () => {
  test('during a walk joins it and writes nothing', async () => {
    const { inventory, uid, show } = await place();
    const before = await service.repositoryJobStore.find(uid);
    const { status, body } = await ada('POST', inventory);
    expect([status, body]).toEqual([202, await show()]);
    expect(await service.repositoryJobStore.find(uid)).toEqual(before);
  });

  test('less than five minutes after the last one is refused with the time', async () => {
    const { inventory } = await place();
    await runJobs();
    expect((await ada('POST', inventory)).status).toBe(202);
    await runJobs();
    const { status, body, headers } = await ada('POST', inventory);
    expect([status, body.code]).toEqual([429, 'throttled']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(limits.inventoryRequestSeconds - 60);
    service.advance(limits.inventoryRequestSeconds);
    expect((await ada('POST', inventory)).status).toBe(202);
  });

  test('above the limit of an account in an hour is refused', async () => {
    const { inventory } = await place();
    await runJobs();
    const hour = toTimestamp(service.services.clock()).slice(0, 13);
    await items.putAll([{ ...keys.inventoryRequests('tides', hour), requests: limits.inventoryRequestsPerHourMax }]);
    expect(await ada('POST', inventory)).toMatchObject({ status: 429, body: { code: 'throttled' } });
    service.advance(3600);
    expect((await ada('POST', inventory)).status).toBe(202);
  });
});

describe('an automatic walk', () => {
  test('begins after 6 hours, and less often while walks find no change', async () => {
    const { put, inventory, nextRunAt, show } = await place();
    const hours: number[] = [];
    const next = async () => {
      await runJobs();
      hours.push(hoursUntil(await nextRunAt()));
      service.advance(3600 * (hours.at(-1) ?? 0));
    };
    for (let walk = 0; walk < 7; walk += 1) await next();
    expect(hours).toEqual([6, 12, 24, 48, 96, 168, 168]);
    await put('a', 'new');
    await next();
    expect(hours.at(-1)).toBe(6);
    await next();
    expect(hours.at(-1)).toBe(12);
    await made(ada('POST', inventory));
    await runJobs();
    expect(hoursUntil(await nextRunAt())).toBe(12);
    expect(await show()).toMatchObject({ state: 'ready', files: 1 });
  });

  test.each([
    ['repository', (path: string) => ada('POST', `${path}/disable`)],
    ['account', () => ada('POST', '/accounts/tides/disable')],
  ] as const)('skips the repositories of a disabled %s, but a request does not', async (what, disable) => {
    const { path, put, show, inventory } = await place();
    await runJobs();
    const before = await show();
    await put('a', 'new');
    await made(disable(path));
    service.advance(7 * 3600);
    await runJobs();
    expect(await show()).toEqual(before);
    if (what === 'repository') {
      await made(ada('POST', inventory));
      await runJobs();
      expect(await show()).toMatchObject({ files: 1 });
    } else {
      await made(ada('POST', '/accounts/tides/enable'));
    }
  });
});

describe('a walk over many keys', () => {
  const page = (from: number, to: number, isTruncated: boolean, prefix: string) => {
    const contents = Array.from(
      { length: to - from },
      (_, at) =>
        `<Contents><Key>${prefix}${String(from + at).padStart(9, '0')}.csv</Key><Size>2</Size><LastModified>2026-01-01T00:00:00Z</LastModified></Contents>`,
    );
    return `<ListBucketResult><IsTruncated>${isTruncated}</IsTruncated>${contents.join('')}</ListBucketResult>`;
  };
  const markerOf = (query: string) => decodeURIComponent(/marker=([^&]*)/.exec(query)?.[1] ?? '');
  /** Answers lists from a storage that has `total` keys, and sends `size` of them in a page. */
  const manyKeys =
    (prefix: string, total: number, size: number, requests: { count: number }): FetchStorage =>
    async (request, ...more) => {
      if (!request.rawQuery.includes(`prefix=${encodeURIComponent(prefix)}`)) return fetchBytes(request, ...more);
      requests.count += 1;
      const from = Number(/(\d{9})\.csv$/.exec(markerOf(request.rawQuery))?.[1] ?? -1) + 1;
      const to = Math.min(from + size, total);
      return { status: 200, headers: {}, body: Buffer.from(page(from, to, to < total, prefix)) };
    };

  test('ends at a million keys, and says that there are more', async () => {
    const { prefix, show } = await place();
    const requests = { count: 0 };
    await runJobs({ fetchStorage: manyKeys(prefix, Number.MAX_SAFE_INTEGER, 1000, requests) });
    expect(await show()).toMatchObject({ state: 'ready', files: limits.inventoryKeysMax, is_complete: false });
    expect(requests.count).toBe(1001);
  });

  test('ends after a bounded number of pages with one key each', async () => {
    const { prefix, show } = await place();
    const requests = { count: 0 };
    await runJobs({ fetchStorage: manyKeys(prefix, Number.MAX_SAFE_INTEGER, 1, requests) });
    expect(await show()).toMatchObject({ state: 'ready', files: limits.inventoryPagesMax, is_complete: false });
    expect(requests.count).toBe(limits.inventoryPagesMax);
  });

  test('continues in the next run, and counts no key twice', async () => {
    const { prefix, show } = await place();
    const requests = { count: 0 };
    const many = manyKeys(prefix, 250_000, 1000, requests);
    const slow: FetchStorage = async (...given) => {
      if (requests.count === 120) service.advance(limits.repositoryJobRunSeconds);
      return many(...given);
    };
    await runJobs({ fetchStorage: slow });
    expect(await show()).toEqual({ state: 'running', progress: { files: 121_000 } });
    await runJobs({ fetchStorage: slow });
    expect(await show()).toMatchObject({ state: 'ready', files: 250_000, bytes: 500_000, is_complete: true });
  });

  test('continues from its saved position after a crash', async () => {
    const { prefix, show } = await place();
    const requests = { count: 0 };
    const many = manyKeys(prefix, 250_000, 1000, requests);
    const { promise: stops, resolve: isStopped } = Promise.withResolvers<void>();
    void runJobs({
      fetchStorage: async (...given) => {
        if (requests.count < 150) return many(...given);
        isStopped();
        return new Promise<never>(() => undefined);
      },
    });
    await stops;
    await runJobs();
    expect(await show()).toMatchObject({ state: 'running', progress: { files: 100_000 } });
    service.advance(limits.repositoryJobReservedSeconds);
    await runJobs({ fetchStorage: many });
    expect(await show()).toMatchObject({ state: 'ready', files: 250_000 });
    expect(requests.count).toBe(150 + 150);
  });

  const joined = (...pages: string[]) => pages.join('').replace('</ListBucketResult><ListBucketResult>', '');
  test.each<[string, (prefix: string) => string]>([
    ['repeats a page', (prefix) => page(0, 2, true, prefix)],
    ['continues without keys', (prefix) => page(0, 0, true, prefix)],
    ['sends keys of another repository', () => page(0, 2, false, 'elsewhere/tides/other/')],
    ['sends keys that begin like the prefix', (prefix) => page(0, 1, false, `${prefix.slice(0, -1)}2/`)],
    ['sends keys in the wrong order', (prefix) => joined(page(5, 6, false, prefix), page(1, 2, false, prefix))],
    ['sends too many keys in a page', (prefix) => page(0, 1001, false, prefix)],
    ['sends huge keys', (prefix) => page(0, 1, false, prefix + 'k'.repeat(1024))],
  ])('fails if the storage %s', async (_, answer) => {
    const { prefix, show, put, inventory } = await place();
    await put('a', 'x');
    await runJobs();
    await made(ada('POST', inventory));
    const body = Buffer.from(answer(prefix));
    await runJobs({ fetchStorage: async () => ({ status: 200, headers: {}, body }) });
    // The inventory still shows the numbers of the last complete walk.
    expect(await show()).toMatchObject({ state: 'failed', failure: { reason: 'list_invalid' }, files: 1, bytes: 1 });
  });

  test.each<[string, object]>([
    ['refuses', { status: 403, headers: {}, body: Buffer.from('<Error><Code>AccessDenied</Code></Error>') }],
    ['sends no XML', { status: 200, headers: {}, body: Buffer.from('{}') }],
    ['does not answer', { status: 503, headers: {}, body: Buffer.from('') }],
  ])('fails after few attempts if the storage %s, and the next one comes later', async (_, answer) => {
    const { show, nextRunAt } = await place();
    for (let run = 0; run <= limits.inventoryAttemptsMax; run += 1) {
      await runJobs({ fetchStorage: async () => answer as Awaited<ReturnType<FetchStorage>> });
      if ((await show()).state === 'failed') break;
      service.advance(600);
    }
    expect(await show()).toMatchObject({ state: 'failed' });
    expect(hoursUntil(await nextRunAt())).toBeGreaterThan(11);
    service.advance(13 * 3600);
    await runJobs();
    expect(await show()).toMatchObject({ state: 'ready', files: 0 });
    expect(await show()).not.toHaveProperty('failure');
  });
});

describe('a repository that', () => {
  /** Runs an inventory walk that waits at its first list until `change` is done. */
  async function during(prefix: string, change: () => Promise<unknown>): Promise<void> {
    let isChanged = false;
    await runJobs({
      fetchStorage: async (request, ...more) => {
        if (!isChanged && request.rawQuery.includes(encodeURIComponent(prefix))) {
          isChanged = true;
          await change();
        }
        return fetchBytes(request, ...more);
      },
    });
  }

  test('is deleted during a walk leaves no inventory', async () => {
    const { id, path, uid, prefix } = await place();
    await during(prefix, async () => {
      await made(ada('POST', `${path}/disable`));
      await made(ada('POST', `${path}/delete`, { confirm: `tides/${id}` }));
    });
    expect((await items.all()).filter(({ pk }) => pk === `REPOSITORY_JOB#${uid}`)).toEqual([]);
  });

  test('is created again under the same ID gets an inventory of its own', async () => {
    const { id, path, store, put, show, prefix } = await place();
    await put('a', 'x');
    await during(prefix, async () => {
      await made(ada('POST', `${path}/disable`));
      await made(ada('POST', `${path}/delete`, { confirm: `tides/${id}` }));
      const again = repository(id, { data_connection_id: store, data_mode: 'private' });
      await made(ada('POST', '/repositories/tides', again));
    });
    expect((await show()).state).toBe('running');
    await runJobs();
    expect(await show()).toMatchObject({ state: 'ready', files: 1 });
  });

  test('is transferred during a walk is counted again for its new account, and the former one reads nothing', async () => {
    const { id, inventory, path, put, uid, prefix } = await place({ data_mode: 'private' });
    await put('a', 'x');
    await during(prefix, async () => {
      const { body } = await made(ada('POST', `${path}/transfers`, { to: 'ben' }));
      await made(ben('POST', `/transfers/${body.transfer_id}/accept`));
    });
    expect((await items.all()).filter(({ pk }) => pk === `REPOSITORY_JOB#${uid}`)).toEqual([]);
    await runJobs();
    expect((await made(ben('GET', `/repositories/ben/${id}/inventory`))).body).toMatchObject({
      state: 'ready',
      files: 1,
    });
    for (const one of [inventory, `/repositories/ben/${id}/inventory`]) {
      expect([403, 404]).toContain((await ada('GET', one)).status);
    }
  });
});

test("storage that an account owns is walked with the account's credentials", async () => {
  const own = connection('own-store');
  await made(ada('POST', '/accounts/tides/data-connections', own));
  await made(ada('POST', '/data-connections/own-store/test', { access: 'read_write' }));
  await made(ada('POST', '/repositories/tides', repository('own', { data_connection_id: 'own-store' })));
  await runJobs();
  expect((await made(ada('GET', '/repositories/tides/own/inventory'))).body).toMatchObject({
    state: 'ready',
    files: 0,
  });
});
