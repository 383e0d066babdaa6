import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bucketFiles, reserveRun } from '../../../lib/lambda/usage-bucket.ts';
import type { UsageFiles } from '../../../lib/usage/run-usage.ts';
import { bucket, type OpenStore, openStore } from '../local/s3/open-store.ts';

const logPrefix = 'AWSLogs/111111111111/CloudFront/';

let store: OpenStore;
let directory: string;
let files: UsageFiles;

beforeAll(async () => {
  store = await openStore();
  directory = await mkdtemp(path.join(tmpdir(), 'usage-bucket-'));
  files = bucketFiles({ s3: store.s3, bucket, logPrefix, directory });
});

afterAll(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

const put = (Key: string, Body: string) => store.s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body }));

describe('the files of the job in a bucket', () => {
  it('list the log files of a day and of the first hour after it', async () => {
    for (const hour of ['11/30/23', '12/01/00', '12/01/23', '12/02/00', '12/02/01'])
      await put(`${logPrefix}2026/${hour}/a.parquet`, 'abc');
    const listed = await files.listLogs('2026-12-01');
    expect(listed).toEqual(
      ['12/01/00', '12/01/23', '12/02/00'].map((hour) => ({ name: `${logPrefix}2026/${hour}/a.parquet`, bytes: 3 })),
    );
  });

  it('are all listed when there are more than a page of them', async () => {
    const names = Array.from({ length: 1001 }, (_, at) => `${logPrefix}2026/11/05/07/${1000 + at}.parquet`);
    for (let at = 0; at < names.length; at += 100) {
      await Promise.all(names.slice(at, at + 100).map((name) => put(name, 'a')));
    }
    expect((await files.listLogs('2026-11-05')).map(({ name }) => name)).toEqual(names);
  });

  it('are saved, opened as a local copy, and released', async () => {
    const local = path.join(directory, 'state');
    await writeFile(local, 'counted');
    await files.save('state/2026-12-01.json', local);
    const opened = await files.open('state/2026-12-01.json');
    expect(await readFile(opened as string, 'utf8')).toBe('counted');
    await files.release(opened as string);
    expect(await readdir(directory)).toEqual(['state']);
  });

  it('are undefined when the bucket has no such object', async () => {
    expect(await files.open('state/2026-12-09.json')).toBeUndefined();
    // The job must leave no local file.
    expect(await readdir(directory)).toEqual(['state']);
  });
});

it('a run is reserved once', async () => {
  const reserved = await Promise.all([1, 2, 3].map(() => reserveRun(store.s3, bucket, 'event-1')));
  expect(reserved.filter(Boolean)).toHaveLength(1);
  expect(await reserveRun(store.s3, bucket, 'event-2')).toBe(true);
});
