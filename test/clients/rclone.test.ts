import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ClientWorld, startClientWorld } from './client-world.ts';
import { findClient } from './installed-client.ts';

const rclone = findClient('rclone', ['rclone'], { versionArgs: ['version'] });

describe.skipIf(rclone.isMissing)(rclone.title, () => {
  let world: ClientWorld;
  beforeAll(async () => {
    world = await startClientWorld();
  });
  afterAll(() => world.close());

  function run(...args: string[]) {
    const { accessKeyId, secretAccessKey, sessionToken = '' } = world.credentials;
    return rclone.run(args, {
      RCLONE_CONFIG: path.join(world.folder, 'none.conf'),
      RCLONE_CONFIG_SLUICE_TYPE: 's3',
      RCLONE_CONFIG_SLUICE_PROVIDER: 'Other',
      RCLONE_CONFIG_SLUICE_ENDPOINT: world.dataUrl,
      RCLONE_CONFIG_SLUICE_REGION: 'anywhere-1',
      // Without it rclone asks for the bucket to be made before it writes.
      RCLONE_CONFIG_SLUICE_NO_CHECK_BUCKET: 'true',
      RCLONE_CONFIG_SLUICE_ACCESS_KEY_ID: accessKeyId,
      RCLONE_CONFIG_SLUICE_SECRET_ACCESS_KEY: secretAccessKey,
      RCLONE_CONFIG_SLUICE_SESSION_TOKEN: sessionToken,
    });
  }

  test('copies to the repository and back with fixed credentials', async () => {
    const folder = 'sluice:tide-institute/raw-drafts/from rclone';
    await run('copy', world.file, folder);
    expect(await run('lsf', '--format', 'ps', folder)).toBe('readings.bin;70000\n');
    expect(await run('lsf', 'sluice:tide-institute/raw-drafts/')).toContain('from rclone/\n');
    await run('copyto', `${folder}/readings.bin`, path.join(world.folder, 'copy.bin'));
    expect(await readFile(path.join(world.folder, 'copy.bin'))).toEqual(world.bytes);
    await run('moveto', `${folder}/readings.bin`, `${folder}/moved.bin`);
    await run('deletefile', `${folder}/moved.bin`);
    expect(await run('lsf', folder)).toBe('');
  });
});
