import { mkdir, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import * as z from 'zod';
import { limits } from '../domain/limits.ts';
import { UsageStore } from '../store/usage.ts';
import { openUsageDatabase } from '../usage/database.ts';
import { countUsage } from '../usage/run-usage.ts';
import { openTable } from './table.ts';
import { bucketFiles, reserveRun } from './usage-bucket.ts';

const environmentSchema = z.object({
  SLUICE_TABLE_NAME: z.string(),
  SLUICE_HOME_REGION: z.string(),
  SLUICE_USAGE_BUCKET: z.string(),
  SLUICE_USAGE_LOG_PREFIX: z.string(),
  /** The host below which virtual-host requests name their account. */
  SLUICE_VIRTUAL_HOST_BASE: z.string().optional(),
});

const directory = '/tmp/usage';

/**
 * Returns the scheduled job that counts usage. The argument is the ID of the event that started it, so that a repeated
 * delivery of the event does nothing.
 */
export function createLambdaUsage(): (id: string) => Promise<void> {
  const environment = environmentSchema.parse(process.env);
  const { SLUICE_USAGE_BUCKET: bucket, SLUICE_USAGE_LOG_PREFIX: logPrefix } = environment;
  const s3 = new S3Client();
  const table = openTable(
    new DynamoDBClient({ region: environment.SLUICE_HOME_REGION }),
    environment.SLUICE_TABLE_NAME,
  );
  const store = new UsageStore(table);
  return async (id) => {
    if (!(await reserveRun(s3, bucket, id))) return;
    // Delete the files of an earlier run. A run that reached its time limit does not delete its own files.
    await rm(directory, { recursive: true, force: true });
    await mkdir(directory, { recursive: true });
    await countUsage({
      files: bucketFiles({ s3, bucket, logPrefix, directory }),
      store,
      findRepositories: (names) => store.findRepositories(names),
      openDatabase: () =>
        openUsageDatabase({ directory, memoryMb: limits.usageDatabaseMb, threads: availableParallelism() }),
      directory,
      clock: Date.now,
      virtualHostBase: environment.SLUICE_VIRTUAL_HOST_BASE,
      shardBytesMax: limits.usageShardBytesMax,
    });
  };
}
