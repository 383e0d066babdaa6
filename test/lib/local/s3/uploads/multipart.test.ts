import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import {
  AbortMultipartUploadCommand,
  type ChecksumAlgorithm,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  type CreateMultipartUploadCommandInput,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  PutObjectCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createChecksum } from '../../../../../lib/local/s3/checksums.ts';
import { bucket, eventually, type OpenStore, openStore, refusalOf } from '../open-store.ts';

const partBytes = 5 * 1024 * 1024;
const first = Buffer.alloc(partBytes, 'first part ');
const second = Buffer.alloc(partBytes + 1, 'second part ');
const last = Buffer.from('last');
const whole = Buffer.concat([first, second, last]);
const Key = 'set/of=parts+1';
const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest();

let opened: OpenStore;
beforeEach(async () => {
  opened = await openStore();
});
afterEach(() => opened.close());

async function begin(input: Partial<CreateMultipartUploadCommandInput> = {}): Promise<string> {
  const { UploadId } = await opened.s3.send(new CreateMultipartUploadCommand({ Bucket: bucket, Key, ...input }));
  return UploadId ?? '';
}

function upload(UploadId: string, PartNumber: number, Body: Uint8Array, ChecksumAlgorithm?: ChecksumAlgorithm) {
  const checksum = ChecksumAlgorithm === undefined ? {} : { ChecksumAlgorithm };
  return opened.s3.send(new UploadPartCommand({ Bucket: bucket, Key, UploadId, PartNumber, Body, ...checksum }));
}

function complete(UploadId: string, Parts: object[], input: object = {}) {
  return opened.s3.send(
    new CompleteMultipartUploadCommand({ Bucket: bucket, Key, UploadId, MultipartUpload: { Parts }, ...input }),
  );
}

/** Uploads parts without checksums, and lists the parts by their ETags. */
async function beginPlain(...bodies: Uint8Array[]) {
  const answer = await opened.send({ method: 'POST', path: `/${bucket}/set/of=parts+1`, query: 'uploads' });
  const id = /<UploadId>(\w+)</.exec(answer.body)?.[1] ?? '';
  const parts: { PartNumber: number; ETag: string }[] = [];
  for (const [index, body] of bodies.entries()) {
    const { ETag = '' } = await upload(id, index + 1, body);
    parts.push({ PartNumber: index + 1, ETag });
  }
  return { id, parts };
}

test('a completed upload has its parts in order and the attributes of its start', async () => {
  const id = await begin({
    ChecksumAlgorithm: 'CRC32',
    ContentType: 'text/plain',
    Metadata: { station: 'Husum' },
    StorageClass: 'STANDARD_IA',
    Tagging: 'a=1',
  });
  const parts: { PartNumber: number; ETag: string | undefined; ChecksumCRC32: string | undefined }[] = [];
  for (const [PartNumber, body] of [
    [3, last],
    [1, first],
    [2, second],
  ] as const) {
    const { ETag, ChecksumCRC32 } = await upload(id, PartNumber, body, 'CRC32');
    parts.push({ PartNumber, ETag, ChecksumCRC32 });
  }
  parts.sort((a, b) => a.PartNumber - b.PartNumber);
  const completed = await complete(id, parts);
  const etag = `"${md5(Buffer.concat([first, second, last].map(md5))).toString('hex')}-3"`;
  expect(completed).toMatchObject({ Bucket: bucket, Key, ETag: etag, ChecksumType: 'COMPOSITE' });
  expect(completed.Location).toContain(`/${bucket}/`);
  const read = await opened.s3.send(new GetObjectCommand({ Bucket: bucket, Key }));
  expect(read).toMatchObject({
    ContentType: 'text/plain',
    Metadata: { station: 'Husum' },
    StorageClass: 'STANDARD_IA',
    TagCount: 1,
    ETag: etag,
    ContentLength: whole.length,
  });
  expect(whole.equals((await read.Body?.transformToByteArray()) ?? Buffer.alloc(0))).toBe(true);
  expect(await refusalOf(complete(id, parts))).toBe('404 NoSuchUpload');
});

test('a reader gets single parts, and ranges across them', async () => {
  const { id, parts } = await beginPlain(first, second, last);
  await complete(id, parts);
  const sizes: unknown[] = [];
  for (const PartNumber of [1, 2, 3]) {
    const head = await opened.s3.send(new HeadObjectCommand({ Bucket: bucket, Key, PartNumber }));
    sizes.push([head.PartsCount, head.ContentLength, head.ContentRange]);
  }
  const total = whole.length;
  expect(sizes).toEqual([
    [3, first.length, `bytes 0-${partBytes - 1}/${total}`],
    [3, second.length, `bytes ${partBytes}-${total - 5}/${total}`],
    [3, 4, `bytes ${total - 4}-${total - 1}/${total}`],
  ]);
  for (const [from, to] of [
    [partBytes - 3, partBytes + 3],
    [partBytes - 1, total - 2],
    [total - 6, total - 1],
    [partBytes, partBytes],
  ] as const) {
    const { Body } = await opened.s3.send(new GetObjectCommand({ Bucket: bucket, Key, Range: `bytes=${from}-${to}` }));
    expect(whole.subarray(from, to + 1).equals((await Body?.transformToByteArray()) ?? Buffer.alloc(0))).toBe(true);
  }
  const part = await opened.s3.send(new GetObjectCommand({ Bucket: bucket, Key, PartNumber: 3 }));
  expect(await part.Body?.transformToString()).toBe('last');
  const fourth = new GetObjectCommand({ Bucket: bucket, Key, PartNumber: 4 });
  expect(await refusalOf(opened.s3.send(fourth))).toBe('416 InvalidPartNumber');
});

test('a reader that began before a delete gets all parts', async () => {
  const { id, parts } = await beginPlain(first, second, last);
  await complete(id, parts);
  const { Body } = await opened.s3.send(new GetObjectCommand({ Bucket: bucket, Key }));
  await opened.s3.send(new DeleteObjectCommand({ Bucket: bucket, Key }));
  expect(whole.equals((await Body?.transformToByteArray()) ?? Buffer.alloc(0))).toBe(true);
  await eventually(async () => (await opened.blobFiles()).length === 0);
});

describe('a completion is refused', () => {
  const cases: [title: string, choose: (parts: { PartNumber: number; ETag: string }[]) => object[], refusal: string][] =
    [
      ['with parts out of order', (parts) => [...parts].reverse(), '400 InvalidPartOrder'],
      ['with a part twice', ([a]) => [a, a].map((part) => ({ ...part })), '400 InvalidPartOrder'],
      ['with a missing part', (parts) => [...parts, { PartNumber: 9, ETag: '"x"' }], '400 InvalidPart'],
      ['with another ETag', ([a]) => [{ ...a, ETag: '"other"' }], '400 InvalidPart'],
      ['with the ETag *', ([a]) => [{ ...a, ETag: '*' }], '400 InvalidPart'],
      ['without parts', () => [], '400 MalformedXML'],
      ['with a small part before the last', (parts) => parts, '400 EntityTooSmall'],
    ];
  test.each(cases)('%s, and the upload stays', async (_, choose, refusal) => {
    const { id, parts } = await beginPlain(last, last);
    expect(await refusalOf(complete(id, choose(parts)))).toBe(refusal);
    const { Parts } = await opened.s3.send(new ListPartsCommand({ Bucket: bucket, Key, UploadId: id }));
    expect(Parts).toHaveLength(2);
    expect(await refusalOf(opened.s3.send(new HeadObjectCommand({ Bucket: bucket, Key })))).toBe('404 NotFound');
  });

  test('with another size, or when a condition fails', async () => {
    const { id, parts } = await beginPlain(last);
    expect(await refusalOf(complete(id, parts, { MpuObjectSize: 5 }))).toBe('400 InvalidRequest');
    await opened.s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body: 'there' }));
    expect(await refusalOf(complete(id, parts, { IfNoneMatch: '*' }))).toBe('412 PreconditionFailed');
    expect((await complete(id, parts, { MpuObjectSize: 4 })).ETag).toContain('-1');
  });
});

test('one of two concurrent completions succeeds', async () => {
  const { id, parts } = await beginPlain(last);
  const results = await Promise.all([refusalOf(complete(id, parts)), refusalOf(complete(id, parts))]);
  expect(results.sort()).toEqual(['404 NoSuchUpload', 'not refused']);
});

describe('checksums of the whole', () => {
  const crc = (algorithm: 'crc32c' | 'crc64nvme') => (bytes: Uint8Array) => {
    const value = createChecksum(algorithm);
    value.update(bytes);
    return value.digest();
  };
  const crc32Of = (bytes: Uint8Array) => Buffer.from(crc32(bytes).toString(16).padStart(8, '0'), 'hex');
  const sha = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();
  const composite = (of: (bytes: Uint8Array) => Buffer) =>
    `${of(Buffer.concat([first, second, last].map(of))).toString('base64')}-3`;
  test.each([
    ['CRC32', 'COMPOSITE', composite(crc32Of)],
    ['CRC32', 'FULL_OBJECT', crc32Of(whole).toString('base64')],
    ['CRC32C', 'FULL_OBJECT', crc('crc32c')(whole).toString('base64')],
    ['CRC64NVME', 'FULL_OBJECT', crc('crc64nvme')(whole).toString('base64')],
    ['SHA256', 'COMPOSITE', composite(sha)],
  ] as const)('%s %s', async (algorithm, type, expected) => {
    const field = `Checksum${algorithm}` as const;
    const id = await begin({ ChecksumAlgorithm: algorithm, ChecksumType: type });
    const parts: object[] = [];
    for (const [index, body] of [first, second, last].entries()) {
      // Some releases of the SDK cannot compute these checksums.
      const value = { CRC32: crc32Of, CRC32C: crc('crc32c'), CRC64NVME: crc('crc64nvme'), SHA256: sha }[algorithm](
        body,
      );
      const { ETag } = await opened.s3.send(
        new UploadPartCommand({
          Bucket: bucket,
          Key,
          UploadId: id,
          PartNumber: index + 1,
          Body: body,
          [field]: value.toString('base64'),
        }),
      );
      parts.push({ PartNumber: index + 1, ETag, [field]: value.toString('base64') });
    }
    const completed = await complete(
      id,
      parts,
      type === 'FULL_OBJECT' ? { [field]: expected, ChecksumType: type } : {},
    );
    expect(completed).toMatchObject({ [field]: expected, ChecksumType: type });
    const head = await opened.s3.send(new HeadObjectCommand({ Bucket: bucket, Key, ChecksumMode: 'ENABLED' }));
    expect(head).toMatchObject({ [field]: expected, ChecksumType: type });
  });

  // S3 accepts the ETag with and without quotes. minio-go sends it without quotes.
  test('include a composite checksum with or without the number of parts', async () => {
    for (const [suffix, expected] of [
      ['', 'not refused'],
      ['-1', 'not refused'],
      ['-2', '400 BadDigest'],
    ] as const) {
      const id = await begin({ ChecksumAlgorithm: 'CRC32' });
      const { ETag, ChecksumCRC32 = '' } = await upload(id, 1, last, 'CRC32');
      const ofParts = crc32Of(Buffer.from(ChecksumCRC32, 'base64')).toString('base64');
      const parts = [{ PartNumber: 1, ETag, ChecksumCRC32 }];
      const completed = complete(id, parts, { ChecksumCRC32: ofParts + suffix });
      expect(await refusalOf(completed), suffix).toBe(expected);
      if (expected === 'not refused') expect((await completed).ChecksumCRC32).toBe(`${ofParts}-1`);
    }
  });

  test('that differ from the parts are refused', async () => {
    const id = await begin({ ChecksumAlgorithm: 'CRC32', ChecksumType: 'FULL_OBJECT' });
    const { ETag, ChecksumCRC32 } = await upload(id, 1, last, 'CRC32');
    const part = { PartNumber: 1, ETag };
    expect(await refusalOf(complete(id, [{ ...part, ChecksumCRC32: 'AAAAAA==' }]))).toBe('400 InvalidPart');
    expect(await refusalOf(complete(id, [part], { ChecksumCRC32: 'AAAAAA==' }))).toBe('400 BadDigest');
    expect(await refusalOf(complete(id, [part], { ChecksumCRC32 }))).toBe('not refused');
  });

  test('of another algorithm, or missing at the end, are refused', async () => {
    const id = await begin({ ChecksumAlgorithm: 'SHA256' });
    expect(await refusalOf(upload(id, 1, last, 'CRC32'))).toBe('400 InvalidRequest');
    const { ETag } = await upload(id, 1, last, 'SHA256');
    expect(await refusalOf(complete(id, [{ PartNumber: 1, ETag }]))).toBe('400 InvalidRequest');
  });

  test.each([
    [{ ChecksumAlgorithm: 'SHA256', ChecksumType: 'FULL_OBJECT' }],
    [{ ChecksumAlgorithm: 'CRC64NVME', ChecksumType: 'COMPOSITE' }],
  ] as const)('of an impossible kind are refused: %j', async (input) => {
    expect(await refusalOf(begin(input))).toBe('400 InvalidRequest');
  });
});

test('parts are listed in order and in pages, and a second upload replaces a part', async () => {
  const { id } = await beginPlain(last, last, last);
  await upload(id, 2, Buffer.from('longer'));
  const list = (input: object) => opened.s3.send(new ListPartsCommand({ Bucket: bucket, Key, UploadId: id, ...input }));
  const pageOne = await list({ MaxParts: 2 });
  expect(pageOne.Parts?.map(({ PartNumber, Size }) => [PartNumber, Size])).toEqual([
    [1, 4],
    [2, 6],
  ]);
  expect([pageOne.IsTruncated, pageOne.NextPartNumberMarker, pageOne.StorageClass]).toEqual([true, '2', 'STANDARD']);
  const pageTwo = await list({ PartNumberMarker: pageOne.NextPartNumberMarker });
  expect([pageTwo.Parts?.map(({ PartNumber }) => PartNumber), pageTwo.IsTruncated]).toEqual([[3], false]);
  await eventually(async () => (await opened.blobFiles()).length === 3);
});

test('an abort removes the upload and its parts', async () => {
  const { id, parts } = await beginPlain(last);
  const abort = () => opened.s3.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId: id }));
  expect((await abort()).$metadata.httpStatusCode).toBe(204);
  await eventually(async () => (await opened.blobFiles()).length === 0);
  for (const call of [abort, () => upload(id, 1, last), () => complete(id, parts)]) {
    expect(await refusalOf(call())).toBe('404 NoSuchUpload');
  }
});

test.each([['0'], ['10001'], ['x'], ['']])('the part number %j is refused', async (number) => {
  const { id } = await beginPlain();
  const query = `partNumber=${number}&uploadId=${id}`;
  const answer = await opened.send({ method: 'PUT', path: `/${bucket}/set/of=parts+1`, query, body: 'x' });
  expect([answer.status, answer.code]).toEqual([400, 'InvalidArgument']);
});

test('an upload ID is valid for its key only, and never used as a path', async () => {
  const { id } = await beginPlain(last);
  for (const [key, uploadId] of [
    ['other', id],
    [Key, '..%2F..%2Fobjects'],
    [Key, ''],
  ]) {
    const answer = await opened.send({ path: `/${bucket}/${key}`, query: `uploadId=${uploadId}` });
    expect([answer.status, answer.code]).toEqual([404, 'NoSuchUpload']);
  }
});

test('uploads are listed by key and age, with prefix, delimiter, and pages', async () => {
  for (const key of ['b', 'a/2', 'a/1', 'a/1', 'c']) {
    await begin({ Key: key });
    opened.moveClock(1);
  }
  const list = (input: object = {}) => opened.s3.send(new ListMultipartUploadsCommand({ Bucket: bucket, ...input }));
  const all = await list();
  expect(all.Uploads?.map((entry) => entry.Key)).toEqual(['a/1', 'a/1', 'a/2', 'b', 'c']);
  const ages = all.Uploads?.slice(0, 2).map(({ Initiated }) => Initiated?.getTime() ?? 0) ?? [];
  expect(ages[0]).toBeLessThan(ages[1] ?? 0);
  const folded = await list({ Delimiter: '/' });
  expect([folded.Uploads?.map((entry) => entry.Key), folded.CommonPrefixes?.map(({ Prefix }) => Prefix)]).toEqual([
    ['b', 'c'],
    ['a/'],
  ]);
  expect((await list({ Prefix: 'a/' })).Uploads).toHaveLength(3);
  for (const Delimiter of [undefined, '/']) {
    const seen: unknown[] = [];
    let markers = {};
    for (;;) {
      const page = await list({ MaxUploads: 1, ...(Delimiter && { Delimiter }), ...markers });
      seen.push(...(page.Uploads ?? []).map(({ UploadId }) => UploadId), ...(page.CommonPrefixes ?? []));
      if (page.IsTruncated !== true) break;
      markers = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toHaveLength(Delimiter === undefined ? 5 : 3);
  }
});

describe('parts copied from an object', () => {
  const copy = (id: string, input: object = {}) =>
    opened.s3.send(
      new UploadPartCopyCommand({
        Bucket: bucket,
        Key,
        UploadId: id,
        PartNumber: 1,
        CopySource: `${bucket}/source`,
        ...input,
      }),
    );

  test('whole or in a range become ordinary parts', async () => {
    await opened.s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'source', Body: first }));
    const id = await begin();
    const one = await copy(id);
    const two = await copy(id, { PartNumber: 2, CopySourceRange: 'bytes=0-9' });
    await complete(
      id,
      [one, two].map(({ CopyPartResult }, index) => ({
        PartNumber: index + 1,
        ETag: CopyPartResult?.ETag,
        ChecksumCRC32: CopyPartResult?.ChecksumCRC32,
      })),
    );
    const { Body } = await opened.s3.send(new GetObjectCommand({ Bucket: bucket, Key }));
    const expected = Buffer.concat([first, first.subarray(0, 10)]);
    expect(expected.equals((await Body?.transformToByteArray()) ?? Buffer.alloc(0))).toBe(true);
  });

  test.each([
    [{ CopySourceRange: 'bytes=0-10' }, '400 InvalidArgument'],
    [{ CopySourceRange: 'bytes=-4' }, '400 InvalidArgument'],
    [{ CopySourceRange: 'bytes=4-' }, '400 InvalidArgument'],
    [{ CopySource: `${bucket}/absent` }, '404 NoSuchKey'],
    [{ CopySourceIfMatch: '"other"' }, '412 PreconditionFailed'],
    [{ UploadId: 'unknown' }, '404 NoSuchUpload'],
  ])('%j is refused', async (input, refusal) => {
    await opened.s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'source', Body: '0123456789' }));
    expect(await refusalOf(copy(await begin(), input))).toBe(refusal);
    await eventually(async () => (await opened.blobFiles()).length === 1);
  });
});
