import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { clientFixture, schemes } from './fixtures/client-fixture.ts';
import { documentedExample } from './fixtures/documented-example.ts';
import { findClient } from './fixtures/installed-client.ts';
import { bucket } from './fixtures/transfers.ts';
import { startTunnelToNowhere } from './fixtures/tunnel-to-nowhere.ts';

const execute = promisify(execFile);
const restic = findClient('restic', ['restic'], { versionArgs: ['version'] });

describe.skipIf(restic.isMissing).each(schemes)(`${restic.title} over %s`, { timeout: 120_000 }, (scheme) => {
  const fixture = clientFixture(scheme);
  beforeAll(async () => {
    await mkdir(path.join(fixture.folder, 'readings'));
    await writeFile(path.join(fixture.folder, 'readings', 'brest ä.csv'), 'station,height\n');
    await writeFile(path.join(fixture.folder, 'readings', 'large.bin'), Buffer.alloc(9_000_000, 'tide'));
    await writeFile(path.join(fixture.folder, 'restic.password'), 'tides\n');
  });

  const run = (commands: string, settings: Record<string, string>) =>
    execute('sh', ['-ec', commands], {
      cwd: fixture.folder,
      env: { PATH: process.env['PATH'], ...settings, AWS_ENDPOINT_URL_S3: fixture.dataUrl },
    });
  const example = () => {
    const commands = documentedExample('a-server.md', 'Tools that take a fixed set', 'sh', fixture.dataUrl);
    return commands.slice(commands.indexOf('export RESTIC_REPOSITORY'));
  };

  test('backs up, restores, checks, and forgets a folder by its example', async () => {
    await run(`${example()}\nrestic check --read-data\nrestic forget --keep-last 1 --prune`, fixture.fixedSettings);
    const [there, back] = await Promise.all(
      ['', 'restored'].map((folder) => readFile(path.join(fixture.folder, folder, 'readings', 'brest ä.csv'), 'utf8')),
    );
    expect(back).toBe(there);
  });

  test('reports the refusal of a repository without a grant', async () => {
    await expect(run(example().replaceAll('raw-drafts', 'not-granted'), fixture.fixedSettings)).rejects.toThrow(
      /The repository does not exist or these credentials do not allow this/,
    );
  });

  test('sends the key to AWS when it finds the settings', async () => {
    const tunnel = await startTunnelToNowhere();
    const commands = `export RESTIC_PASSWORD=x RESTIC_REPOSITORY=s3:$AWS_ENDPOINT_URL_S3/${bucket}/raw-drafts/x; restic init`;
    await expect(run(commands, { ...fixture.settings, ...tunnel.env })).rejects.toMatchObject({
      code: expect.any(Number),
    });
    expect(new Set(tunnel.asked)).toEqual(new Set([expect.stringMatching(/^sts\.(us-east-1\.)?amazonaws\.com:443$/)]));
    tunnel.close();
  });
});
