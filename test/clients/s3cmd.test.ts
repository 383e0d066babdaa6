import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ClientWorld, startClientWorld } from './client-world.ts';
import { findClient } from './installed-client.ts';

const s3cmd = findClient('s3cmd', ['s3cmd']);

describe.skipIf(s3cmd.isMissing)(s3cmd.title, () => {
  let world: ClientWorld;
  beforeAll(async () => {
    world = await startClientWorld();
  });
  afterAll(() => world.close());

  function run(...args: string[]) {
    const { host } = new URL(world.dataUrl);
    const { accessKeyId, secretAccessKey, sessionToken = '' } = world.credentials;
    const service = ['--no-ssl', `--host=${host}`, `--host-bucket=${host}`, '--region=anywhere-1'];
    return s3cmd.run([...service, '--config=/dev/null', ...args], {
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
      AWS_SESSION_TOKEN: sessionToken,
    });
  }

  test('puts, lists, gets and deletes with fixed credentials', async () => {
    const address = 's3://tide-institute/raw-drafts/from-s3cmd/a+b=c d.bin';
    await run('put', world.file, address);
    expect(await run('ls', 's3://tide-institute/raw-drafts/from-s3cmd/')).toMatch(/ 70000 +s3:\/\/.*a\+b=c d\.bin\n$/);
    const copy = path.join(world.folder, 'copy.bin');
    await run('get', address, copy);
    expect(await readFile(copy)).toEqual(world.bytes);
    await run('del', address);
    expect(await run('ls', 's3://tide-institute/raw-drafts/from-s3cmd/')).toBe('');
  });
});
