import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import {
  CopyObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3';
import { fromTokenFile } from '@aws-sdk/credential-providers';
import { Upload } from '@aws-sdk/lib-storage';
import { expect } from 'vitest';
import { exchangeConfig, roleArn } from '../service/data-clients.ts';
import type { ClientFixture } from './fixtures/client-fixture.ts';
import { bucket, describeTransfers } from './fixtures/transfers.ts';

const { version } = createRequire(import.meta.url)('@aws-sdk/client-s3/package.json') as { version: string };

const connected = new WeakMap<ClientFixture, S3Client>();

/** Returns one client for all tests of a service. The client signs in with the key file at its first request. */
function connect(fixture: ClientFixture): S3Client {
  const known = connected.get(fixture);
  if (known !== undefined) return known;
  const credentials = fromTokenFile({
    roleArn: roleArn(),
    webIdentityTokenFile: fixture.keyFile,
    clientConfig: exchangeConfig(fixture),
  });
  const client = new S3Client({ endpoint: fixture.dataUrl, region: 'anywhere-1', forcePathStyle: true, credentials });
  connected.set(fixture, client);
  return client;
}

async function read(fixture: ClientFixture, key: string, Range?: string): Promise<Buffer> {
  const place = { Bucket: bucket, Key: key, ...(Range === undefined ? {} : { Range }) };
  const { Body } = await connect(fixture).send(new GetObjectCommand(place));
  return Buffer.from((await Body?.transformToByteArray()) ?? []);
}

describeTransfers(
  { title: `AWS SDK for JavaScript ${version} (npm)`, isMissing: false },
  {
    partsOfLarge: 3,
    upload: async (fixture, file, key) => {
      const { Location } = await new Upload({
        client: connect(fixture),
        partSize: 5 * 1024 * 1024,
        params: { Bucket: bucket, Key: key, Body: createReadStream(file) },
      }).done();
      expect(Location?.startsWith(`${fixture.dataUrl}/${bucket}/`)).toBe(true);
    },
    download: async (fixture, key, file) => writeFile(file, await read(fixture, key)),
    readRange: (fixture, key, first, last) => read(fixture, key, `bytes=${first}-${last}`),
    list: async (fixture, prefix) => {
      const pages = paginateListObjectsV2(
        { client: connect(fixture), pageSize: 3 },
        { Bucket: bucket, Prefix: prefix },
      );
      const keys: string[] = [];
      for await (const { Contents = [] } of pages) keys.push(...Contents.map(({ Key = '' }) => Key));
      return keys;
    },
    copy: (fixture, from, to) => {
      // The SDK sends the copy source unchanged, so the caller must encode it.
      const CopySource = encodeURI(`${bucket}/${from}`).replaceAll('+', '%2B');
      return connect(fixture).send(new CopyObjectCommand({ Bucket: bucket, Key: to, CopySource }));
    },
    remove: (fixture, key) =>
      connect(fixture).send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects: [{ Key: key }] } })),
  },
);
