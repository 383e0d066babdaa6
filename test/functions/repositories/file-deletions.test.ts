import {
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { describe, expect, test, vi } from 'vitest';
import { limits } from '../../../lib/domain/limits.ts';
import { type FetchStorage, fetchBytes } from '../../../lib/s3/storage-fetch.ts';
import { testService } from '../../service/test-service.ts';
import { jobRunner, storageClient, writingConnection } from '../repository-jobs.ts';
import { lookAtTable } from '../table-items.ts';
import { addMember, createOrganization, made, repository, signUp, signUpTides } from '../users.ts';
import { makeReady } from '../versions-of-repositories.ts';

const items = lookAtTable();
const service = await testService({ tableName: items.tableName, accountLoopbackEndpoints: true });
const { admin, ada, ben } = await signUpTides(service);
const { bucket } = service.storage;
const connection = writingConnection(service);
const withStorage = storageClient(service);
const failures: unknown[] = [];
const runJobs = jobRunner(service, failures);
const versioning = (Status: 'Enabled' | 'Suspended') =>
  withStorage((s3) => s3.send(new PutBucketVersioningCommand({ Bucket: bucket, VersioningConfiguration: { Status } })));

const keysBelow = (Prefix: string) =>
  withStorage(async (s3) => {
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: bucket, Prefix }));
    return Contents.map(({ Key = '' }) => Key.slice(Prefix.length));
  });
const putObject = (Key: string, Body = 'x') =>
  withStorage((s3) => s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body })));

let count = 0;
async function store(changes: object = {}) {
  count += 1;
  const id = `store-${count}`;
  await made(admin('POST', '/data-connections', connection(id, changes)));
  return {
    id,
    change: (more: object) => made(admin('PUT', `/data-connections/${id}`, connection(id, more))),
  };
}

/** Creates a disabled repository with these keys, on a connection of its own unless one is given. */
async function place(keys: readonly string[] = [], { on, id }: { on?: string; id?: string } = {}) {
  const data_connection_id = on ?? (await store()).id;
  count += 1;
  const repository_id = id ?? `gauges-${count}`;
  await made(ada('POST', '/repositories/tides', repository(repository_id, { data_connection_id })));
  const path = `/repositories/tides/${repository_id}`;
  const prefix = `${data_connection_id}/tides/${repository_id}/`;
  for (const key of keys) await putObject(prefix + key);
  return {
    ...{ id: repository_id, store: data_connection_id, path, prefix },
    keys: () => keysBelow(prefix),
    put: (key: string) => putObject(prefix + key),
    remove: (more: object = { delete_files: true }) =>
      ada('POST', `${path}/delete`, { confirm: `tides/${repository_id}`, ...more }),
    /** Deletes the repository with its files, and returns functions about the deletion. */
    async start() {
      await made(ada('POST', `${path}/disable`));
      const { body } = await made(this.remove());
      return deletion(body.file_deletion.deletion_id);
    },
    create: (changes: object = {}) =>
      ada(
        'POST',
        '/repositories/tides',
        repository(repository_id, { data_connection_id, data_mode: 'private', ...changes }),
      ),
  };
}
function deletion(deletion_id: string) {
  const path = `/accounts/tides/file-deletions/${deletion_id}`;
  return {
    deletion_id,
    path,
    show: async () => (await made(ada('GET', path))).body,
    stop: () => admin('POST', `${path}/stop`),
  };
}
/** Runs all due background jobs, after moving the clock to the end of the delay. */
async function runAll(changes: Parameters<typeof runJobs>[0] = {}, runs = 1) {
  service.advance(limits.fileDeletionDelaySeconds);
  for (let run = 0; run < runs; run += 1) {
    await runJobs(changes);
    service.advance(limits.repositoryJobRetrySecondsMax);
  }
}

test('the files are deleted a minute after the repository, and the progress can be read', async () => {
  const gauges = await place(['a.csv', 'b/c.csv', '.sluice/versions/old', 'd/']);
  await made(ada('POST', `${gauges.path}/disable`));
  const { body } = await made(gauges.remove());
  const waiting = { repository_id: gauges.id, state: 'waiting', files_deleted: 0 };
  expect(body.file_deletion).toMatchObject(waiting);
  expect(body.message).toMatch(/deleted in the background.*stored versions stay/);
  const { show, deletion_id } = deletion(body.file_deletion.deletion_id);
  await runJobs();
  expect(await show()).toEqual(body.file_deletion);
  expect(await gauges.keys()).toHaveLength(4);
  const reads: string[] = [];
  await runAll({
    readConnection: (id) => {
      reads.push(id);
      return service.services.store.requestData.findDataConnection(id);
    },
  });
  expect(reads).toEqual([gauges.store]);
  const ended = await show();
  // Keys below .sluice/ are no files of the repository, but they are deleted too.
  expect(ended).toEqual({ ...body.file_deletion, state: 'ended', files_deleted: 3, ended_at: expect.any(String) });
  expect(await gauges.keys()).toEqual([]);
  expect((await made(ada('GET', '/accounts/tides/file-deletions'))).body[0]).toEqual(ended);
  const { body: trail } = await made(ada('GET', '/accounts/tides/audit-events?limit=20'));
  const kinds = trail.filter(
    ({ subject }: { subject: object }) => 'deletion_id' in subject && subject.deletion_id === deletion_id,
  );
  expect(kinds.map(({ kind }: { kind: string }) => kind)).toEqual(['file_deletion.ended', 'file_deletion.started']);
});

test('without delete_files, the files stay', async () => {
  const gauges = await place(['a']);
  await made(ada('POST', `${gauges.path}/disable`));
  const { body } = await made(gauges.remove({}));
  expect(body).not.toHaveProperty('file_deletion');
  await runAll();
  expect(await gauges.keys()).toEqual(['a']);
});

test('a file that a slow upload writes during the deletion is deleted too', async () => {
  const gauges = await place(['a']);
  const { show } = await gauges.start();
  let lists = 0;
  await runAll({
    fetchStorage: async (request, ...more) => {
      const answer = await fetchBytes(request, ...more);
      if (request.method === 'GET' && request.rawQuery.includes(encodeURIComponent(gauges.prefix)) && ++lists === 1) {
        await gauges.put('late');
      }
      return answer;
    },
  });
  service.advance(3600);
  await runJobs();
  expect(await show()).toMatchObject({ state: 'ended', files_deleted: 2 });
  expect(await gauges.keys()).toEqual([]);
});

test('a bucket with object versioning keeps the stored versions, and the deletion says so', async () => {
  await versioning('Enabled');
  const gauges = await place(['a']);
  const { show } = await gauges.start();
  await runAll();
  await versioning('Suspended');
  expect(await show()).toMatchObject({ state: 'ended', stored_versions_remain: true });
  const listed = await withStorage((s3) =>
    s3.send(new ListObjectVersionsCommand({ Bucket: bucket, Prefix: gauges.prefix })),
  );
  expect([listed.Versions?.length, listed.DeleteMarkers?.length]).toEqual([1, 1]);
});

describe('only files of the repository are deleted', () => {
  test.each([
    ['a longer name', 'gauge', 'gauges'],
    ['a shorter name', 'winds', 'wind'],
    ['a name with a dash', 'tide', 'tide-2'],
  ])('next to a repository with %s', async (_, deleted, other) => {
    const { id: on } = await store();
    const [first, second] = [
      await place(['x', 'y/z'], { on, id: deleted }),
      await place(['x', 'y/z'], { on, id: other }),
    ];
    await putObject(`${on}/tides/${deleted}`);
    await putObject(`${on}/tides/x`);
    await first.start();
    await runAll();
    expect(await first.keys()).toEqual([]);
    expect(await second.keys()).toEqual(['x', 'y/z']);
    expect(await keysBelow(`${on}/tides/`)).toEqual(expect.arrayContaining([deleted, 'x']));
  });

  const list = (...keys: string[]) => {
    const contents = keys.map(
      (key) => `<Contents><Key>${key}</Key><Size>1</Size><LastModified>2026-01-01T00:00:00Z</LastModified></Contents>`,
    );
    return Buffer.from(`<ListBucketResult><IsTruncated>false</IsTruncated>${contents.join('')}</ListBucketResult>`);
  };
  test.each<[string, (prefix: string) => Buffer, object]>([
    ['keys of another repository', () => list('other/x'), { state: 'waiting', problem: { reason: 'list_invalid' } }],
    [
      'keys that begin like the prefix',
      (prefix) => list(`${prefix.slice(0, -1)}2/x`),
      { problem: { reason: 'list_invalid' } },
    ],
    ['keys in the wrong order', (prefix) => list(`${prefix}b`, `${prefix}a`), { problem: { reason: 'list_invalid' } }],
    [
      'keys with dot segments',
      (prefix) => list(`${prefix}../../x`),
      { state: 'ended', files_left: 1, files_deleted: 0 },
    ],
  ])('if the storage lists %s', async (_, answer, expected) => {
    const gauges = await place(['a']);
    const { show } = await gauges.start();
    const methods = new Set<string>();
    await runAll({
      fetchStorage: async (request) => {
        methods.add(request.method);
        return { status: 200, headers: {}, body: answer(gauges.prefix) };
      },
    });
    expect(await show()).toMatchObject(expected);
    expect([...methods]).toEqual(['GET']);
  });

  test('when the deletion sends a separate request for a name that XML cannot contain', async () => {
    const gauges = await place(['a', 'b\u0001c', 'd\re']);
    const { show } = await gauges.start();
    await runAll();
    expect(await show()).toMatchObject({ state: 'ended', files_deleted: 3 });
    expect(await gauges.keys()).toEqual([]);
  });
});

describe('until the deletion of files ends,', () => {
  test('the ID and the prefix stay reserved', async () => {
    const gauges = await place(['a']);
    await gauges.start();
    for (const changes of [{}, { data_mode: 'open' }, { adopt_objects: true, data_mode: 'open' }]) {
      expect(await gauges.create(changes)).toMatchObject({ status: 409, body: { code: 'files_being_deleted' } });
    }
    const elsewhere = await store();
    expect((await gauges.create({ data_connection_id: elsewhere.id })).body.code).toBe('files_being_deleted');
    await runAll();
    await made(gauges.create({ data_mode: 'open' }));
    await gauges.put('new');
    await runAll({}, 3);
    expect(await gauges.keys()).toEqual(['new']);
  });

  test('no repository is transferred to the ID', async () => {
    await createOrganization(ada, 'waves');
    const gauges = await place(['a']);
    await made(admin('PUT', '/accounts/ada/flags', ['create_organizations', 'create_repositories']));
    await made(ada('POST', '/repositories/waves', repository(gauges.id, { data_connection_id: gauges.store })));
    const { body: offer } = await made(ada('POST', `/repositories/waves/${gauges.id}/transfers`, { to: 'tides' }));
    await gauges.start();
    const accept = () => ada('POST', `/transfers/${offer.transfer_id}/accept`);
    expect(await accept()).toMatchObject({ status: 409, body: { code: 'files_being_deleted' } });
    await runAll();
    await made(accept());
  });

  test('the account cannot be deleted', async () => {
    await createOrganization(ada, 'short-lived');
    const { id: on } = await store();
    await made(ada('POST', '/repositories/short-lived', repository('last', { data_connection_id: on })));
    await putObject(`${on}/short-lived/last/a`);
    await made(ada('POST', '/repositories/short-lived/last/disable'));
    await made(
      ada('POST', '/repositories/short-lived/last/delete', { confirm: 'short-lived/last', delete_files: true }),
    );
    await made(ada('POST', '/accounts/short-lived/disable'));
    const remove = () => ada('POST', '/accounts/short-lived/delete', { confirm: 'short-lived' });
    expect(await remove()).toMatchObject({ status: 409, body: { code: 'account_not_empty' } });
    // A disabled account does not stop the deletion.
    await runAll();
    expect(await keysBelow(`${on}/short-lived/`)).toEqual([]);
    await made(remove());
  });

  test('the data connection of the account cannot be deleted', async () => {
    const own = connection('own-store');
    await made(ada('POST', '/accounts/tides/data-connections', own));
    await made(ada('POST', '/data-connections/own-store/test', { access: 'read_write' }));
    const gauges = await place(['a'], { on: 'own-store' });
    await gauges.start();
    const remove = () => ada('POST', '/data-connections/own-store/delete', { confirm: 'own-store' });
    expect(await remove()).toMatchObject({ status: 409, body: { code: 'wrong_state' } });
    await runAll();
    expect(await gauges.keys()).toEqual([]);
    await made(remove());
  });

  test('one account has a bounded number of deletions', async () => {
    const { id: on } = await store();
    const codes: string[] = [];
    for (let at = 0; at <= limits.fileDeletionsMax; at += 1) {
      const gauges = await place([], { on });
      await made(ada('POST', `${gauges.path}/disable`));
      codes.push((await gauges.remove()).body.code ?? 'started');
    }
    expect(codes.filter((code) => code === 'limit_reached')).toHaveLength(1);
    await runAll();
  });
});

describe('a deletion is refused', () => {
  test.each<[string, object]>([
    ['read-only', { read_only: true }],
    ['without credentials', { read_only: true, authentication: undefined }],
  ])('on a connection that is %s, with what to do', async (_, change) => {
    const on = await store();
    const gauges = await place(['a'], { on: on.id });
    await on.change(change);
    await made(ada('POST', `${gauges.path}/disable`));
    const { status, body } = await gauges.remove();
    expect([status, body.code]).toEqual([409, 'wrong_state']);
    expect(body.detail).toMatch(/let the connection write, or delete the repository without delete_files/);
    await made(gauges.remove({}));
  });

  test('while versions exist, and starts 7 days after their withdrawal', async () => {
    await versioning('Enabled');
    const gauges = await place(['a']);
    const { body: version } = await made(ada('POST', `${gauges.path}/versions`, { name: 'v1' }));
    await makeReady(service, version);
    await versioning('Suspended');
    await made(ada('POST', `${gauges.path}/disable`));
    expect((await gauges.remove()).body.code).toBe('wrong_state');
    const { body } = await made(gauges.remove({ delete_files: true, withdraw_versions: true }));
    expect(body.message).toMatch(/The files are deleted then/);
    expect(body).not.toHaveProperty('file_deletion');
    service.advance(6 * 24 * 3600);
    await runAll();
    expect(await gauges.keys()).toContain('a');
    // The owner cancels the deletion. Then the owner deletes the repository first without its files, and then with
    // them.
    await made(ada('POST', `${gauges.path}/restore`));
    expect((await made(gauges.remove({ withdraw_versions: true }))).body.message).not.toMatch(/files are deleted/);
    expect((await gauges.remove()).body.code).toBe('wrong_state');
    await made(ada('POST', `${gauges.path}/restore`));
    await made(gauges.remove({ delete_files: true, withdraw_versions: true }));
    service.advance(limits.repositoryDeletionDays * 24 * 3600);
    const { body: done } = await made(gauges.remove({}));
    expect(done.file_deletion).toMatchObject({ state: 'waiting' });
    await runAll();
    expect(await gauges.keys()).toEqual([]);
  });

  test('while versions exist, and DynamoDB later starts the scheduled deletion, which deletes the files', async () => {
    const gauges = await place(['a']);
    const { body: version } = await made(ada('POST', `${gauges.path}/versions`, { name: 'v1' }));
    await makeReady(service, version);
    await made(ada('POST', `${gauges.path}/disable`));
    await made(gauges.remove({ delete_files: true, withdraw_versions: true }));
    service.advance(limits.repositoryDeletionDays * 24 * 3600 + 60);
    await service.ttl.runOnce();
    const started = async () => (await made(ada('GET', '/accounts/tides/file-deletions?limit=1'))).body[0];
    await vi.waitFor(async () => expect(await started()).toMatchObject({ repository_id: gauges.id }), 10_000);
    await runAll();
    expect(await gauges.keys()).toEqual([]);
  });
});

describe('an administrator stops a deletion', () => {
  test('that waits, and the files stay', async () => {
    const gauges = await place(['a']);
    const { stop, show } = await gauges.start();
    expect(await stop()).toMatchObject({ status: 202, body: { state: 'stopping' } });
    expect((await stop()).body.code).toBe('wrong_state');
    expect((await gauges.create()).body.code).toBe('files_being_deleted');
    await runAll();
    expect(await show()).toMatchObject({ state: 'stopped', files_deleted: 0 });
    expect(await gauges.keys()).toEqual(['a']);
    expect((await gauges.create({ data_mode: 'open' })).body.code).toBe('adoption_required');
    await made(gauges.create());
    const { body: trail } = await made(ada('GET', '/accounts/tides/audit-events?limit=10'));
    expect(trail.find(({ kind }: { kind: string }) => kind === 'file_deletion.stopped')).toMatchObject({
      actor: { acting_as: 'platform_admin' },
    });
  });

  test('while a page is listed, and nothing more is deleted', async () => {
    const gauges = await place(['a']);
    const { stop, show } = await gauges.start();
    let isStopped = false;
    await runAll({
      fetchStorage: async (request, ...more) => {
        const answer = await fetchBytes(request, ...more);
        if (!isStopped && request.rawQuery.includes(encodeURIComponent(gauges.prefix))) {
          isStopped = true;
          await made(stop());
        }
        return answer;
      },
    });
    await runJobs();
    expect(await show()).toMatchObject({ state: 'stopped', files_deleted: 0 });
    expect(await gauges.keys()).toEqual(['a']);
  });

  test('which no other caller may stop', async () => {
    const { show, path } = await (await place()).start();
    const reader = await signUp(service, 'reading');
    await addMember(ada, 'tides', reader, 'reading', 'read_data');
    for (const by of [ada, ben, reader]) expect((await by('POST', `${path}/stop`)).status).toBe(403);
    for (const by of [ben, reader]) expect((await by('GET', path)).status).toBe(403);
    expect((await ben('GET', '/accounts/tides/file-deletions')).status).toBe(403);
    expect((await admin('GET', path)).status).toBe(200);
    expect((await ada('GET', path.replace('/tides/', '/ada/'))).status).toBe(404);
    expect(await show()).toMatchObject({ state: 'waiting' });
    await runAll();
  });
});

describe('a deletion continues', () => {
  test('after a crash, from its saved position', async () => {
    const gauges = await place(['a', 'b']);
    const { show } = await gauges.start();
    const { promise: stops, resolve: isStopped } = Promise.withResolvers<void>();
    service.advance(limits.fileDeletionDelaySeconds);
    void runJobs({
      fetchStorage: async (request, ...more) => {
        if (request.method !== 'POST') return fetchBytes(request, ...more);
        isStopped();
        return new Promise<never>(() => undefined);
      },
    });
    await stops;
    await runJobs();
    expect(await show()).toMatchObject({ state: 'running', files_deleted: 0 });
    expect(await gauges.keys()).toHaveLength(2);
    service.advance(limits.repositoryJobReservedSeconds);
    await runJobs();
    expect(await show()).toMatchObject({ state: 'ended', files_deleted: 2 });
  });

  test('after a pause while the connection is read-only, and shows the problem', async () => {
    const on = await store();
    const gauges = await place(['a'], { on: on.id });
    const { show } = await gauges.start();
    await on.change({ read_only: true });
    await runAll({}, 3);
    expect(await show()).toMatchObject({ state: 'waiting', problem: { reason: 'connection_read_only' } });
    expect(await gauges.keys()).toEqual(['a']);
    await on.change({});
    await runAll();
    const ended = await show();
    expect(ended).toMatchObject({ state: 'ended', files_deleted: 1 });
    expect(ended).not.toHaveProperty('problem');
  });

  const refused: FetchStorage = async () => ({
    ...{ status: 403, headers: {} },
    body: Buffer.from('<Error><Code>AccessDenied</Code></Error>'),
  });
  const ignored =
    (answer: string): FetchStorage =>
    async (request, ...more) =>
      request.method === 'POST'
        ? { status: 200, headers: {}, body: Buffer.from(answer) }
        : fetchBytes(request, ...more);
  test.each<[string, FetchStorage, string]>([
    ['refuses', refused, 'storage_refuses'],
    ['does not answer', async () => ({ status: 503, headers: {}, body: Buffer.from('') }), 'storage_unavailable'],
    ['sends no XML', async () => ({ status: 200, headers: {}, body: Buffer.from('{') }), 'storage_unavailable'],
    ['deletes nothing', ignored('<DeleteResult></DeleteResult>'), 'files_refused'],
    [
      'claims to have deleted other keys',
      ignored('<DeleteResult><Deleted><Key>x</Key></Deleted></DeleteResult>'),
      'files_refused',
    ],
  ])('with growing pauses while the storage %s', async (_, fetchStorage, reason) => {
    const gauges = await place(['a']);
    const { show } = await gauges.start();
    let requests = 0;
    const counted: FetchStorage = async (request, ...more) => {
      requests += 1;
      return fetchStorage(request, ...more);
    };
    service.advance(limits.fileDeletionDelaySeconds);
    for (let minute = 0; minute < 120; minute += 1) {
      await runJobs({ fetchStorage: counted });
      service.advance(60);
    }
    expect(await show()).toMatchObject({ files_deleted: 0, problem: { reason } });
    expect(requests).toBeLessThan(40);
    service.advance(3600);
    await runJobs();
    service.advance(3600);
    await runJobs();
    expect(await show()).toMatchObject({ state: 'ended', files_deleted: 1 });
  });
});
