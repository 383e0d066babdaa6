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
import type { ClientWorld } from './fixtures/client-fixture.ts';
import { bucket, describeTransfers } from './fixtures/transfers.ts';

const { version } = createRequire(import.meta.url)('@aws-sdk/client-s3/package.json') as { version: string };

const connected = new WeakMap<ClientWorld, S3Client>();

/** Returns one client for all tests of a service. It signs in with the key file at the first request. */
function connect(world: ClientWorld): S3Client {
  const known = connected.get(world);
  if (known !== undefined) return known;
  const credentials = fromTokenFile({
    roleArn: roleArn(),
    webIdentityTokenFile: world.keyFile,
    clientConfig: exchangeConfig(world),
  });
  const client = new S3Client({ endpoint: world.dataUrl, region: 'anywhere-1', forcePathStyle: true, credentials });
  connected.set(world, client);
  return client;
}

async function read(world: ClientWorld, key: string, Range?: string): Promise<Buffer> {
  const place = { Bucket: bucket, Key: key, ...(Range === undefined ? {} : { Range }) };
  const { Body } = await connect(world).send(new GetObjectCommand(place));
  return Buffer.from((await Body?.transformToByteArray()) ?? []);
}

describeTransfers(
  { title: `AWS SDK for JavaScript ${version} (npm)`, isMissing: false },
  {
    partsOfLarge: 3,
    upload: async (world, file, key) => {
      const { Location } = await new Upload({
        client: connect(world),
        partSize: 5 * 1024 * 1024,
        params: { Bucket: bucket, Key: key, Body: createReadStream(file) },
      }).done();
      expect(Location?.startsWith(`${world.dataUrl}/${bucket}/`)).toBe(true);
    },
    download: async (world, key, file) => writeFile(file, await read(world, key)),
    readRange: (world, key, first, last) => read(world, key, `bytes=${first}-${last}`),
    list: async (world, prefix) => {
      const pages = paginateListObjectsV2({ client: connect(world), pageSize: 3 }, { Bucket: bucket, Prefix: prefix });
      const keys: string[] = [];
      for await (const { Contents = [] } of pages) keys.push(...Contents.map(({ Key = '' }) => Key));
      return keys;
    },
    copy: (world, from, to) => {
      // The SDK sends the source unchanged, so the caller must encode it.
      const CopySource = encodeURI(`${bucket}/${from}`).replaceAll('+', '%2B');
      return connect(world).send(new CopyObjectCommand({ Bucket: bucket, Key: to, CopySource }));
    },
    remove: (world, key) =>
      connect(world).send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects: [{ Key: key }] } })),
  },
);
