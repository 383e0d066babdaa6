import { createRequire } from 'node:module';
import { buffer } from 'node:stream/consumers';
import { Client, CopyDestinationOptions, CopySourceOptions } from 'minio';
import type { ClientFixture } from './fixtures/client-fixture.ts';
import { bucket, describeTransfers } from './fixtures/transfers.ts';

const { version } = createRequire(import.meta.url)('minio/package.json') as { version: string };

function connect({ dataUrl, credentials }: ClientFixture): Client {
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
    upload: (fixture, file, key) => connect(fixture).fPutObject(bucket, key, file),
    download: (fixture, key, file) => connect(fixture).fGetObject(bucket, key, file),
    readRange: async (fixture, key, first, last) =>
      buffer(await connect(fixture).getPartialObject(bucket, key, first, last - first + 1)),
    list: async (fixture, prefix) => {
      const listed: AsyncIterable<{ name?: string }> = connect(fixture).listObjectsV2(bucket, prefix, true);
      const names: string[] = [];
      for await (const { name = '' } of listed) names.push(name);
      return names;
    },
    copy: (fixture, from, to) =>
      connect(fixture).copyObject(
        new CopySourceOptions({ Bucket: bucket, Object: from }),
        new CopyDestinationOptions({ Bucket: bucket, Object: to }),
      ),
    remove: (fixture, key) => connect(fixture).removeObjects(bucket, [key]),
  },
);
