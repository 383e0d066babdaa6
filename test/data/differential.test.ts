import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { at, type Call, fixtures, text } from './differential/call.ts';
import { toComparable } from './differential/comparable.ts';
import { callDifferences } from './differential/differences.ts';
import { lists } from './differential/lists.ts';
import { reads } from './differential/reads.ts';
import { openSides, places, type Side, type Sides } from './differential/sides.ts';
import { uploads } from './differential/uploads.ts';
import { writes } from './differential/writes.ts';

async function putFixtures(side: Side): Promise<void> {
  await side.s3.send(
    new PutObjectCommand({
      ...at(side, fixtures.text),
      Body: text,
      ContentType: 'text/csv',
      CacheControl: 'max-age=60',
      ContentDisposition: 'attachment; filename="r.csv"',
      ContentLanguage: 'de',
      Expires: new Date('2031-01-01T00:00:00Z'),
      Metadata: { station: 'brest', unit: 'mm' },
      Tagging: 'a=b&c=d',
      ChecksumAlgorithm: 'CRC32',
    }),
  );
  await side.s3.send(new PutObjectCommand({ ...at(side, fixtures.empty), Body: '' }));
  const place = at(side, fixtures.parts);
  const { UploadId } = await side.s3.send(new CreateMultipartUploadCommand(place));
  const Parts = [];
  for (const [index, size] of [5 * 1024 * 1024, 5 * 1024 * 1024, 10].entries()) {
    const part = { ...place, UploadId, PartNumber: index + 1, Body: Buffer.alloc(size, `part ${index}`) };
    const { ETag } = await side.s3.send(new UploadPartCommand(part));
    Parts.push({ PartNumber: index + 1, ETag });
  }
  await side.s3.send(new CompleteMultipartUploadCommand({ ...place, UploadId, MultipartUpload: { Parts } }));
  side.take();
}

async function answersOf(side: Side, { run }: Call) {
  await run(side);
  return side.take().map((answer) => toComparable(answer, side));
}

describe.each(places)('before %s,', (place) => {
  let sides: Sides;
  beforeAll(async () => {
    sides = await openSides(place);
    await Promise.all([putFixtures(sides.direct), putFixtures(sides.proxied)]);
  });
  afterAll(() => sides.close());

  let exchanges = 0;

  describe.each<[string, Call[]]>([
    ['reading', reads],
    ['copying and uploading in parts', uploads],
    ['writing and deleting', writes],
    ['listing', lists],
  ])('%s through the proxy returns the same answers as the storage', (_, calls) => {
    test.each(calls.filter(({ notBefore }) => notBefore !== place))('$title', async (call) => {
      const direct = await answersOf(sides.direct, call);
      const proxied = await answersOf(sides.proxied, call);
      expect(proxied.length).toBeGreaterThan(0);
      exchanges += proxied.length;
      const difference = callDifferences[place]?.get(call.title);
      if (difference === undefined) expect(proxied).toEqual(direct);
      else {
        expect(proxied.map(({ status, body }) => (status >= 300 ? `${status} ${body}` : status))).toEqual(
          difference.proxied,
        );
        expect(proxied).not.toEqual(direct);
      }
    });
  });

  test('the proxy returned more than 500 answers', () => {
    expect(exchanges).toBeGreaterThan(500);
  });
});
