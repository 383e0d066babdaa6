import { seedNames } from '../lib/local/seed.ts';
import { startByteMaker } from '../test/lib/local/cloudfront/byte-maker.ts';
import { startServer } from './load/servers.ts';
import { goal, printTable } from './report.ts';
import { download, exchange, upload } from './requests.ts';

const objectBytes = 5 * 1024 ** 3;
const growthMebibytesMax = 200;

/**
 * Measures an upload and a download of 5 GiB through the complete local service. The storage only counts and generates
 * bytes.
 */
export async function benchStreaming(): Promise<void> {
  const maker = await startByteMaker();
  const storage = {
    endpoint: `http://127.0.0.1:${maker.port}`,
    region: 'us-east-1',
    bucket: 'counted',
    access_key_id: 'COUNTED',
    secret_access_key: 'counted',
  };
  const child = await startServer('service', storage);
  try {
    const { dataUrl, key } = child.started;
    const { organization_id, private_repository_id } = seedNames;
    const credentials = await exchange(dataUrl, key);
    // The name of the object is its size: the storage generates this number of bytes.
    const url = new URL(`/${organization_id}/${private_repository_id}/${objectBytes}`, dataUrl);
    const { residentBytes } = await child.usage();
    const rows: string[][] = [];
    for (const [direction, transfer] of [
      ['up', upload],
      ['down', download],
    ] as const) {
      const startedAt = performance.now();
      await transfer(url, objectBytes, credentials);
      const seconds = (performance.now() - startedAt) / 1000;
      const { peakBytes } = await child.usage();
      const growthMebibytes = Math.round((peakBytes - residentBytes) / 2 ** 20);
      const rate = (objectBytes / 2 ** 20 / seconds).toFixed(0);
      rows.push([
        direction,
        `${rate} MiB/s`,
        `${growthMebibytes} MiB`,
        goal(growthMebibytes, '<', growthMebibytesMax, ' MiB'),
      ]);
    }
    if (maker.received.at(-1) !== objectBytes) throw new Error(`the storage received ${maker.received.at(-1)} bytes`);
    printTable('5 GiB through the local service', ['', 'throughput', 'memory grew by', 'goal'], rows);
  } finally {
    await child.stop();
    maker.close();
  }
}
