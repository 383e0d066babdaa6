import { createHash } from 'node:crypto';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { isDataError } from '../../../site/data/data-error.ts';
import { UploadRecords } from '../../../site/upload/upload-records.ts';
import { Uploader } from '../../../site/upload/uploader.ts';
import { type Credentials, s3Client, signIn } from '../../service/data-clients.ts';
import { type SeededService, startSeededService } from '../../service/seeded-service.ts';
import { drafts, fileOf, mebibyte, repositoryOf, untilTheEnd } from './upload-fixture.ts';

let service: SeededService;
let fixture: Awaited<ReturnType<typeof repositoryOf>>;
let reader: Credentials;
beforeAll(async () => {
  service = await startSeededService();
  reader = await signIn(service, service.key);
});
afterAll(() => service.close());
// A user may request credentials sixty times a minute. Each test therefore starts as a new page.
beforeEach(async () => {
  fixture = await repositoryOf(service);
});

const name = { owner: 'ada', ...drafts };

function uploaderOf(of = fixture, records = new UploadRecords()) {
  let changed: (() => void) | undefined;
  const uploader = new Uploader({ data: of.data, records, name, onChange: () => changed?.() });
  /** Resolves when the uploader satisfies the condition. */
  const until = (isSo: (uploader: Uploader) => boolean) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (isSo(uploader)) resolve();
      };
      changed = look;
      look();
    });
  return { uploader, records, until, whenDone: () => until(({ state }) => state === 'idle' || state === 'stopped') };
}

async function storedDigest(key: string): Promise<string> {
  const s3 = s3Client(service, reader, (service.services.clock() - Date.now()) / 1000);
  const { Body } = await s3.send(
    new GetObjectCommand({ Bucket: drafts.account_id, Key: `${drafts.repository_id}/${key}` }),
  );
  return createHash('sha256')
    .update((await Body?.transformToByteArray()) ?? '')
    .digest('hex');
}

async function digest(file: Blob): Promise<string> {
  return createHash('sha256')
    .update(new Uint8Array(await file.arrayBuffer()))
    .digest('hex');
}

/** A request that never gets an answer, like on a connection that accepts data and stays silent. */
function untilGivenUp(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const giveUp = () => reject(signal.reason);
    // Signing takes a moment, so the signal may already be aborted. It then sends no event.
    if (signal.aborted) giveUp();
    signal.addEventListener('abort', giveUp);
  });
}

/** Uploads the files, and waits until all are done or the uploader has stopped. */
async function uploaded(files: Parameters<Uploader['add']>[0], of = fixture, records = new UploadRecords()) {
  const opened = uploaderOf(of, records);
  opened.uploader.add(files);
  await opened.whenDone();
  return opened;
}

async function expectStored(key: string, file: Blob): Promise<void> {
  expect(await storedDigest(key)).toBe(await digest(file));
}

const newFile = (key: string, file: File, overwrites = false) => ({ key, file, overwrites });

describe('an upload from the browser', () => {
  test('stores small files and a file in parts, confirmed by storage', async () => {
    const files = [
      newFile('first/large.bin', fileOf('large.bin', 17 * mebibyte + 17)),
      newFile('first/empty', fileOf('empty', 0)),
      newFile("first/odd + name (1)!'*~é%?#&=;@.csv", fileOf('odd', 'a,b\n')),
      newFile('first//double', fileOf('double', 'x')),
    ];
    const { uploader } = await uploaded(files);
    expect(uploader.items.map(({ state, confirmation, problem }) => ({ state, confirmation, problem }))).toEqual(
      files.map(() => ({ state: 'done', confirmation: 'confirmed', problem: undefined })),
    );
    expect(uploader.totals.sentBytes).toBe(uploader.totals.bytes);
    for (const { key, file } of files) await expectStored(key, file);
    const found = await fixture.data.objects.find("first/odd + name (1)!'*~é%?#&=;@.csv", untilTheEnd());
    expect(found?.header('content-type')).toBe('text/csv; charset=utf-8');
    expect(fixture.line.credentials).toBe(1);
  });

  test('uploads small files while large ones take all their slots, and never more than five requests at once', async () => {
    const { uploader, until, whenDone } = uploaderOf();
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    let inFlight = 0;
    let most = 0;
    fixture.line.onTheWay = async (request, send) => {
      if (request.method !== 'PUT') return send(request);
      inFlight += 1;
      most = Math.max(most, inFlight);
      if (request.url.includes('partNumber')) await opened;
      return send(request).finally(() => {
        inFlight -= 1;
      });
    };
    const large = Array.from({ length: 5 }, (_, at) => newFile(`lanes/large-${at}`, fileOf('large', 9 * mebibyte)));
    const small = Array.from({ length: 7 }, (_, at) => newFile(`lanes/small-${at}`, fileOf('small', `${at}`)));
    uploader.add([...large, ...small]);
    await until(() => uploader.count('done') === small.length);
    expect(uploader.items.filter(({ state }) => state === 'done').map(({ key }) => key)).toEqual(
      small.map(({ key }) => key),
    );
    open();
    await whenDone();
    expect(uploader.count('done')).toBe(12);
    expect(most).toBe(5);
    expect(uploader.totals).toMatchObject({ sentBytes: 45 * mebibyte + 7, bytes: 45 * mebibyte + 7 });
    await expectStored('lanes/large-4', large[4]?.file ?? new Blob());
  });

  test('uploads every small file once after a pause', async () => {
    const { uploader, whenDone } = uploaderOf();
    const { promise: full, resolve } = Promise.withResolvers<void>();
    let puts = 0;
    fixture.line.onTheWay = async (request, send) => {
      puts += 1;
      if (puts === 5) resolve();
      return puts <= 5 ? untilGivenUp(request.signal) : send(request);
    };
    uploader.add(Array.from({ length: 12 }, (_, at) => newFile(`paused/${at}`, fileOf('small', `${at}`))));
    await full;
    uploader.pause();
    uploader.resume();
    await whenDone();
    expect(uploader.count('done')).toBe(12);
    expect(uploader.doneEver).toBe(12);
    expect(puts).toBe(17);
  });

  test('replaces an existing object only when the user agrees', async () => {
    const large = (content: number) => fileOf('large', content);
    await uploaded([newFile('taken/small', fileOf('small', 'one')), newFile('taken/large', large(9 * mebibyte))]);
    const files = [newFile('taken/small', fileOf('small', 'two')), newFile('taken/large', large(9 * mebibyte + 1))];
    const next = await uploaded(files);
    expect(next.uploader.items.map(({ state }) => state)).toEqual(['exists', 'exists']);
    await expectStored('taken/small', fileOf('small', 'one'));
    for (const item of next.uploader.items) next.uploader.retry(item, { overwrites: true });
    await next.whenDone();
    expect(next.uploader.items.map(({ state }) => state)).toEqual(['done', 'done']);
    for (const { key, file } of files) await expectStored(key, file);
    expect(await fixture.data.multipart.listUnfinished('taken/', untilTheEnd())).toEqual([]);
  });

  test('recognizes its own object when the response was lost', async () => {
    for (const bytes of [5, 9 * mebibyte]) {
      const { uploader, whenDone } = uploaderOf();
      let isLost = false;
      fixture.line.onTheWay = async (request, send) => {
        const answer = await send(request);
        const isLast =
          request.method === 'POST' ? !request.url.includes('uploads') : bytes === 5 && request.method === 'PUT';
        if (!isLast || isLost) return answer;
        isLost = true;
        throw new TypeError('connection reset');
      };
      uploader.add([newFile(`lost/${bytes}`, fileOf('lost', bytes))]);
      await whenDone();
      expect(uploader.items.map(({ state, problem }) => ({ state, problem }))).toEqual([
        { state: 'done', problem: undefined },
      ]);
      expect(isLost).toBe(true);
    }
  });

  test('waits while the connection is down, and sends the missing parts', async () => {
    let cut = 0;
    fixture.line.onTheWay = (request, send) => {
      const isCut = request.url.includes('partNumber') && cut < 20;
      if (!isCut) return send(request);
      cut += 1;
      return Promise.reject(new TypeError('Failed to fetch'));
    };
    const file = fileOf('cut', 17 * mebibyte);
    const { uploader } = await uploaded([newFile('cut', file)]);
    expect(uploader.items[0]?.state).toBe('done');
    await expectStored('cut', file);
    expect(Math.max(...fixture.line.waits)).toBeLessThanOrEqual(30_000);
    expect(fixture.line.connection).toContain(false);
    expect(fixture.line.connection.at(-1)).toBe(true);
  });

  test('retries after the delay that a busy service asks for, and stops with a message', async () => {
    let answers = 3;
    fixture.line.onTheWay = async (request, send) => {
      if (answers === 0) return send(request);
      answers -= 1;
      return {
        status: 503,
        headerNames: [],
        header: (of) => (of === 'retry-after' ? '7' : null),
        text: '<Error><Code>SlowDown</Code></Error>',
      };
    };
    const { uploader } = await uploaded([newFile('busy', fileOf('busy', 'x'))]);
    expect(uploader.items[0]?.state).toBe('done');
    expect(fixture.line.waits).toEqual([7000, 7000, 7000]);
    answers = Number.POSITIVE_INFINITY;
    const next = await uploaded([newFile('too-busy', fileOf('busy', 'x'))]);
    const problem = 'The storage of this repository does not answer correctly (SlowDown). Try again in a few minutes.';
    expect(next.uploader.items[0]).toMatchObject({ state: 'failed', problem });
    answers = 0;
    for (const item of next.uploader.items) next.uploader.retry(item);
    await next.whenDone();
    expect(next.uploader.items[0]).toMatchObject({ state: 'done', problem: undefined });
  });

  test('counts only the files of the current run, and still lists failed files', async () => {
    await fixture.data.objects.put('batch/taken', new Blob(['former']), {}, { signal: untilTheEnd() });
    const { uploader, whenDone } = await uploaded(
      ['first', 'second', 'taken'].map((name) => newFile(`batch/${name}`, fileOf(name, 'abc'))),
    );
    expect(uploader.totals).toMatchObject({ bytes: 9, sentBytes: 6 });
    uploader.add([newFile('batch/third', fileOf('third', 'fourth'))]);
    await whenDone();
    expect(uploader.items.map(({ key, state }) => [key, state])).toEqual([
      ['batch/taken', 'exists'],
      ['batch/third', 'done'],
    ]);
    expect(uploader.totals).toMatchObject({ bytes: 9, sentBytes: 6 });
    expect(uploader.doneEver).toBe(3);
    for (const item of uploader.items) uploader.retry(item, { overwrites: true });
    await whenDone();
    expect(uploader.count('done')).toBe(2);
    expect(new Set(uploader.items.map(({ id }) => id)).size).toBe(2);
  });

  test.each(['NotReadableError', 'NotFoundError', 'SecurityError', 'AbortError'])(
    'asks to choose a file again when reading it fails with %s',
    async (error) => {
      const file = fileOf('unreadable', 'x');
      file.slice = () => {
        throw new DOMException('gone', error);
      };
      const { uploader } = await uploaded([newFile(`unreadable/${error}`, file)]);
      const problem = expect.stringContaining('The browser cannot read this file any more.');
      expect(uploader.items[0]).toMatchObject({ state: 'failed', problem });
    },
  );

  test.each([3, 9 * mebibyte])('sends %i damaged bytes again, and fails if they are always damaged', async (bytes) => {
    let broken = 1;
    fixture.line.onTheWay = async (request, send) => {
      if (!(request.body instanceof Blob) || broken === 0) return send(request);
      broken -= 1;
      const content = new Uint8Array(await request.body.arrayBuffer());
      content[1] = (content[1] ?? 0) ^ 1;
      return send({ ...request, body: new Blob([content]) });
    };
    const file = fileOf('broken', bytes);
    const { uploader } = await uploaded([newFile(`broken/${bytes}`, file)]);
    expect(uploader.items[0]).toMatchObject({ state: 'done', confirmation: 'confirmed' });
    await expectStored(`broken/${bytes}`, file);
    broken = 100;
    const next = await uploaded([newFile(`broken/always-${bytes}`, file)]);
    expect(next.uploader.items[0]).toMatchObject({
      state: 'failed',
      problem: 'The data was damaged on its way. Try again.',
    });
    expect(await fixture.data.objects.find(`broken/always-${bytes}`, untilTheEnd())).toBeUndefined();
  });

  test('renews its credentials with one request for all files', async () => {
    const short = await repositoryOf(service, { seconds: 900 });
    const next = uploaderOf(short);
    let isEnded = false;
    short.line.onTheWay = (request, send) => {
      if (request.url.includes('partNumber=2') && !isEnded) {
        isEnded = true;
        // The credentials expire during the upload, at a time that the page's clock does not show.
        service.advance(901);
      }
      return send(request);
    };
    next.uploader.add([newFile('renewed/large', fileOf('large', 25 * mebibyte))]);
    await next.until(({ state }) => state === 'idle');
    expect(next.uploader.items[0]).toMatchObject({ state: 'done', confirmation: 'confirmed' });
    expect(short.line.credentials).toBe(2);
  });

  test('works with a wrong device clock', async () => {
    fixture.line.clockWrongByMs = -3_600_000;
    const { uploader } = await uploaded([newFile('clock/a', fileOf('a', 'a')), newFile('clock/b', fileOf('b', 'b'))]);
    expect(uploader.items.map(({ state }) => state)).toEqual(['done', 'done']);
  });
});

describe('an interrupted upload', () => {
  const bytes = 17 * mebibyte;
  /** Starts an upload that has only its first part. */
  async function begunUpload(key: string, file: File) {
    const { uploader, records, until } = uploaderOf();
    fixture.line.onTheWay = (request, send) =>
      /partNumber=[2-9]/.test(request.url) ? untilGivenUp(request.signal) : send(request);
    uploader.add([newFile(key, file)]);
    await until(({ items }) => (items[0]?.sentBytes ?? 0) >= 8 * mebibyte);
    return { uploader, records, until };
  }
  const partsSent = (line: typeof fixture.line) => line.sent.filter((sent) => sent.includes('partNumber')).length;

  test('pauses at once, and resumes with the missing parts', async () => {
    const file = fileOf('paused', bytes);
    const { uploader, until } = await begunUpload('paused', file);
    uploader.pause();
    await until(({ items }) => items[0]?.state === 'waiting');
    expect(uploader.state).toBe('paused');
    fixture.line.onTheWay = (request, send) => send(request);
    fixture.line.sent.length = 0;
    uploader.resume();
    await until(({ state }) => state === 'idle');
    expect(uploader.items[0]).toMatchObject({ state: 'done', confirmation: 'confirmed' });
    expect(partsSent(fixture.line)).toBe(2);
    await expectStored('paused', file);
  });

  test('resumes in another tab after it compared each stored part', async () => {
    const file = fileOf('tab', bytes);
    const { uploader, records } = await begunUpload('tab', file);
    uploader.pause();
    const later = await repositoryOf(service);
    const next = await uploaded([newFile('tab', file)], later, records);
    expect(next.uploader.items[0]).toMatchObject({ state: 'done', confirmation: 'confirmed' });
    expect(partsSent(later.line)).toBe(2);
    await expectStored('tab', file);
    expect(await records.list(name)).toEqual([]);
  });

  test('uses no part of another file with the same name, size, and time', async () => {
    const { uploader, records } = await begunUpload('other', fileOf('other', bytes));
    uploader.pause();
    const later = await repositoryOf(service);
    const file = fileOf('other', bytes);
    await uploaded([newFile('other', file)], later, records);
    expect(partsSent(later.line)).toBe(3);
    await expectStored('other', file);
  });

  test('starts again when the file changed or storage has no upload', async () => {
    const { uploader, records } = await begunUpload('changed', fileOf('changed', bytes));
    uploader.pause();
    const later = await repositoryOf(service);
    const next = await uploaded([newFile('changed', fileOf('changed', bytes, 1_700_000_001_000))], later, records);
    expect(next.uploader.items[0]?.state).toBe('done');
    expect(await later.data.multipart.listUnfinished('changed', untilTheEnd())).toEqual([]);

    const file = fileOf('removed', bytes);
    const again = await begunUpload('removed', file);
    again.uploader.pause();
    await again.until(({ items }) => items[0]?.state === 'waiting');
    for (const unfinished of await later.data.multipart.listUnfinished('removed', untilTheEnd())) {
      await later.data.multipart.abort(unfinished, untilTheEnd());
    }
    fixture.line.onTheWay = (request, send) => send(request);
    again.uploader.resume();
    await again.until(({ state }) => state === 'idle');
    expect(again.uploader.items[0]).toMatchObject({ state: 'done', confirmation: 'confirmed' });
    await expectStored('removed', file);
  });

  test('is aborted in storage when the user cancels, and stays listed if the abort fails', async () => {
    const { uploader, records } = await begunUpload('cancelled', fileOf('cancelled', bytes));
    expect(await fixture.data.multipart.listUnfinished('cancelled', untilTheEnd())).toHaveLength(1);
    await uploader.cancelAll();
    expect(uploader.items[0]?.state).toBe('cancelled');
    expect(await fixture.data.multipart.listUnfinished('cancelled', untilTheEnd())).toEqual([]);
    expect(await records.list(name)).toEqual([]);
    expect(uploader.totals).toMatchObject({ bytes: 0, sentBytes: 0 });

    const other = await begunUpload('cut-off', fileOf('cut-off', bytes));
    fixture.line.onTheWay = () => Promise.reject(new TypeError('Failed to fetch'));
    await other.uploader.cancelAll();
    fixture.line.onTheWay = (request, send) => send(request);
    const left = await fixture.data.multipart.listUnfinished('cut-off', untilTheEnd());
    expect(left.map(({ key }) => key)).toEqual(['cut-off']);
    expect((await other.records.list(name)).map(({ key }) => key)).toEqual(['cut-off']);
    for (const unfinished of left) await fixture.data.multipart.abort(unfinished, untilTheEnd());
  });

  test('stops with a message when the permission is revoked, and resumes when it is granted again', async () => {
    const asAda = await service.user('ada');
    const asBen = await service.user('ben');
    await asBen('POST', '/accounts', { account_id: 'ben', account_type: 'user', profile: { name: 'Ben' } });
    const path = `/repositories/${drafts.account_id}/${drafts.repository_id}/members`;
    const invite = async () => {
      const { status, body } = await asAda('POST', path, { account_id: 'ben', role: 'write_data' });
      expect({ status, detail: body.detail }).toEqual({ status: 201, detail: undefined });
      expect((await asBen('POST', `/memberships/${body.membership_id}/accept`)).status).toBe(200);
      return body.membership_id as string;
    };
    const membership = await invite();
    const ofBen = await repositoryOf(service, { user: 'ben' });
    const { uploader, records, until } = uploaderOf(ofBen);
    let isWithdrawn = false;
    const { promise: isStored, resolve: partIsStored } = Promise.withResolvers<void>();
    ofBen.line.onTheWay = async (request, send) => {
      if (request.url.includes('partNumber=1')) return send(request).finally(partIsStored);
      if (request.url.includes('partNumber=3') && !isWithdrawn) {
        isWithdrawn = true;
        // One of the parallel requests is stored before the right is revoked.
        await isStored;
        const { status } = await asAda('POST', `/memberships/${membership}/revoke`);
        expect(status).toBe(200);
        // The maximum age of authorization data for writes.
        service.advance(61);
      }
      return send(request);
    };
    const file = fileOf('withdrawn', 25 * mebibyte);
    uploader.add([newFile('withdrawn', file)]);
    await until(({ state }) => state === 'stopped');
    expect(isDataError(uploader.problem, 'refused')).toBe(true);
    expect(uploader.problem?.message).toMatch(/./);
    await until(({ items }) => items[0]?.state === 'waiting');
    service.advance(61);
    await invite();
    service.advance(61);
    ofBen.line.sent.length = 0;
    uploader.resume();
    await until(({ state }) => state === 'idle');
    expect(uploader.items[0]).toMatchObject({ state: 'done', confirmation: 'confirmed' });
    expect(partsSent(ofBen.line)).toBeLessThan(4);
    await expectStored('withdrawn', file);
    expect(await records.list(name)).toEqual([]);
  });
});
