import { Readable } from 'node:stream';
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import type { Decision, StorageRequest } from '../../../lib/domain/data/decision.ts';
import { dataFixture, decide, edgeRequest, sessionOptions } from './data-fixture.ts';

/**
 * Creates an AWS SDK client with the rules instead of the network. The rules decide about its requests and rewrite the
 * responses of the storage.
 */
function sdkClient(storage: (request: StorageRequest, body: Uint8Array) => string) {
  const decisions: Decision[] = [];
  const world = dataFixture();
  world.deps.clock = Date.now;
  const session = sessionOptions({ expires_at: Math.ceil(Date.now() / 1000) + 3600 });
  const client = new S3Client({
    region: 'us-east-1',
    endpoint: 'https://data.example.org',
    forcePathStyle: true,
    credentials: {
      accessKeyId: session.accessKeyId ?? '',
      secretAccessKey: session.secretAccessKey ?? '',
      sessionToken: session.sessionToken ?? '',
    },
    maxAttempts: 1,
    requestHandler: {
      handle: async (request: SentRequest) => {
        const rawQuery = Object.entries(request.query ?? {})
          .flatMap(([name, value]) => [value ?? ''].flat().map((one) => `${encode(name)}=${encode(one)}`))
          .join('&');
        const headers = Object.fromEntries(
          Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]),
        );
        const body = request.body instanceof Uint8Array || typeof request.body === 'string' ? request.body : '';
        const decision = await decide(
          edgeRequest({ method: request.method, rawPath: request.path, rawQuery, headers }, body),
          world,
        );
        decisions.push(decision);
        const answer =
          decision.kind === 'respond'
            ? decision.answer
            : decision.kind === 'forward'
              ? { status: 200, headers: {}, body: '' }
              : decision.rewrite({ status: 200, headers: {}, body: storage(decision.request, decision.body) });
        return {
          response: {
            statusCode: answer.status,
            headers: answer.headers,
            body: Readable.from([Buffer.from(answer.body)]),
          },
        };
      },
    },
  });
  return { client, decisions };
}

interface SentRequest {
  method: string;
  path: string;
  query?: Record<string, string | string[] | null>;
  headers: Record<string, string>;
  body?: unknown;
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}

const start = 'hidden/tide-institute/raw-drafts/';
const place = { Bucket: 'tide-institute', Key: "raw-drafts/a//b/../level=3/x y+z%2F&~é😀'()*!.csv" };

test('objects are forwarded with the whole key and the headers of the client', async () => {
  const { client, decisions } = sdkClient(() => '');
  await client.send(new GetObjectCommand({ ...place, Range: 'bytes=0-9' }));
  await client.send(
    new PutObjectCommand({ ...place, Body: 'x', Metadata: { a: 'b' }, Tagging: 'c=d', StorageClass: 'STANDARD_IA' }),
  );
  const rawPath = `/${start}a//b/../level%3D3/x%20y%2Bz%252F%26~%C3%A9%F0%9F%98%80%27%28%29%2A%21.csv`;
  expect(decisions).toMatchObject([
    { kind: 'forward', request: { rawPath, rawQuery: '', headers: { range: 'bytes=0-9' } } },
    {
      kind: 'forward',
      request: {
        rawPath,
        headers: { 'x-amz-meta-a': 'b', 'x-amz-tagging': 'c=d', 'x-amz-storage-class': 'STANDARD_IA' },
      },
    },
  ]);
});

test('lists come back with the names that the client uses', async () => {
  const { client } = sdkClient(
    () =>
      `<ListBucketResult><EncodingType>url</EncodingType><IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>` +
      `<Contents><Key>${encode(`${start}x y`)}</Key><Size>3</Size><ETag>&quot;e&quot;</ETag></Contents>` +
      `<CommonPrefixes><Prefix>${encode(`${start}sub/`)}</Prefix></CommonPrefixes></ListBucketResult>`,
  );
  const page = await client.send(
    new ListObjectsV2Command({ Bucket: 'tide-institute', Prefix: 'raw-drafts/', Delimiter: '/' }),
  );
  expect(page).toMatchObject({
    Name: 'tide-institute',
    Prefix: 'raw-drafts/',
    Delimiter: '/',
    KeyCount: 2,
    IsTruncated: true,
    Contents: [{ Key: 'raw-drafts/x y', Size: 3, ETag: '"e"' }],
    CommonPrefixes: [{ Prefix: 'raw-drafts/sub/' }],
  });
  const next = { Bucket: 'tide-institute', Prefix: 'raw-drafts/', ContinuationToken: page.NextContinuationToken };
  expect((await client.send(new ListObjectsV2Command(next))).ContinuationToken).toBe(page.NextContinuationToken);
});

test('a multipart upload is begun, listed and completed', async () => {
  const { client } = sdkClient((request) => {
    if (request.rawQuery === 'uploads=')
      return '<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>';
    if (request.method === 'GET')
      return '<ListPartsResult><Part><PartNumber>1</PartNumber><Size>5</Size></Part></ListPartsResult>';
    return '<CompleteMultipartUploadResult><ETag>"e-1"</ETag></CompleteMultipartUploadResult>';
  });
  const begun = await client.send(new CreateMultipartUploadCommand(place));
  expect(begun).toMatchObject({ ...place, UploadId: 'u' });
  const parts = await client.send(new ListPartsCommand({ ...place, UploadId: begun.UploadId }));
  expect(parts.Parts).toMatchObject([{ PartNumber: 1, Size: 5 }]);
  const MultipartUpload = { Parts: [{ PartNumber: 1, ETag: '"1"' }] };
  const completed = await client.send(new CompleteMultipartUploadCommand({ ...place, UploadId: 'u', MultipartUpload }));
  expect(completed).toMatchObject({ ...place, ETag: '"e-1"' });
});

test('many objects are deleted by the keys that the client uses, and one is copied', async () => {
  let sent = '';
  const { client } = sdkClient((request, body) => {
    sent = Buffer.from(body).toString();
    return request.method === 'PUT'
      ? '<CopyObjectResult><ETag>"c"</ETag></CopyObjectResult>'
      : `<DeleteResult>${sent.match(/<Key>.*?<\/Key>/g)?.map((key) => `<Deleted>${key}</Deleted>`)}</DeleteResult>`;
  });
  const Objects = [{ Key: place.Key }, { Key: 'raw-drafts/<&>\r' }];
  const deleted = await client.send(new DeleteObjectsCommand({ Bucket: 'tide-institute', Delete: { Objects } }));
  expect(deleted.Deleted).toEqual(Objects);
  expect(sent).toContain(`<Key>${start}`);
  const copy = await client.send(new CopyObjectCommand({ ...place, CopySource: 'tide-institute/tide-gauges/a%20b' }));
  expect(copy.CopyObjectResult?.ETag).toBe('"c"');
});

test('refusals are the errors that the SDK knows', async () => {
  const { client } = sdkClient(() => '');
  const get = (Key: string) => client.send(new GetObjectCommand({ Bucket: 'tide-institute', Key }));
  await expect(get('ungranted/a')).rejects.toMatchObject({ name: 'AccessDenied', $metadata: { httpStatusCode: 403 } });
  await expect(get('tide-gauges')).rejects.toMatchObject({ name: 'NoSuchKey' });
  await expect(client.send(new HeadBucketCommand({ Bucket: 'tide-institute' }))).resolves.toMatchObject({});
});
