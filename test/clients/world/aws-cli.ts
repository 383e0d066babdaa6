import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { ClientWorld } from './client-world.ts';
import { findEachRelease, type InstalledClient, isAtLeast } from './installed-client.ts';
import { bucket, type Transfers } from './transfers.ts';

export const awsClis = findEachRelease('aws', ['.clients/newest/bin/aws', 'aws', '/usr/bin/aws']);

/** Releases 1.29 and 2.13 are the first that read the endpoint settings. */
export function readsEndpointSettings({ version }: InstalledClient): boolean {
  return isAtLeast(version, version.startsWith('1.') ? '1.29' : '2.13');
}

/** Runs a command with nothing but the five settings where the release knows them, and otherwise with a fixed set of credentials. */
export function runAws(aws: InstalledClient, world: ClientWorld, ...args: string[]): Promise<string> {
  if (readsEndpointSettings(aws)) return aws.run(args, world.settings);
  return aws.run(['--endpoint-url', world.dataUrl, ...args], world.fixedSettings);
}

export function awsTransfers(aws: InstalledClient): Transfers {
  const run = (world: ClientWorld, ...args: string[]) => runAws(aws, world, ...args);
  const url = (key: string) => `s3://${bucket}/${key}`;
  return {
    partsOfLarge: 2,
    upload: (world, file, key) => run(world, 's3', 'cp', file, url(key)),
    download: (world, key, file) => run(world, 's3', 'cp', url(key), file),
    readRange: async (world, key, first, last) => {
      const file = path.join(world.folder, 'range');
      const place = ['--bucket', bucket, '--key', key, '--range', `bytes=${first}-${last}`];
      await run(world, 's3api', 'get-object', ...place, file);
      return readFile(file);
    },
    list: async (world, prefix) => {
      const place = ['--bucket', bucket, '--prefix', prefix];
      const form = ['--query', 'Contents[].Key', '--output', 'json'];
      return JSON.parse(await run(world, 's3api', 'list-objects-v2', ...place, ...form));
    },
    copy: (world, from, to) => run(world, 's3', 'cp', url(from), url(to)),
    remove: (world, key) => run(world, 's3', 'rm', url(key)),
    syncUp: (world, folder, prefix) => run(world, 's3', 'sync', folder, url(prefix)),
    syncDown: (world, prefix, folder) => run(world, 's3', 'sync', url(prefix), folder),
  };
}
