import { Agent, createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startEdge } from '../../lib/local/edge/server.ts';
import { createObjectHandler } from '../../lib/runtime/object-handler.ts';
import { shapeResponseHandler } from '../../lib/runtime/shape-response-handler.ts';
import { bucket, credentials, type OpenStore, openStore } from '../lib/local/object-store/open-store.ts';
import { dataWorld, sessionOptions } from '../lib/s3/data-world.ts';

/** What the gate before the storage does with a request: pass it on and its answer back, or something else. */
type Act = (pass: () => Promise<{ status: number; body: Buffer }>, response: ServerResponse) => unknown;

let store: OpenStore;
let gate: Awaited<ReturnType<typeof startGate>>;
let edge: Awaited<ReturnType<typeof startEdge>>;
let s3: S3Client;
const failures: unknown[] = [];

/** Long enough for a storage that answers, also on a busy machine. */
const answerWithinMs = 1500;

beforeAll(async () => {
  store = await openStore();
  gate = await startGate(store.store.port);
  const world = dataWorld();
  const { readAccess } = world.deps.access;
  const details = { provider: 's3' as const, bucket, base_prefix: 'hidden/', region: 'us-east-1', endpoint: gate.url };
  edge = await startEdge({
    port: 0,
    handlers: {
      serveObject: createObjectHandler({
        ...world.deps,
        now: Date.now,
        protocol: 'http',
        virtualHostBase: 'localhost',
        access: {
          ...world.deps.access,
          readAccess: async (...asked) => {
            const facts = await readAccess(...asked);
            return { ...facts, connection: facts.connection && { ...facts.connection, details } };
          },
          readConnectionCredentials: async () => credentials,
        },
        log: ({ failure }) => failures.push(failure),
        answerWithinMs,
      }),
      exchangeCredentials: async () => ({ status: '500' }),
      shapeResponse: shapeResponseHandler,
    },
    chance: { uuid: () => '', bytes: (length) => new Uint8Array(length) },
    onError: (failure) => failures.push(failure),
  });
  s3 = client({});
});
afterAll(async () => {
  s3.destroy();
  await edge.close();
  gate.close();
  await store.close();
});
beforeEach(() => {
  gate.acts = [];
  gate.asked = [];
  failures.length = 0;
});

function client(options: S3ClientConfig): S3Client {
  const {
    accessKeyId = '',
    secretAccessKey = '',
    sessionToken = '',
  } = sessionOptions({
    issued_at: Math.floor(Date.now() / 1000) - 60,
    expires_at: Math.ceil(Date.now() / 1000) + 3600,
  });
  return new S3Client({
    endpoint: edge.url,
    region: 'anywhere-1',
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey, sessionToken },
    ...options,
  });
}

/** Stands before a storage; the requests to complete, and to copy, meet the next of its acts, all others pass. */
async function startGate(storagePort: number) {
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const pass = () => passOn(storagePort, request, body);
    const isSlow = request.method === 'POST' || request.headers['x-amz-copy-source'] !== undefined;
    const act = isSlow && !request.url?.endsWith('?uploads=') ? started.acts.shift() : undefined;
    if (isSlow || request.method === 'HEAD') started.asked.push(request.method ?? '');
    if (act !== undefined) return act(pass, response);
    const answer = await pass();
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const started = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    acts: [] as Act[],
    /** Methods of what could be slow, and of what asks about it. */
    asked: [] as string[],
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return started;
}

async function passOn(port: number, { method, url, headers }: IncomingMessage, body: Buffer) {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const sent = httpRequest({ host: '127.0.0.1', port, method, path: url, headers, agent: false });
  sent.on('response', resolve).on('error', reject).end(body);
  const answer = await promise;
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    body: Buffer.concat(await answer.toArray()),
  };
}

const silence: Act = () => undefined;
const doneInSilence: Act = (pass) => pass();
const spacesAlone: Act = (_pass, response) => response.writeHead(200).write(' \n');
const doneAfterSpaces: Act = async (pass, response) => {
  response.writeHead(200, { 'content-type': 'application/xml' }).write(' \n ');
  response.end((await pass()).body);
};
const failedAfterSpaces =
  (code: string): Act =>
  (_pass, response) => {
    response.writeHead(200).write(' \n ');
    response.end(`<?xml version="1.0"?>\n<Error><Code>${code}</Code><Key>hidden/key</Key></Error>`);
  };

const Bucket = 'tide-institute';
const summed = { ChecksumAlgorithm: 'CRC32' } as const;
let uploads = 0;

async function uploadOnePart(name = `upload ${uploads++}`) {
  const place = { Bucket, Key: `raw-drafts/${name}` };
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ ...place, ...summed }));
  const part = { ...place, ...summed, UploadId, PartNumber: 1, Body: name };
  const { ETag, ChecksumCRC32 } = await s3.send(new UploadPartCommand(part));
  return { ...place, UploadId, MultipartUpload: { Parts: [{ PartNumber: 1, ETag, ChecksumCRC32 }] } };
}

const findHere: LookupFunction = (_host, options, callback) =>
  options.all ? callback(null, [{ address: '127.0.0.1', family: 4 }]) : callback(null, '127.0.0.1', 4);

const content = async ({ Bucket, Key }: { Bucket: string; Key: string }) =>
  (await s3.send(new GetObjectCommand({ Bucket, Key }))).Body?.transformToString();

describe('completing an upload', () => {
  test.each([
    ['is done after the edge gave up', doneInSilence],
    [
      'is done after the edge gave up, with spaces meanwhile',
      async (pass, response) => {
        await pass();
        response.writeHead(200).write(' ');
      },
    ],
  ] satisfies [string, Act][])('that %s succeeds when the SDK tries again', async (_, act) => {
    const upload = await uploadOnePart();
    gate.acts = [act];
    const completed = await s3.send(new CompleteMultipartUploadCommand(upload));
    expect(completed).toMatchObject({
      Bucket,
      Key: upload.Key,
      Location: `${edge.url}/tide-institute/${upload.Key.replace(' ', '%20')}`,
      ETag: expect.stringMatching(/^"[0-9a-f]{32}-1"$/),
      ChecksumCRC32: expect.any(String),
      $metadata: { httpStatusCode: 200, attempts: 2 },
    });
    expect(gate.asked).toEqual(['POST', 'POST', 'POST', 'HEAD']);
    expect(await content(upload)).toBe(upload.Key.slice('raw-drafts/'.length));
    expect(failures).toMatchObject([{ code: 'unavailable' }]);
  });

  test.each([
    ['is silent', silence],
    ['sends spaces alone', spacesAlone],
  ] satisfies [string, Act][])(
    'of which the storage %s is 503 in XML each time, and stays to be completed',
    async (_, act) => {
      const upload = await uploadOnePart();
      gate.acts = [act, act, act];
      await expect(s3.send(new CompleteMultipartUploadCommand(upload))).rejects.toMatchObject({
        name: 'ServiceUnavailable',
        message: 'This takes too long; try again, or in smaller parts: what was begun may be done by then.',
        $metadata: { httpStatusCode: 503, attempts: 3 },
      });
      await s3.send(new CompleteMultipartUploadCommand(upload));
      expect(await content(upload)).toBe(upload.Key.slice('raw-drafts/'.length));
    },
  );

  test('for which the storage sends spaces first succeeds at once', async () => {
    const upload = await uploadOnePart();
    gate.acts = [doneAfterSpaces];
    expect((await s3.send(new CompleteMultipartUploadCommand(upload))).$metadata.attempts).toBe(1);
  });

  test.each(['InternalError', 'SlowDown'])('that ends in %s behind an answer of 200 is tried again', async (code) => {
    const upload = await uploadOnePart();
    gate.acts = [failedAfterSpaces(code)];
    expect((await s3.send(new CompleteMultipartUploadCommand(upload))).$metadata.attempts).toBe(2);
    expect(await content(upload)).toBe(upload.Key.slice('raw-drafts/'.length));
  });

  test('that ends in a refusal behind an answer of 200 is refused', async () => {
    const upload = await uploadOnePart();
    gate.acts = [failedAfterSpaces('InvalidPart')];
    await expect(s3.send(new CompleteMultipartUploadCommand(upload))).rejects.toMatchObject({
      name: 'InvalidPart',
      $metadata: { httpStatusCode: 400, attempts: 1 },
    });
  });

  test('a second time tells the same', async () => {
    const upload = await uploadOnePart();
    const { $metadata: _, ...first } = await s3.send(new CompleteMultipartUploadCommand(upload));
    const { $metadata: __, ...second } = await s3.send(new CompleteMultipartUploadCommand(upload));
    expect(second).toEqual(first);
  });

  const gone = { name: 'NoSuchUpload', $metadata: { httpStatusCode: 404 } };

  test('that is gone is refused where the object is not there', async () => {
    const upload = await uploadOnePart();
    await s3.send(new CompleteMultipartUploadCommand(upload));
    await s3.send(new DeleteObjectCommand({ Bucket, Key: upload.Key }));
    await expect(s3.send(new CompleteMultipartUploadCommand(upload))).rejects.toMatchObject(gone);
  });

  test('that is gone is refused where the object is made of something else', async () => {
    const upload = await uploadOnePart();
    await s3.send(new CompleteMultipartUploadCommand(upload));
    const other = { MultipartUpload: { Parts: [{ PartNumber: 1, ETag: `"${'0'.repeat(32)}"` }] } };
    await expect(s3.send(new CompleteMultipartUploadCommand({ ...upload, ...other }))).rejects.toMatchObject(gone);
    await s3.send(new PutObjectCommand({ Bucket, Key: upload.Key, Body: 'something else' }));
    await expect(s3.send(new CompleteMultipartUploadCommand(upload))).rejects.toMatchObject(gone);
  });

  test.each([
    ['parts whose ETags are no sums', { Parts: [{ PartNumber: 1, ETag: '"no sum"' }] }],
    ['no parts', { Parts: [] }],
  ])('with %s asks about no object', async (_, MultipartUpload) => {
    const upload = await uploadOnePart();
    const unknown = { ...upload, UploadId: 'no-such-upload', MultipartUpload };
    await expect(s3.send(new CompleteMultipartUploadCommand(unknown))).rejects.toMatchObject(gone);
    expect(gate.asked).not.toContain('HEAD');
  });

  test('tells where the object is as the client addressed it', async () => {
    const { port } = new URL(edge.url);
    const requestHandler = { httpAgent: new Agent({ lookup: findHere }) };
    const virtual = client({ endpoint: `http://localhost:${port}`, forcePathStyle: false, requestHandler });
    const upload = await uploadOnePart('a+b=ä/c d');
    const { Location = '' } = await virtual.send(new CompleteMultipartUploadCommand(upload));
    virtual.destroy();
    expect(Location).toBe(`http://tide-institute.localhost:${port}/raw-drafts/a%2Bb%3D%C3%A4/c%20d`);
  });
});

test('a copy that takes longer than the edge may wait is 503 in XML, and the SDK tries again', async () => {
  const place = { Bucket, Key: 'raw-drafts/source' };
  await s3.send(new PutObjectCommand({ ...place, Body: 'source' }));
  gate.acts = [silence];
  const target = { Bucket, Key: 'raw-drafts/target' };
  const copied = await s3.send(new CopyObjectCommand({ ...target, CopySource: `${place.Bucket}/${place.Key}` }));
  expect(copied.$metadata.attempts).toBe(2);
  expect(await content(target)).toBe('source');
});
