import { createRequire } from 'node:module';
import { buffer } from 'node:stream/consumers';
import { Client, CopyDestinationOptions, CopySourceOptions } from 'minio';
import type { ClientWorld } from './fixtures/client-fixture.ts';
import { bucket, describeTransfers } from './fixtures/transfers.ts';

const { version } = createRequire(import.meta.url)('minio/package.json') as { version: string };

function connect({ dataUrl, credentials }: ClientWorld): Client {
  const { hostname, port, protocol } = new URL(dataUrl);
  const { accessKeyId, secretAccessKey, sessionToken = '' } = credentials;
  return new Client({
    endPoint: hostname,
    port: Number(port),
    useSSL: protocol === 'https:',
    accessKey: accessKeyId,
    secretKey: secretAccessKey,
    sessionToken,
    partSize: 5 * 1024 * 1024,
  });
}

describeTransfers(
  { title: `minio for JavaScript ${version} (npm)`, isMissing: false },
  {
    partsOfLarge: 3,
    upload: (world, file, key) => connect(world).fPutObject(bucket, key, file),
    download: (world, key, file) => connect(world).fGetObject(bucket, key, file),
    readRange: async (world, key, first, last) =>
      buffer(await connect(world).getPartialObject(bucket, key, first, last - first + 1)),
    list: async (world, prefix) => {
      const listed: AsyncIterable<{ name?: string }> = connect(world).listObjectsV2(bucket, prefix, true);
      const names: string[] = [];
      for await (const { name = '' } of listed) names.push(name);
      return names;
    },
    copy: (world, from, to) =>
      connect(world).copyObject(
        new CopySourceOptions({ Bucket: bucket, Object: from }),
        new CopyDestinationOptions({ Bucket: bucket, Object: to }),
      ),
    remove: (world, key) => connect(world).removeObjects(bucket, [key]),
  },
);
