import {
  GetObjectAttributesCommand,
  GetObjectCommand,
  type GetObjectCommandInput,
  HeadObjectCommand,
  type ObjectAttributes,
} from '@aws-sdk/client-s3';
import { at, attempt, type Call, fixtures, future, otherETag, past, text, textETag } from './call.ts';
import type { Side } from './sides.ts';

type ReadOptions = Omit<GetObjectCommandInput, 'Bucket' | 'Key'>;

function read(title: string, fixture: string, options: ReadOptions): Call {
  return {
    title: `${title} of ${fixture}`,
    run: async ({ s3, ...side }) => {
      const place = at({ s3, ...side }, fixture);
      await attempt(s3.send(new GetObjectCommand({ ...place, ...options })));
      await attempt(s3.send(new HeadObjectCommand({ ...place, ...options })));
    },
  };
}

const ranges = [
  ...'0-0 2-4 7- 0- -3 -10 -100 0-100 9-9 10- 10-20 5-2 -0 0-1,3-4 a-b 1'.split(' ').map((range) => `bytes=${range}`),
  'octets=0-1',
];

const conditions: [string, ReadOptions][] = [
  ['If-Match of its own', { IfMatch: textETag }],
  ['If-Match of another', { IfMatch: otherETag }],
  ['If-Match of any', { IfMatch: '*' }],
  ['If-Match of one among several', { IfMatch: `${otherETag}, ${textETag}` }],
  ['If-None-Match of its own', { IfNoneMatch: textETag }],
  ['If-None-Match of another', { IfNoneMatch: otherETag }],
  ['If-None-Match of any', { IfNoneMatch: '*' }],
  ['If-Modified-Since before', { IfModifiedSince: past }],
  ['If-Modified-Since after', { IfModifiedSince: future }],
  ['If-Unmodified-Since before', { IfUnmodifiedSince: past }],
  ['If-Unmodified-Since after', { IfUnmodifiedSince: future }],
  ['a match that silences If-Unmodified-Since', { IfMatch: textETag, IfUnmodifiedSince: past }],
  ['a match that does not hold beside a date that does', { IfMatch: otherETag, IfUnmodifiedSince: future }],
  ['no match beside a date that would not hold', { IfNoneMatch: otherETag, IfModifiedSince: future }],
  ['a match beside a date that would hold', { IfNoneMatch: textETag, IfModifiedSince: past }],
  ['a condition that fails beside a range', { IfMatch: otherETag, Range: 'bytes=0-1' }],
  ['a condition that holds beside a range', { IfMatch: textETag, Range: 'bytes=0-1' }],
  ['a condition beside a range outside', { IfNoneMatch: textETag, Range: 'bytes=50-' }],
];

const overrides: [string, ReadOptions][] = [
  ['response-content-type', { ResponseContentType: 'text/plain; charset=utf-8' }],
  ['response-content-disposition', { ResponseContentDisposition: `attachment; filename="a b+c%20é.csv"` }],
  ['response-content-language', { ResponseContentLanguage: 'de, en' }],
  ['response-content-encoding', { ResponseContentEncoding: 'x-own' }],
  ['response-cache-control', { ResponseCacheControl: 'no-store, max-age=0' }],
  ['response-expires', { ResponseExpires: new Date('2031-01-01T00:00:00Z') }],
  ['several overrides of a range', { ResponseContentType: 'a/b', ResponseCacheControl: 'c', Range: 'bytes=1-2' }],
];

const rawRead = (title: string, headers: Record<string, string>, query?: Record<string, string>): Call => ({
  title,
  run: async (side: Side) => {
    const request = { key: fixtures.text, headers, ...(query === undefined ? {} : { query }) };
    await side.raw({ method: 'GET', ...request });
    await side.raw({ method: 'HEAD', ...request });
  },
});

export const reads: Call[] = [
  ...[fixtures.text, fixtures.empty].flatMap((fixture) =>
    ranges.map((Range) => read(`range ${Range}`, fixture, { Range })),
  ),
  ...conditions.map(([title, options]) => read(title, fixtures.text, options)),
  ...overrides.map(([title, options]) => read(title, fixtures.text, options)),
  ...[fixtures.text, fixtures.empty, fixtures.parts, 'absent'].flatMap((fixture) => [
    read('whole', fixture, fixture === fixtures.parts ? { Range: 'bytes=5242870-5242890' } : {}),
    read('checksum', fixture, {
      ChecksumMode: 'ENABLED',
      ...(fixture === fixtures.parts ? { Range: 'bytes=0-1' } : {}),
    }),
  ]),
  ...[3, 4].map((PartNumber) => read(`part ${PartNumber}`, fixtures.parts, { PartNumber })),
  ...[1, 2].map((PartNumber) => read(`part ${PartNumber}`, fixtures.text, { PartNumber })),
  read('part and range', fixtures.text, { PartNumber: 1, Range: 'bytes=0-1' }),
  read('absent on a condition', 'absent', { IfNoneMatch: '*' }),
  ...[fixtures.text, fixtures.empty, fixtures.parts, 'absent'].map(
    (fixture): Call => ({
      title: `the attributes of ${fixture}`,
      run: async (side) => {
        const place = at(side, fixture);
        const every: ObjectAttributes[] = ['ETag', 'Checksum', 'ObjectParts', 'StorageClass', 'ObjectSize'];
        await attempt(side.s3.send(new GetObjectAttributesCommand({ ...place, ObjectAttributes: every })));
        const parts = { MaxParts: 1, PartNumberMarker: '1', ObjectAttributes: ['ObjectParts' as const] };
        await attempt(side.s3.send(new GetObjectAttributesCommand({ ...place, ...parts })));
      },
    }),
  ),
  ...['', 'Size', 'ETag,Owner', 'ETag, ObjectSize'].map(
    (names): Call => ({
      title: `the attributes "${names}"`,
      run: (side) => {
        const headers = { 'x-amz-object-attributes': names };
        return side.raw({ method: 'GET', key: fixtures.text, query: { attributes: '' }, headers });
      },
    }),
  ),
  rawRead('If-Range that holds', { range: 'bytes=0-1', 'if-range': textETag }),
  rawRead('If-Range of another version', { range: 'bytes=0-1', 'if-range': otherETag }),
  rawRead('a weak ETag', { 'if-none-match': `W/${textETag}` }),
  rawRead('an ETag without quotes', { 'if-match': textETag.replaceAll('"', '') }),
  rawRead('a date that is none', { 'if-modified-since': 'yesterday' }),
  rawRead('a range with spaces', { range: 'bytes= 0-1' }),
  rawRead('accept-encoding', { 'accept-encoding': 'gzip, br' }),
  rawRead('a part number that is none', {}, { partNumber: 'x' }),
  rawRead('part number 0', {}, { partNumber: '0' }),
  rawRead('an override with a line end', {}, { 'response-content-type': 'a\r\nx-b: c' }),
  rawRead('a label of the SDK', {}, { 'x-id': 'GetObject' }),
  { title: `the length of ${text.length} bytes`, run: (side) => side.raw({ method: 'HEAD', key: fixtures.text }) },
];
