import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  GetObjectCommand,
  NoSuchKey,
  PutObjectCommand,
  paginateListObjectsV2,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { laterPeriod } from '../domain/usage/periods.ts';
import type { LogFile, UsageFiles } from '../usage/run-usage.ts';

interface BucketFilesOptions {
  s3: S3Client;
  bucket: string;
  /** The prefix of the log files. Log delivery writes folders of the form `<yyyy>/<MM>/<dd>/<HH>/` below it. */
  logPrefix: string;
  /** A writable folder for local copies of log files. */
  directory: string;
}

/** Returns functions that read and write the log files and result files in a bucket. */
export function bucketFiles({ s3, bucket, logPrefix, directory }: BucketFilesOptions): UsageFiles {
  const list = async (prefix: string) => {
    const files: LogFile[] = [];
    for await (const { Contents = [] } of paginateListObjectsV2(
      { client: s3 },
      { Bucket: bucket, Prefix: `${logPrefix}${prefix}` },
    )) {
      for (const { Key = '', Size = 0 } of Contents) files.push({ name: Key, bytes: Size });
    }
    return files;
  };
  return {
    async listLogs(day) {
      // Also list the first hour of the next day. A log file is in the folder of the hour in which its requests
      // occurred, but can begin with requests of the hour before.
      const listed = await Promise.all([`${slashed(day)}/`, `${slashed(laterPeriod(day, 1))}/00/`].map(list));
      return listed.flat();
    },
    async open(name) {
      const file = path.join(directory, randomUUID());
      try {
        const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: name }));
        await pipeline(Body as Readable, createWriteStream(file));
        return file;
      } catch (error) {
        if (error instanceof NoSuchKey) return undefined;
        throw error;
      }
    },
    release: (localPath) => rm(localPath),
    async save(name, localPath) {
      const { size } = await stat(localPath);
      const input = { Bucket: bucket, Key: name, Body: createReadStream(localPath), ContentLength: size };
      await s3.send(new PutObjectCommand(input));
    },
  };
}

/**
 * Reserves a run by its name. Returns false if the run is already reserved, because EventBridge can deliver an event
 * twice.
 */
export async function reserveRun(s3: S3Client, bucket: string, name: string): Promise<boolean> {
  try {
    await s3.send(new PutObjectCommand({ Bucket: bucket, Key: `runs/${name}`, Body: 'reserved', IfNoneMatch: '*' }));
    return true;
  } catch (error) {
    if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 412) return false;
    throw error;
  }
}

function slashed(day: string): string {
  return day.replaceAll('-', '/');
}
