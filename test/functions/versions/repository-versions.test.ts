import {
  DeleteObjectCommand,
  GetObjectCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { describe, expect, test, vi } from 'vitest';
import { freezeFailureMessages, verificationFailureMessages } from '../../../lib/domain/data/repository-versions.ts';
import { limits } from '../../../lib/domain/limits.ts';
import { toTimestamp } from '../../../lib/domain/time.ts';
import { type FetchStorage, fetchBytes } from '../../../lib/s3/storage-fetch.ts';
import { decodeIndex, decodePage } from '../../../lib/s3/versions/manifest.ts';
import { keys } from '../../../lib/store/keys.ts';
import { testService } from '../../service/test-service.ts';
import { jobRunner, storageClient } from '../repository-jobs.ts';
import { lookAtTable } from '../table-items.ts';
import { addMember, connection, inBatches, made, newKey, repository, signUp, signUpTides } from '../users.ts';
import { makeReady } from '../versions-of-repositories.ts';

const items = lookAtTable();
const service = await testService({ tableName: items.tableName });
const { admin, ada, ben } = await signUpTides(service);
const { endpoint, region, bucket, access_key_id, secret_access_key } = service.storage;
const authentication = { type: 's3_access_key', access_key_id, secret_access_key };
const withStorage = storageClient(service);
const versioning = (Status: 'Enabled' | 'Suspended') =>
  withStorage((s3) => s3.send(new PutBucketVersioningCommand({ Bucket: bucket, VersioningConfiguration: { Status } })));
await versioning('Enabled');

let count = 0;
/** Creates a repository with a data connection of its own. */
async function place(changes: object = {}) {
  count += 1;
  const [id, store] = [`gauges-${count}`, `store-${count}`];
  const details = { provider: 's3', bucket, region, endpoint, base_prefix: `${store}/` };
  await made(admin('POST', '/data-connections', connection(store, { details, authentication, read_only: false })));
  await made(ada('POST', '/repositories/tides', repository(id, { data_connection_id: store, ...changes })));
  const path = `/repositories/tides/${id}`;
  const prefix = `${store}/tides/${id}/`;
  return {
    ...{ id, store, path, prefix, versions: `${path}/versions` },
    put: (key: string, Body: string) =>
      withStorage((s3) => s3.send(new PutObjectCommand({ Bucket: bucket, Key: prefix + key, Body }))),
    create: async (name: string) => (await made(ada('POST', `${path}/versions`, { name }))).body,
    show: async (name: string) => (await made(ada('GET', `${path}/versions/${name}`))).body,
    connect: async (more: object) =>
      void (await made(
        admin('PUT', `/data-connections/${store}`, connection(store, { details, authentication, ...more })),
      )),
  };
}

const partOf = async (prefix: string, versionUid: string, sha256: string) => {
  const Key = `${prefix}.sluice/versions/${versionUid}/${sha256}.json.gz`;
  return withStorage(async (s3) => {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key }));
    return (await Body?.transformToByteArray()) ?? new Uint8Array();
  });
};

const failures: unknown[] = [];
const runJobs = jobRunner(service, failures);

test('a version becomes ready, and its manifest lists the objects at its instant', async () => {
  const { put, create, show, prefix, versions } = await place();
  await put('a.csv', 'one');
  await put('b/c.csv', 'two!');
  const created = await create('2026-08');
  expect(created).toMatchObject({ name: '2026-08', state: 'freezing', notes: '' });
  expect(await show('2026-08')).toMatchObject({ progress: { keys: 0, bytes: 0, stored_versions: 0 } });
  await service.repositoryJobs.run();
  const ready = await show('2026-08');
  expect(ready).toMatchObject({ state: 'ready', keys: 2, bytes: 7, version_uid: created.version_uid });
  expect(ready).not.toHaveProperty('progress');
  const [page] = decodeIndex(
    Buffer.from(await partOf(prefix, ready.version_uid, ready.index_sha256)),
    ready.index_sha256,
  );
  const entries = decodePage(
    Buffer.from(await partOf(prefix, ready.version_uid, page?.sha256 ?? '')),
    page?.sha256 ?? '',
  );
  expect(entries.map(({ key }) => key)).toEqual(['a.csv', 'b/c.csv']);
  expect((await made(ada('GET', versions))).body).toEqual([ready]);
  const { body: trail } = await made(ada('GET', '/accounts/tides/audit-events'));
  const kinds = trail.filter(({ subject }: { subject: { name?: string } }) => subject.name === '2026-08');
  expect(kinds.map(({ kind }: { kind: string }) => kind)).toEqual(['version.ready', 'version.created']);
});

describe('versions', () => {
  test('are verified and withdrawn by owners and maintainers with a bearer token, and are created also with an API key', async () => {
    const { versions } = await place();
    const reader = await signUp(service, 'reading');
    await addMember(ada, 'tides', reader, 'reading', 'read_data');
    const { client: key } = await newKey(service, ada, '/accounts/ada');
    for (const [by, code, codeOfCreation] of [
      [reader, 'access_denied', 'access_denied'],
      [ben, 'access_denied', 'access_denied'],
      [admin, 'access_denied', 'access_denied'],
      [key, 'bearer_token_required', undefined],
      [service.anyone, 'unauthenticated', 'unauthenticated'],
    ] as const) {
      expect((await by('POST', versions, { name: 'v1' })).body.code).toBe(codeOfCreation);
      expect((await by('POST', `${versions}/v1/withdraw`, { reason: 'wrong' })).body.code).toBe(code);
      expect((await by('POST', `${versions}/v1/verify`)).body.code).toBe(code);
    }
  });

  test('are readable for readers of the repository', async () => {
    const [open, closed] = [await place(), await place({ data_mode: 'private' })];
    for (const { versions, create } of [open, closed]) {
      await create('v1');
      expect((await ada('GET', versions)).body).toHaveLength(1);
    }
    expect((await service.anyone('GET', open.versions)).status).toBe(200);
    expect((await service.anyone('GET', `${open.versions}/v1`)).body).not.toHaveProperty('storage');
    expect((await service.anyone('GET', `${open.versions}/v2`)).body.code).toBe('not_found');
    // A caller who may not read the repository gets the same answer for existing and for missing names.
    for (const name of ['v1', 'v2']) expect((await ben('GET', `${closed.versions}/${name}`)).status).toBe(403);
  });
});

describe('a new version is refused', () => {
  test('for a read-only connection, with what to change', async () => {
    const { versions, connect } = await place();
    await connect({ read_only: true });
    const { status, body } = await ada('POST', versions, { name: 'v1' });
    expect([status, body.code]).toEqual([409, 'wrong_state']);
    expect(body.detail).toMatch(/read-only.*let the connection write/);
  });

  test.each(['', 'V1', '-a', '.a', 'a/b', 'a@b', 'a b', 'a'.repeat(64)])('for the name "%s"', async (name) => {
    expect((await ada('POST', (await place()).versions, { name })).body.code).toBe('field_invalid');
  });

  test('under a name that the repository had, in every state but failed', async () => {
    const { versions, create } = await place();
    const again = async () => (await ada('POST', versions, { name: 'v1' })).body.code;
    await create('v1');
    expect(await again()).toBe('version_name_taken');
    await runJobs();
    expect(await again()).toBe('version_name_taken');
    await made(ada('POST', `${versions}/v1/withdraw`, { reason: 'wrong' }));
    expect(await again()).toBe('version_name_taken');
  });

  test('with an API key, if only federated sign-ins may write', async () => {
    const { path, versions } = await place();
    await made(ada('PATCH', `${path}/settings`, { federated_only: true }));
    const { client: key } = await newKey(service, ada, '/accounts/ada');
    expect((await key('POST', versions, { name: 'v1' })).body.code).toBe('wrong_state');
    expect((await ada('POST', versions, { name: 'v1' })).status).toBe(201);
  });

  test('in a disabled repository', async () => {
    const { path, versions } = await place();
    await made(ada('POST', `${path}/disable`));
    expect((await ada('POST', versions, { name: 'v1' })).body.code).toBe('wrong_state');
  });

  test('above the limit of an account on one day', async () => {
    const { versions } = await place();
    const day = toTimestamp(service.services.clock()).slice(0, 10);
    await items.putAll([{ ...keys.newVersions('tides', day), versions: limits.newVersionsPerDayMax }]);
    expect(await ada('POST', versions, { name: 'more' })).toMatchObject({ status: 429, body: { code: 'throttled' } });
    service.advance(24 * 3600);
    expect((await ada('POST', versions, { name: 'more' })).status).toBe(201);
  });

  test('above the limit of a repository', async () => {
    const { versions, create } = await place();
    const { version_uid } = await create('v0');
    const job = await service.repositoryJobStore.find(version_uid);
    const uid = job?.kind === 'freeze' ? job.versions_uid : '';
    await items.putAll([{ ...keys.repositoryVersionCount(uid), version_count: limits.versionsMax - 1 }]);
    const codes: string[] = [];
    await inBatches(
      3,
      3,
      async (at) => void codes.push((await ada('POST', versions, { name: `v${at + 1}` })).body.code),
    );
    expect(codes.filter((code) => code === 'limit_reached')).toHaveLength(2);
  });
});

test('a request with the same idempotency key gets the version of the first one', async () => {
  const { versions } = await place();
  const send = () => ada('POST', versions, { name: 'v1' }, { 'idempotency-key': 'freeze-once' });
  const [first, second] = [await send(), await send()];
  expect([first.status, second.status]).toEqual([201, 201]);
  expect(second.body).toEqual(first.body);
  expect(first.headers.get('location')).toBe(`/api/v1${versions}/v1`);
});

test('a list of versions has pages, with the newest version first', async () => {
  const { versions, create } = await place();
  for (const name of ['v1', 'v2', 'v3']) {
    service.advance(1);
    await create(name);
  }
  const first = await made(ada('GET', `${versions}?limit=2`));
  const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
  const cursor = new URL(next, service.apiUrl).searchParams.get('cursor');
  const second = await made(ada('GET', `${versions}?limit=2&cursor=${cursor}`));
  const names = [...first.body, ...second.body].map(({ name }: { name: string }) => name);
  expect(names).toEqual(['v3', 'v2', 'v1']);
});

describe('a freeze', () => {
  test('fails with what to change if the bucket has no versioning, and its name is free again', async () => {
    const { create, show } = await place();
    await versioning('Suspended');
    const { version_uid } = await create('v1');
    await runJobs();
    await versioning('Enabled');
    const failure = { reason: 'no_versioning', message: freezeFailureMessages.no_versioning };
    expect(await show('v1')).toMatchObject({ state: 'failed', failure });
    expect((await create('v1')).version_uid).not.toBe(version_uid);
    await runJobs();
    expect(await show('v1')).toMatchObject({ state: 'ready' });
    expect(await show('v1')).not.toHaveProperty('failure');
  });

  test('estimates its remaining time from the stored versions of the version before', async () => {
    const { create, show } = await place();
    expect((await create('v1')).progress).toBeUndefined();
    expect((await show('v1')).progress).not.toHaveProperty('seconds_left');
    await makeReady(service, await show('v1'));
    const job = await service.repositoryJobStore.find((await create('v2')).version_uid);
    if (job?.kind !== 'freeze') throw new Error('the version has a job');
    service.advance(3000);
    // The version before had 5 stored versions.
    await service.repositoryJobStore.save(
      job,
      { step: 'marking' },
      { counts: { keys: 1, bytes: 9, stored_versions: 2 } },
    );
    const { seconds_left, ...counts } = (await show('v2')).progress;
    expect(counts).toEqual({ keys: 1, bytes: 9, stored_versions: 2 });
    // The clock moves on during the test, so the exact number of seconds varies.
    expect(Math.floor(seconds_left / 100)).toBe(45);
    await runJobs();
    expect(await show('v2')).toMatchObject({ state: 'ready' });
  });

  test('that failed does not stop the deletion of the repository', async () => {
    await versioning('Suspended');
    const { id, path, create, show } = await place();
    await create('v1');
    await runJobs();
    expect((await show('v1')).state).toBe('failed');
    await create('v1');
    await runJobs();
    await versioning('Enabled');
    await made(ada('POST', `${path}/disable`));
    await made(ada('POST', `${path}/delete`, { confirm: `tides/${id}` }));
  });

  test('fails if the connection was changed to another bucket or made read-only', async () => {
    const { create, show, connect } = await place();
    await create('v1');
    await connect({ read_only: true });
    await runJobs();
    expect(await show('v1')).toMatchObject({ state: 'failed', failure: { reason: 'connection_gone' } });
  });

  test('continues in a later run after a crash at each wait, and never runs twice at the same time', async () => {
    const { put, create, show } = await place();
    await put('a', 'one');
    await create('v1');
    // A crash leaves the reservation, as the end of a Lambda function does.
    const stopped = new Promise<never>(() => undefined);
    const { promise: waits, resolve: isWaiting } = Promise.withResolvers<void>();
    void runJobs({
      pause: () => {
        isWaiting();
        return stopped;
      },
    });
    await waits;
    await runJobs();
    expect(await show('v1')).toMatchObject({ state: 'freezing' });
    service.advance(limits.repositoryJobReservedSeconds);
    await runJobs();
    expect(await show('v1')).toMatchObject({ state: 'ready', keys: 1 });
  });

  test('retries while the storage does not answer, and fails after its attempts', async () => {
    const { create, show } = await place();
    const { version_uid } = await create('v1');
    const secrets = { open: () => Promise.reject(new Error('KMS does not answer')) };
    for (let run = 1; run <= limits.repositoryJobAttemptsMax; run += 1) {
      expect(await show('v1'), `run ${run}`).toMatchObject({ state: 'freezing' });
      await runJobs({ secrets });
      const attempts = (await service.repositoryJobStore.find(version_uid))?.attempts;
      // The second run of each round does not find the job, because the pause is not over.
      await runJobs({ secrets });
      expect((await service.repositoryJobStore.find(version_uid))?.attempts).toBe(attempts);
      service.advance(limits.repositoryJobRetrySecondsMax);
    }
    expect(await show('v1')).toMatchObject({ state: 'failed', failure: { reason: 'storage_unavailable' } });
  });

  const answer = (change: (answer: Awaited<ReturnType<FetchStorage>>, query: string) => object): FetchStorage => {
    return async (request, ...more) => {
      const given = await fetchBytes(request, ...more);
      return { ...given, ...change(given, request.rawQuery) };
    };
  };
  const endless =
    '<ListVersionsResult><IsTruncated>true</IsTruncated><NextKeyMarker>a</NextKeyMarker></ListVersionsResult>';
  test.each<[string, FetchStorage]>([
    [
      'repeats a page of its versions',
      answer((_, query) => (query.includes('versions') ? { body: Buffer.from(endless) } : {})),
    ],
    [
      'dates objects after the year 9999',
      answer(({ headers }) => ({
        headers:
          'last-modified' in headers ? { ...headers, 'last-modified': 'Sat, 01 Jan 10000 00:00:00 GMT' } : headers,
      })),
    ],
  ])('ends after its attempts if the storage %s', async (_, fetchStorage) => {
    const { create, show, put } = await place();
    await put('a', '1');
    await create('v1');
    for (let run = 0; run <= limits.repositoryJobAttemptsMax; run += 1) {
      await runJobs({ fetchStorage });
      service.advance(limits.repositoryJobRetrySecondsMax);
    }
    expect(await show('v1')).toMatchObject({ state: 'failed' });
  });

  test('ends after three days, even if it makes progress', async () => {
    const { create, show } = await place();
    await create('v1');
    service.advance(limits.versionJobDaysMax * 24 * 3600 + 60);
    await runJobs();
    expect(await show('v1')).toMatchObject({ state: 'failed', failure: { reason: 'storage_unavailable' } });
  });
});

describe('a verification', () => {
  /** Creates a version of two objects, and functions that verify it. */
  async function placed() {
    const place_ = await place();
    const { put, create, show, versions } = place_;
    for (const key of ['a.csv', 'b.csv']) await put(key, key);
    await create('v1');
    await runJobs();
    const verify = () => ada('POST', `${versions}/v1/verify`);
    const shown = async () => (await show('v1')).verification;
    const lastEvent = async () => (await made(ada('GET', '/accounts/tides/audit-events?limit=1'))).body[0];
    return { ...place_, verify, shown, lastEvent };
  }
  const clean = { checked: 2, missing: 0, changed: 0, problems: [] };

  test('runs in the background, and the version shows its result', async () => {
    const { verify, shown, lastEvent, versions } = await placed();
    expect(await shown()).toBeUndefined();
    const { status, body } = await verify();
    const running = { state: 'running', started_at: expect.any(String), ...clean, checked: 0 };
    expect([status, body]).toEqual([202, running]);
    expect(await shown()).toEqual(body);
    expect((await lastEvent()).kind).toBe('version.verification_started');
    await service.repositoryJobs.run();
    expect(await shown()).toEqual({ ...body, ...clean, state: 'done', finished_at: expect.any(String) });
    expect(await lastEvent()).toMatchObject({ kind: 'version.verified', actor: { account_id: null } });
    expect((await made(ada('GET', versions))).body[0]).not.toHaveProperty('verification');
  });

  test('reports objects that the storage lost, and that it replaced', async () => {
    await versioning('Suspended');
    const { prefix, put, create, show, versions, lastEvent } = await placed();
    await put('c.csv', 'before');
    await versioning('Enabled');
    await create('v2');
    await runJobs();
    await versioning('Suspended');
    await put('c.csv', 'replaced');
    await versioning('Enabled');
    const lost = { Bucket: bucket, Key: `${prefix}a.csv`, VersionId: 'null' };
    await withStorage((s3) => s3.send(new DeleteObjectCommand(lost)));
    await made(ada('POST', `${versions}/v2/verify`));
    await runJobs();
    const problems = [
      { key: 'a.csv', problem: 'missing' },
      { key: 'c.csv', problem: 'changed' },
    ];
    expect((await show('v2')).verification).toMatchObject({
      ...{ state: 'done', checked: 3, missing: 1, changed: 1, problems },
    });
    expect(await lastEvent()).toMatchObject({ kind: 'version.damaged', subject: { name: 'v2' } });
    await made(ada('POST', `${versions}/v2/withdraw`, { reason: 'two objects are gone' }));
    expect(await show('v2'), 'names no keys after the withdrawal').not.toHaveProperty('verification');
  });

  test('fails with what to do if the manifest was altered, and reports the damage', async () => {
    const { prefix, show, verify, shown, lastEvent } = await placed();
    const { version_uid, index_sha256 } = await show('v1');
    const Key = `${prefix}.sluice/versions/${version_uid}/${index_sha256}.json.gz`;
    await withStorage((s3) => s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body: 'other' })));
    await made(verify());
    await runJobs();
    const message = verificationFailureMessages.manifest_altered;
    expect(await shown()).toMatchObject({ state: 'failed', checked: 0, message });
    expect((await lastEvent()).kind).toBe('version.damaged');
  });

  test('is refused for a version that is not ready, and while another one runs', async () => {
    const { create, versions, verify } = await placed();
    await create('v2');
    const { body } = await ada('POST', `${versions}/v2/verify`);
    expect([body.code, body.detail]).toEqual(['wrong_state', expect.stringContaining('is freezing')]);
    expect((await ada('POST', `${versions}/none/verify`)).body.code).toBe('not_found');
    const codes = (await Promise.all([verify(), verify(), verify()])).map(({ status }) => status);
    expect(codes.sort()).toEqual([202, 409, 409]);
    service.advance(limits.verificationEverySeconds + 1);
    expect((await verify()).body.code, 'also after an hour').toBe('wrong_state');
  });

  test('begins at most once an hour, with the time of the next one', async () => {
    const { verify } = await placed();
    await made(verify());
    await runJobs();
    service.advance(limits.verificationEverySeconds - 60);
    const refused = await verify();
    expect(refused).toMatchObject({ status: 429, body: { code: 'throttled' } });
    expect(refused.body.detail).toMatch(/try again after \d{4}-/);
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(0);
    service.advance(seconds);
    await made(verify());
    await runJobs();
  });

  test('ends when the version is withdrawn meanwhile', async () => {
    const { verify, versions, show, lastEvent } = await placed();
    await made(verify());
    await made(ada('POST', `${versions}/v1/withdraw`, { reason: 'wrong' }));
    await runJobs();
    expect((await lastEvent()).kind).toBe('version.verification_failed');
    expect(await service.repositoryJobStore.find((await show('v1')).version_uid)).toBeUndefined();
  });

  test('works on a connection that became read-only, and fails after its attempts if the storage does not answer', async () => {
    const { verify, shown, connect } = await placed();
    await connect({ read_only: true });
    await made(verify());
    const secrets = { open: () => Promise.reject(new Error('KMS does not answer')) };
    for (let run = 1; run <= limits.repositoryJobAttemptsMax; run += 1) {
      expect(await shown(), `run ${run}`).toMatchObject({ state: 'running' });
      await runJobs({ secrets });
      service.advance(limits.repositoryJobRetrySecondsMax);
    }
    expect(await shown()).toMatchObject({
      ...{ state: 'failed', message: verificationFailureMessages.storage_unavailable },
    });
    await made(verify());
    await runJobs();
    expect(await shown()).toMatchObject({ ...clean, state: 'done' });
  });
});

describe('a withdrawal', () => {
  test('keeps the page of the version with reason and date', async () => {
    const { versions, create, show } = await place();
    await create('v1');
    expect((await ada('POST', `${versions}/v1/withdraw`, { reason: 'early' })).body.code).toBe('wrong_state');
    await runJobs();
    const ready = await show('v1');
    const { body } = await made(ada('POST', `${versions}/v1/withdraw`, { reason: 'calibrated wrongly' }));
    const withdrawal = { reason: 'calibrated wrongly', withdrawn_at: expect.any(String) };
    expect(body).toEqual({ ...ready, state: 'withdrawn', withdrawal });
    expect(await show('v1')).toEqual(body);
    expect((await ada('POST', `${versions}/v1/withdraw`, { reason: 'again' })).body.code).toBe('wrong_state');
    expect((await ada('POST', `${versions}/v2/withdraw`, { reason: 'none' })).body.code).toBe('not_found');
  });

  test('of every version comes before the deletion of a repository', async () => {
    const { id, path, versions, create } = await place();
    await create('v1');
    await made(ada('POST', `${path}/disable`));
    const remove = () => ada('POST', `${path}/delete`, { confirm: `tides/${id}` });
    expect((await remove()).body, 'a version that is being frozen').toMatchObject({ code: 'wrong_state' });
    await runJobs();
    const refused = await remove();
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('withdraw each')]);
    await made(ada('POST', `${versions}/v1/withdraw`, { reason: 'calibrated wrongly' }));
    await made(remove());
  });
});

describe('the deletion of a repository with versions', () => {
  const scheduled = limits.repositoryDeletionDays * 86_400;
  const waitForStream = { timeout: 30_000, interval: 100 };
  /** Creates a disabled repository with a ready version, and functions that delete it. */
  async function placed() {
    const at = await place();
    await at.create('v1');
    await runJobs();
    await made(ada('POST', `${at.path}/disable`));
    const remove = (changes: object = { withdraw_versions: true }) =>
      ada('POST', `${at.path}/delete`, { confirm: `tides/${at.id}`, ...changes });
    const found = async () => (await ada('GET', at.path)).body;
    const pass = async (seconds: number) => {
      service.advance(seconds);
      await service.ttl.runOnce();
    };
    return { ...at, remove, found, pass };
  }

  test('is refused without the option, which the refusal names', async () => {
    const { remove, found } = await placed();
    for (const body of [{}, { withdraw_versions: false }]) {
      const refused = await remove(body);
      expect(refused).toMatchObject({ status: 409, body: { code: 'wrong_state' } });
      expect(refused.body.detail).toContain('withdraw_versions: true');
    }
    expect(await found()).not.toHaveProperty('delete_at');
  });

  test('happens after seven days, and the answer names what stays in the storage', async () => {
    const { id, path, remove, found, pass, prefix } = await placed();
    const { body } = await made(remove());
    const { delete_at } = body;
    expect(Date.parse(delete_at) - service.services.clock()).toBeGreaterThan((scheduled - 60) * 1000);
    expect(body).toMatchObject({ repository_id: id, message: expect.stringMatching(/cost money.*lifecycle rule/) });
    expect(body.places).toMatchObject(body.places.length === 0 ? [] : [{ prefix }]);
    expect(await found()).toMatchObject({ disabled: true, delete_at });
    expect((await made(remove())).body.delete_at, 'a second request').toBe(delete_at);
    await pass(scheduled - 60);
    expect(await found()).toMatchObject({ delete_at });
    await pass(120);
    await vi.waitFor(async () => expect((await ada('GET', path)).status).toBe(404), waitForStream);
    const { body: events } = await made(ada('GET', '/accounts/tides/audit-events?limit=2'));
    expect(events).toMatchObject([
      { kind: 'repository.deleted', actor: { account_id: null }, subject: { repository_id: id } },
      { kind: 'repository.deletion_scheduled', subject: { repository_id: id, delete_at } },
    ]);
  });

  test('does not happen while an administrator holds the repository', async () => {
    const { path, remove, found, pass } = await placed();
    await made(remove());
    await made(admin('POST', `${path}/disable`));
    await pass(scheduled + 60);
    expect(await found()).toMatchObject({ disabled: true });
    expect((await ada('POST', `${path}/restore`)).status).toBe(403);
  });

  test('is canceled by the owner, and the versions are readable again', async () => {
    const { id, path, remove, found, pass, show } = await placed();
    await made(remove());
    const refused = await ada('POST', `${path}/enable`);
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('restore it before')]);
    expect((await ben('POST', `${path}/restore`)).status).toBe(403);
    const { body } = await made(ada('POST', `${path}/restore`));
    expect(body).toMatchObject({ repository_id: id, disabled: true });
    expect(body).not.toHaveProperty('delete_at');
    expect((await made(ada('POST', `${path}/restore`))).body, 'a second request').toEqual(body);
    await pass(scheduled + 120);
    expect(await found()).toEqual(body);
    await made(ada('POST', `${path}/enable`));
    expect(await show('v1')).toMatchObject({ state: 'ready' });
  });

  test('that is requested again after a cancellation waits seven days again', async () => {
    const { path, remove, found, pass } = await placed();
    await made(remove());
    await pass(scheduled - 3600);
    await made(ada('POST', `${path}/restore`));
    const { body } = await made(remove());
    await pass(7200);
    expect(await found()).toMatchObject({ delete_at: body.delete_at });
  });

  test('happens at once when it is requested again after its time and no job has run yet', async () => {
    const { path, remove } = await placed();
    await made(remove());
    service.advance(scheduled + 60);
    expect((await made(remove({}))).body).not.toHaveProperty('delete_at');
    expect((await ada('GET', path)).status).toBe(404);
  });

  test('prevents the deletion of the account until then', async () => {
    const grace = await signUp(service, 'grace-leaves');
    const details = { provider: 's3', bucket, region, endpoint, base_prefix: 'store-of-grace/' };
    await made(
      admin('POST', '/data-connections', connection('store-of-grace', { authentication, details, read_only: false })),
    );
    const path = '/repositories/grace-leaves/gauges';
    await made(
      grace('POST', '/repositories/grace-leaves', repository('gauges', { data_connection_id: 'store-of-grace' })),
    );
    await made(grace('POST', `${path}/versions`, { name: 'v1' }));
    await runJobs();
    await made(grace('POST', `${path}/disable`));
    await made(grace('POST', `${path}/delete`, { confirm: 'grace-leaves/gauges', withdraw_versions: true }));
    const leave = () => grace('POST', '/accounts/grace-leaves/delete', { confirm: 'grace-leaves' });
    expect((await leave()).body.code).toBe('account_not_empty');
    service.advance(scheduled + 60);
    await service.ttl.runOnce();
    await vi.waitFor(async () => expect((await leave()).status).toBe(204), waitForStream);
  });
});

describe('the ID of a repository', () => {
  const takenBecauseCited = { status: 409, body: { code: 'repository_id_taken' } };

  test.each([
    ['with a version that was ready', true],
    ['with a version that failed', false],
    ['without a version', undefined],
  ])('%s stays reserved after its deletion: %s', async (_, isReady) => {
    const { id, store, path, versions, create } = await place();
    if (isReady === false) await versioning('Suspended');
    if (isReady !== undefined) await create('v1');
    await runJobs();
    await versioning('Enabled');
    if (isReady) await made(ada('POST', `${versions}/v1/withdraw`, { reason: 'wrong' }));
    await made(ada('POST', `${path}/disable`));
    await made(ada('POST', `${path}/delete`, { confirm: `tides/${id}` }));
    const body = repository(id, { data_connection_id: store, adopt_objects: true });
    const again = await ada('POST', '/repositories/tides', body);
    if (!isReady) return expect(again.status).toBe(201);
    expect(again).toMatchObject(takenBecauseCited);
    expect(again.body.detail).toContain('versions that others may cite');
  });

  test('stays with its versions after transfers, and only the same repository gets it back', async () => {
    const { id, store, path, create } = await place();
    await create('v1');
    await runJobs();
    const offer = async (from: string, to: string, by = ada) =>
      (await made(by('POST', `/repositories/${from}/${id}/transfers`, { to }))).body.transfer_id;
    const accept = (transfer_id: string, by = ada) => by('POST', `/transfers/${transfer_id}/accept`);
    await made(accept(await offer('tides', 'ada')));
    const body = repository(id, { data_connection_id: store });
    expect(await ada('POST', '/repositories/tides', body)).toMatchObject(takenBecauseCited);
    await made(ben('POST', '/repositories/ben', body));
    expect(await accept(await offer('ben', 'tides', ben)), 'another repository').toMatchObject(takenBecauseCited);
    await made(accept(await offer('ada', 'tides')));
    expect((await ada('GET', `${path}/versions/v1`)).body).toMatchObject({ state: 'ready' });
  });
});
