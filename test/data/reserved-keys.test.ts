import {
  ListMultipartUploadsCommand,
  ListObjectsCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { region, s3Client, signIn } from '../service/data-clients.ts';
import { seededService } from '../service/seeded-service.ts';
import { everyOperation } from './every-operation.ts';
import { exchange } from './whole-answer.ts';

const service = await seededService();
const session = await signIn(service, service.key);
const account = 'tide-institute';
const repository = 'raw-drafts';
const writer = s3Client(service, session);
const { endpoint, bucket, access_key_id, secret_access_key } = service.storage;
const storage = new S3Client({
  endpoint,
  region: service.storage.region,
  forcePathStyle: true,
  credentials: { accessKeyId: access_key_id, secretAccessKey: secret_access_key },
});
afterAll(() => {
  writer.destroy();
  storage.destroy();
});

const shown = ['!first', '.sluice-not', '.slu', '.sluicegate/a', 'a', 'b/c'];
const hidden = ['.sluice/versions/x/1', '.sluice/versions/x/2', '.sluice/versions/x/3'];

beforeAll(async () => {
  for (const name of shown) {
    await writer.send(new PutObjectCommand({ Bucket: account, Key: `${repository}/${name}`, Body: name }));
  }
  const { Contents = [] } = await storage.send(new ListObjectsV2Command({ Bucket: bucket }));
  const first = Contents.find(({ Key }) => Key?.endsWith('/!first'))?.Key ?? '';
  for (const name of hidden) {
    await storage.send(new PutObjectCommand({ Bucket: bucket, Key: first.replace('!first', name), Body: name }));
  }
});

const reserved = ['.sluice/versions/x/1', '.sluice', '.sluice/', '/.sluice/versions/x/1', '.SLUICE/versions/x/1'];
const encoded = ['.sluice/versions/x/1', '%2Esluice/versions/x/1', '.sluice%2Fversions%2Fx%2F1', '%2F.sluice%2Fx'];

describe.each(everyOperation(account, repository).filter(({ path }) => path !== ''))('$name', (operation) => {
  const { method, query, body } = operation;
  const send = (path: string, headers = operation.headers) => {
    const request = { method, path, ...(query && { query }), ...(headers && { headers }), ...(body && { body }) };
    return exchange(service.dataUrl, request, { ...session, region });
  };

  test.each(reserved)('is refused for the key %s', async (key) => {
    const answer = await send(`/${account}/${repository}/${key}`);
    expect(answer.status).toBe(403);
    if (method !== 'HEAD') expect(answer.body).toContain('Keys below .sluice/ are reserved');
  });

  test.runIf(operation.headers?.['x-amz-copy-source'] !== undefined).each([...reserved.slice(0, 1), ...encoded])(
    'is refused for the source %s',
    async (key) => {
      const answer = await send(`/${account}/${repository}/copy`, {
        ...operation.headers,
        'x-amz-copy-source': `/${account}/${repository}/${key}`,
      });
      expect([answer.status, answer.body.includes('Keys below .sluice/ are reserved')]).toEqual([403, true]);
    },
  );
});

test.each(encoded)('an unsigned read of open data is refused for the path %s', async (key) => {
  const answer = await fetch(`${service.dataUrl}/${account}/tide-gauges/${key}`);
  expect([answer.status, (await answer.text()).includes('Keys below .sluice/ are reserved')]).toEqual([403, true]);
});

test('a deletion of several keys with a reserved one deletes nothing', async () => {
  const keys = ['a', '.sluice/versions/x/1'].map((key) => `<Object><Key>${repository}/${key}</Key></Object>`).join('');
  const request = { method: 'POST', path: `/${account}`, query: { delete: '' }, body: `<Delete>${keys}</Delete>` };
  expect((await exchange(service.dataUrl, request, { ...session, region })).status).toBe(403);
  const { Contents = [] } = await storage.send(new ListObjectsV2Command({ Bucket: bucket }));
  for (const key of ['/a', '/.sluice/versions/x/1']) {
    expect(Contents.filter(({ Key }) => Key?.endsWith(`${repository}${key}`))).toHaveLength(1);
  }
});

describe.each([1, 2, 3, 1000])('in pages of %i,', (size) => {
  const names = (entries: readonly { Key?: string | undefined }[] | undefined) =>
    (entries ?? []).map(({ Key }) => Key?.slice(`${repository}/`.length));

  test.each([undefined, '/'])('lists with the delimiter %s show all keys except reserved ones', async (Delimiter) => {
    const Prefix = `${repository}/`;
    const input = { Bucket: account, Prefix, MaxKeys: size, ...(Delimiter && { Delimiter }) };
    const expected = Delimiter === undefined ? shown : ['!first', '.sluice-not', '.slu', '.sluicegate/', 'a', 'b/'];
    const prefixes = (entries: readonly { Prefix?: string | undefined }[] | undefined) =>
      names((entries ?? []).map(({ Prefix: Key }) => ({ Key })));
    const second: unknown[] = [];
    for (let ContinuationToken: string | undefined, isFirst = true; isFirst || ContinuationToken; isFirst = false) {
      const page = await writer.send(
        new ListObjectsV2Command({ ...input, ...(ContinuationToken && { ContinuationToken }) }),
      );
      second.push(...names(page.Contents), ...prefixes(page.CommonPrefixes));
      ContinuationToken = page.NextContinuationToken;
    }
    expect(second.toSorted()).toEqual(expected.toSorted());
    const first: unknown[] = [];
    for (let Marker: string | undefined, isFirst = true; isFirst || Marker; isFirst = false) {
      const page = await writer.send(new ListObjectsCommand({ ...input, ...(Marker && { Marker }) }));
      first.push(...names(page.Contents), ...prefixes(page.CommonPrefixes));
      Marker = page.IsTruncated ? (page.NextMarker ?? page.Contents?.at(-1)?.Key) : undefined;
      if (page.IsTruncated) expect(Marker).toBeDefined();
    }
    expect(first.toSorted()).toEqual(expected.toSorted());
    const versions: unknown[] = [];
    for (let position = {}, isFirst = true; isFirst || 'KeyMarker' in position; isFirst = false) {
      const page = await writer.send(new ListObjectVersionsCommand({ ...input, ...position }));
      versions.push(...names(page.Versions), ...prefixes(page.CommonPrefixes));
      position = page.IsTruncated ? { KeyMarker: page.NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker } : {};
      if (page.IsTruncated) expect(page.NextKeyMarker).toBeDefined();
    }
    expect(versions.toSorted()).toEqual(expected.toSorted());
  });
});

test.each(['.sluice/', '.sluice/versions/', '//.sluice/', '.Sluice/v'])('a list of %s is refused', async (name) => {
  const Prefix = `${repository}/${name}`;
  for (const command of [
    new ListObjectsV2Command({ Bucket: account, Prefix }),
    new ListObjectVersionsCommand({ Bucket: account, Prefix }),
    new ListMultipartUploadsCommand({ Bucket: account, Prefix }),
  ]) {
    await expect(writer.send(command as ListObjectsV2Command)).rejects.toMatchObject({ name: 'AccessDenied' });
  }
});

test('a list with a prefix of a reserved key shows only other keys', async () => {
  const Prefix = `${repository}/.sluice`;
  const { Contents } = await writer.send(new ListObjectsV2Command({ Bucket: account, Prefix }));
  expect(Contents?.map(({ Key }) => Key)).toEqual(
    ['.sluice-not', '.sluicegate/a'].map((name) => `${repository}/${name}`),
  );
});
