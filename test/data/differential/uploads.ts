import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  type CopyObjectCommandInput,
  CreateMultipartUploadCommand,
  type CreateMultipartUploadCommandInput,
  GetObjectCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  ListPartsCommand,
  PutObjectCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { at, attempt, type Call, fixtures, future, otherETag, past, text, textETag } from './call.ts';
import type { Side } from './sides.ts';

type CopyOptions = Omit<CopyObjectCommandInput, 'Bucket' | 'Key' | 'CopySource'>;

const sourceOf = (side: Side, name: string) => encodeURIComponent(`${side.bucket}/${side.prefix}${name}`);

function copy(title: string, options: CopyOptions, from = fixtures.text): Call {
  return {
    title: `CopyObject: ${title}`,
    run: async (side) => {
      const place = at(side, `copy/${title}`);
      await attempt(side.s3.send(new CopyObjectCommand({ ...place, CopySource: sourceOf(side, from), ...options })));
      await attempt(side.s3.send(new GetObjectCommand(place)));
      await attempt(side.s3.send(new HeadObjectCommand({ ...place, ChecksumMode: 'ENABLED' })));
      await attempt(side.s3.send(new GetObjectTaggingCommand(place)));
    },
  };
}

const copies: Call[] = [
  copy('as it is', {}),
  copy('of nothing', {}, 'absent'),
  copy('of an empty object', {}, fixtures.empty),
  copy('with its metadata', { MetadataDirective: 'COPY', Metadata: { ignored: 'x' } }),
  copy('with other metadata', {
    MetadataDirective: 'REPLACE',
    Metadata: { other: 'x' },
    ContentType: 'a/b',
    CacheControl: 'no-cache',
  }),
  copy('with other tags', { TaggingDirective: 'REPLACE', Tagging: 'other=x' }),
  copy('into another class', { StorageClass: 'STANDARD_IA' }),
  copy('with a checksum', { ChecksumAlgorithm: 'SHA256' }),
  copy('with a directive that is none', { MetadataDirective: 'OTHER' as 'COPY' }),
  copy('if it matches', { CopySourceIfMatch: textETag }),
  copy('if it matches another', { CopySourceIfMatch: otherETag }),
  copy('if it does not match', { CopySourceIfNoneMatch: otherETag }),
  copy('if it is not what it is', { CopySourceIfNoneMatch: textETag }),
  copy('if changed since before', { CopySourceIfModifiedSince: past }),
  copy('if changed since after', { CopySourceIfModifiedSince: future }),
  copy('if not changed since before', { CopySourceIfUnmodifiedSince: past }),
  copy('if not changed since after', { CopySourceIfUnmodifiedSince: future }),
  {
    title: 'CopyObject: onto itself',
    run: async (side) => {
      const place = at(side, 'copied onto itself');
      const CopySource = sourceOf(side, 'copied onto itself');
      await side.s3.send(new PutObjectCommand({ ...place, Body: text }));
      await attempt(side.s3.send(new CopyObjectCommand({ ...place, CopySource })));
      const changed = { MetadataDirective: 'REPLACE', Metadata: { a: 'b' } } as const;
      await attempt(side.s3.send(new CopyObjectCommand({ ...place, CopySource, ...changed })));
      await attempt(side.s3.send(new HeadObjectCommand(place)));
    },
  },
];

type CreateOptions = Omit<CreateMultipartUploadCommandInput, 'Bucket' | 'Key'>;

/**
 * Runs a complete upload of one part, which may be small. It lists the upload meanwhile and reads the object at the
 * end.
 */
function upload(title: string, options: CreateOptions): Call {
  return {
    title: `multipart: ${title}`,
    run: async (side) => {
      const place = at(side, `multipart/${title}`);
      const created = await attempt(side.s3.send(new CreateMultipartUploadCommand({ ...place, ...options })));
      const parts = { ...place, UploadId: created?.UploadId ?? 'none' };
      const { ChecksumAlgorithm } = options;
      const part = await attempt(
        side.s3.send(new UploadPartCommand({ ...parts, PartNumber: 1, Body: text, ...pick({ ChecksumAlgorithm }) })),
      );
      await attempt(side.s3.send(new ListPartsCommand(parts)));
      const { ETag, ...checksums } = part ?? {};
      const Parts = [{ PartNumber: 1, ...pick({ ETag }), ...pick(checksumsOf(checksums)) }];
      await attempt(side.s3.send(new CompleteMultipartUploadCommand({ ...parts, MultipartUpload: { Parts } })));
      await attempt(side.s3.send(new GetObjectCommand({ ...place, ChecksumMode: 'ENABLED' })));
      await attempt(side.s3.send(new GetObjectTaggingCommand(place)));
      await attempt(side.s3.send(new ListPartsCommand(parts)));
    },
  };
}

function pick<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}

function checksumsOf(output: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(output).filter(([name]) => name.startsWith('Checksum') && name !== 'ChecksumType'),
  );
}

type Ids = { Bucket: string; Key: string; UploadId: string };

/** Runs steps within one upload, with its IDs. */
function within(title: string, run: (side: Side, ids: Ids) => Promise<void>) {
  return {
    title: `multipart: ${title}`,
    run: async (side: Side) => {
      const place = at(side, `multipart/${title}`);
      const { UploadId = '' } = await side.s3.send(new CreateMultipartUploadCommand(place));
      await run(side, { ...place, UploadId });
    },
  };
}

const uploadPart = (side: Side, ids: Ids, PartNumber: number) =>
  attempt(side.s3.send(new UploadPartCommand({ ...ids, PartNumber, Body: `${text}${PartNumber}` })));

const complete = (side: Side, ids: Ids, Parts: { PartNumber: number; ETag: string }[]) =>
  attempt(side.s3.send(new CompleteMultipartUploadCommand({ ...ids, MultipartUpload: { Parts } })));

const steps: Call[] = [
  within('pages of parts', async (side, ids) => {
    for (const number of [1, 2, 3, 10_000]) await uploadPart(side, ids, number);
    for (const options of [
      {},
      { MaxParts: 1 },
      { MaxParts: 2, PartNumberMarker: '1' },
      { PartNumberMarker: '10000' },
      { MaxParts: 0 },
      { MaxParts: 5000 },
    ]) {
      await attempt(side.s3.send(new ListPartsCommand({ ...ids, ...options })));
    }
    await attempt(side.s3.send(new AbortMultipartUploadCommand(ids)));
    await attempt(side.s3.send(new AbortMultipartUploadCommand(ids)));
    await uploadPart(side, ids, 1);
    await attempt(side.s3.send(new ListPartsCommand(ids)));
  }),
  within('parts that are too small', async (side, ids) => {
    const first = await uploadPart(side, ids, 1);
    const second = await uploadPart(side, ids, 2);
    await complete(side, ids, [
      { PartNumber: 1, ETag: first?.ETag ?? '' },
      { PartNumber: 2, ETag: second?.ETag ?? '' },
    ]);
  }),
  within('parts in disorder, unknown, none and not what they were', async (side, ids) => {
    const ETag = (await uploadPart(side, ids, 1))?.ETag ?? '';
    await uploadPart(side, ids, 2);
    await complete(side, ids, [
      { PartNumber: 2, ETag },
      { PartNumber: 1, ETag },
    ]);
    await complete(side, ids, [{ PartNumber: 7, ETag }]);
    await complete(side, ids, [{ PartNumber: 1, ETag: otherETag }]);
    await complete(side, ids, []);
    await complete(side, { ...ids, UploadId: 'no-such-upload' }, [{ PartNumber: 1, ETag }]);
    await complete(side, { ...ids, Key: `${ids.Key}.other` }, [{ PartNumber: 1, ETag }]);
  }),
  within('a part written twice', async (side, ids) => {
    await uploadPart(side, ids, 1);
    const again = await attempt(side.s3.send(new UploadPartCommand({ ...ids, PartNumber: 1, Body: 'again' })));
    await complete(side, ids, [{ PartNumber: 1, ETag: again?.ETag ?? '' }]);
    await attempt(side.s3.send(new GetObjectCommand({ Bucket: ids.Bucket, Key: ids.Key })));
  }),
  within('parts copied', async (side, ids) => {
    const CopySource = sourceOf(side, fixtures.text);
    for (const [PartNumber, range] of [
      [1, undefined],
      [2, 'bytes=2-4'],
      [3, 'bytes=0-9'],
      [4, 'bytes=5-50'],
      [5, 'bytes=-3'],
      [6, 'bytes=4-2'],
    ] as const) {
      const CopySourceRange = range === undefined ? {} : { CopySourceRange: range };
      await attempt(side.s3.send(new UploadPartCopyCommand({ ...ids, PartNumber, CopySource, ...CopySourceRange })));
    }
    const absent = { ...ids, PartNumber: 7, CopySource: sourceOf(side, 'absent') };
    await attempt(side.s3.send(new UploadPartCopyCommand(absent)));
    await attempt(side.s3.send(new ListPartsCommand(ids)));
    await attempt(side.s3.send(new AbortMultipartUploadCommand(ids)));
  }),
  within('part numbers that are none', async (side, ids) => {
    for (const PartNumber of [0, 10_001, -1]) await uploadPart(side, ids, PartNumber);
  }),
];

export const uploads: Call[] = [
  ...copies,
  upload('as it is', {}),
  upload('with all that describes it', {
    ContentType: 'text/csv',
    CacheControl: 'max-age=1',
    ContentDisposition: 'inline',
    ContentLanguage: 'de',
    Metadata: { station: 'brest' },
    Tagging: 'a=b',
    StorageClass: 'STANDARD_IA',
  }),
  ...(['CRC32', 'CRC32C', 'SHA1', 'SHA256', 'MD5'] as const).map((ChecksumAlgorithm) =>
    upload(`checksum ${ChecksumAlgorithm}`, { ChecksumAlgorithm }),
  ),
  upload('a checksum of the whole', { ChecksumAlgorithm: 'CRC64NVME', ChecksumType: 'FULL_OBJECT' }),
  upload('a class that is none', { StorageClass: 'NO_SUCH_CLASS' as 'STANDARD' }),
  ...steps,
];
