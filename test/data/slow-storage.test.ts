import { Agent } from 'node:http';
import type { LookupFunction } from 'node:net';
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
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { type Act, doneInSilence, startSlowStorage } from './slow-storage-fixture.ts';

const fixture = await startSlowStorage();
const s3 = client({});
/** A client of the edge that times out after one second. */
const hasty = client({ endpoint: fixture.hastyUrl });
/** A client of an edge on which the storage belongs to an account. */
const ofAccount = client({ endpoint: fixture.ofAccountUrl });
afterAll(async () => {
  s3.destroy();
  hasty.destroy();
  ofAccount.destroy();
  await fixture.close();
});
beforeEach(() => fixture.reset());

function client(options: S3ClientConfig): S3Client {
  const { url: endpoint, credentials } = fixture;
  return new S3Client({ endpoint, region: 'anywhere-1', forcePathStyle: true, credentials, ...options });
}

const silence: Act = () => undefined;
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
    ['finishes after the timeout of the edge', doneInSilence],
    [
      'finishes after the timeout of the edge and sends spaces before',
      async (pass, response) => {
        await pass();
        response.writeHead(200).write(' ');
      },
    ],
  ] satisfies [string, Act][])('that %s succeeds when the SDK retries', async (_, act) => {
    const upload = await uploadOnePart();
    fixture.gate.acts = [act];
    const completed = await hasty.send(new CompleteMultipartUploadCommand(upload));
    expect(completed).toMatchObject({
      Bucket,
      Key: upload.Key,
      Location: `${fixture.hastyUrl}/tide-institute/${upload.Key.replace(' ', '%20')}`,
      ETag: expect.stringMatching(/^"[0-9a-f]{32}-1"$/),
      ChecksumCRC32: expect.any(String),
      $metadata: { httpStatusCode: 200, attempts: expect.toSatisfy((attempts: number) => attempts > 1) },
    });
    expect(fixture.gate.asked.slice(-2)).toEqual(['POST', 'HEAD']);
    expect(await content(upload)).toBe(upload.Key.slice('raw-drafts/'.length));
    expect(fixture.failures).toContainEqual(expect.objectContaining({ code: 'unavailable' }));
  });

  test.each([
    ['is silent', silence],
    ['sends spaces alone', spacesAlone],
  ] satisfies [string, Act][])(
    'gets 503 in XML at each attempt when the storage %s, and can be completed later',
    async (_, act) => {
      const upload = await uploadOnePart();
      fixture.gate.acts = [act, act, act];
      await expect(hasty.send(new CompleteMultipartUploadCommand(upload))).rejects.toMatchObject({
        name: 'ServiceUnavailable',
        message: 'The request timed out; it may still complete, so check before you retry, or send smaller parts.',
        $metadata: { httpStatusCode: 503, attempts: 3 },
      });
      await s3.send(new CompleteMultipartUploadCommand(upload));
      expect(await content(upload)).toBe(upload.Key.slice('raw-drafts/'.length));
    },
  );

  test('succeeds at the first attempt when the storage sends spaces first', async () => {
    const upload = await uploadOnePart();
    fixture.gate.acts = [doneAfterSpaces];
    expect((await s3.send(new CompleteMultipartUploadCommand(upload))).$metadata.attempts).toBe(1);
  });

  test.each(['InternalError', 'SlowDown'])(
    'that ends in %s inside an answer of 200 is retried by the SDK',
    async (code) => {
      const upload = await uploadOnePart();
      fixture.gate.acts = [failedAfterSpaces(code)];
      expect((await s3.send(new CompleteMultipartUploadCommand(upload))).$metadata.attempts).toBe(2);
      expect(await content(upload)).toBe(upload.Key.slice('raw-drafts/'.length));
    },
  );

  test('is refused without a retry when an answer of 200 contains a refusal', async () => {
    const upload = await uploadOnePart();
    fixture.gate.acts = [failedAfterSpaces('InvalidPart')];
    await expect(s3.send(new CompleteMultipartUploadCommand(upload))).rejects.toMatchObject({
      name: 'InvalidPart',
      $metadata: { httpStatusCode: 400, attempts: 1 },
    });
  });

  test('returns the same answer a second time', async () => {
    const upload = await uploadOnePart();
    const { $metadata: _, ...first } = await s3.send(new CompleteMultipartUploadCommand(upload));
    const { $metadata: __, ...second } = await s3.send(new CompleteMultipartUploadCommand(upload));
    expect(second).toEqual(first);
  });

  const gone = { name: 'NoSuchUpload', $metadata: { httpStatusCode: 404 } };

  test('returns NoSuchUpload when neither the upload nor the object exists', async () => {
    const upload = await uploadOnePart();
    await s3.send(new CompleteMultipartUploadCommand(upload));
    await s3.send(new DeleteObjectCommand({ Bucket, Key: upload.Key }));
    await expect(s3.send(new CompleteMultipartUploadCommand(upload))).rejects.toMatchObject(gone);
  });

  test('returns NoSuchUpload when the object has other parts', async () => {
    const upload = await uploadOnePart();
    await s3.send(new CompleteMultipartUploadCommand(upload));
    const other = { MultipartUpload: { Parts: [{ PartNumber: 1, ETag: `"${'0'.repeat(32)}"` }] } };
    await expect(s3.send(new CompleteMultipartUploadCommand({ ...upload, ...other }))).rejects.toMatchObject(gone);
    await s3.send(new PutObjectCommand({ Bucket, Key: upload.Key, Body: 'something else' }));
    await expect(s3.send(new CompleteMultipartUploadCommand(upload))).rejects.toMatchObject(gone);
  });

  test.each([
    ['parts with invalid ETags', { Parts: [{ PartNumber: 1, ETag: '"no sum"' }] }],
    ['no parts', { Parts: [] }],
  ])('with %s sends no request for the object', async (_, MultipartUpload) => {
    const upload = await uploadOnePart();
    const unknown = { ...upload, UploadId: 'no-such-upload', MultipartUpload };
    await expect(s3.send(new CompleteMultipartUploadCommand(unknown))).rejects.toMatchObject(gone);
    expect(fixture.gate.asked).not.toContain('HEAD');
  });

  test('returns a location in the form that the client used', async () => {
    const { port } = new URL(fixture.url);
    const requestHandler = { httpAgent: new Agent({ lookup: findHere }) };
    const virtual = client({ endpoint: `http://localhost:${port}`, forcePathStyle: false, requestHandler });
    const upload = await uploadOnePart('a+b=ä/c d');
    const { Location = '' } = await virtual.send(new CompleteMultipartUploadCommand(upload));
    virtual.destroy();
    expect(Location).toBe(`http://tide-institute.localhost:${port}/raw-drafts/a%2Bb%3D%C3%A4/c%20d`);
  });
});

describe('an upload to storage of an account', () => {
  test.each([
    ['is silent', silence],
    ['sends spaces alone', spacesAlone],
  ] satisfies [string, Act][])('gets 503 well before the timeout of the edge when the storage %s', async (_, act) => {
    const upload = await uploadOnePart();
    fixture.gate.acts = [act, act, act];
    await expect(ofAccount.send(new CompleteMultipartUploadCommand(upload))).rejects.toMatchObject({
      name: 'ServiceUnavailable',
      message:
        'The storage of this repository is too slow; try again later, or ask its owner to test the data connection.',
      $metadata: { httpStatusCode: 503, attempts: 3 },
    });
    expect(fixture.failures).toContainEqual(expect.objectContaining({ code: 'unavailable' }));
  });

  test('is retried when the storage used up its time before it is asked for the result', async () => {
    const upload = await uploadOnePart();
    fixture.gate.acts = [
      async (pass, response) => {
        await pass();
        fixture.exceedAccountStorageTime();
        response.writeHead(404).end('<Error><Code>NoSuchUpload</Code></Error>');
      },
    ];
    expect((await ofAccount.send(new CompleteMultipartUploadCommand(upload))).$metadata.attempts).toBe(2);
    expect(fixture.gate.asked.slice(-3)).toEqual(['POST', 'POST', 'HEAD']);
  });

  test('succeeds at the first attempt when the storage answers in time', async () => {
    const upload = await uploadOnePart();
    fixture.gate.acts = [doneAfterSpaces];
    expect((await ofAccount.send(new CompleteMultipartUploadCommand(upload))).$metadata.attempts).toBe(1);
  });
});

test('a copy that exceeds the timeout of the edge gets 503 in XML, and the SDK retries', async () => {
  const place = { Bucket, Key: 'raw-drafts/source' };
  await s3.send(new PutObjectCommand({ ...place, Body: 'source' }));
  fixture.gate.acts = [silence];
  const target = { Bucket, Key: 'raw-drafts/target' };
  const copied = await hasty.send(new CopyObjectCommand({ ...target, CopySource: `${place.Bucket}/${place.Key}` }));
  expect(copied.$metadata.attempts).toBeGreaterThan(1);
  expect(await content(target)).toBe('source');
});
