import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ClientWorld, startClientWorld } from './client-world.ts';
import { findClient } from './installed-client.ts';

// Releases 1.29 and 2.13 are the first that read the endpoint settings.
const aws = findClient('aws', ['aws'], { versionMin: '1.29' });
const isBetweenReleases = /^aws 2\.(?:\d|1[0-2])\./.test(aws.title);

describe.skipIf(aws.isMissing || isBetweenReleases)(aws.title, () => {
  let world: ClientWorld;
  beforeAll(async () => {
    world = await startClientWorld();
  });
  afterAll(() => world.close());
  const run = (...args: string[]) => aws.run(args, world.settings);

  test('signs in with the five settings, and copies to the repository and back', { timeout: 90_000 }, async () => {
    const address = 's3://tide-institute/raw-drafts/from aws/a+b=50%.bin';
    expect(JSON.parse(await run('sts', 'get-caller-identity', '--output', 'json'))).toMatchObject({
      Account: 'tide-institute--nightly-sync',
    });
    await run('s3', 'cp', world.file, address);
    expect(await run('s3', 'ls', 's3://tide-institute/raw-drafts/from aws/')).toMatch(/ 70000 a\+b=50%\.bin\n$/);
    const copy = path.join(world.folder, 'copy.bin');
    await run('s3', 'cp', address, copy);
    expect(await readFile(copy)).toEqual(world.bytes);
    await run('s3', 'rm', address);
    await expect(run('s3', 'ls', address)).rejects.toMatchObject({ code: 1 });
  });

  test('tells of a refusal as it does of those of AWS', async () => {
    await expect(
      run('s3api', 'get-object', '--bucket', 'tide-institute', '--key', 'nothing/here', '/dev/null'),
    ).rejects.toThrow(
      /An error occurred \(AccessDenied\) when calling the GetObject operation: The repository does not exist/,
    );
  });
});
