import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { awsClis, readsEndpointSettings } from './aws-cli.ts';
import { type ClientWorld, startClientWorld } from './client-world.ts';
import { documentedExample } from './documented-example.ts';
import { findClient } from './installed-client.ts';
import { boto3s } from './python-clients.ts';

const execute = promisify(execFile);
const page = 'reading-open-data.md';

const [aws] = awsClis.filter(readsEndpointSettings);
const curl = findClient('curl', ['curl']);
const rclone = findClient('rclone', ['rclone'], { versionArgs: ['version'] });
const boto3 = boto3s[0];

/** What the page's first lines leave behind. */
const gauges = 'station,height\n';

describe('the examples of reading open data', { timeout: 60_000 }, () => {
  let world: ClientWorld;
  beforeAll(async () => {
    world = await startClientWorld();
    const lines = Object.entries(world.settings).map(([name, value]) => `export ${name}='${value}'\n`);
    await mkdir(path.join(world.folder, '.sluice'));
    await writeFile(path.join(world.folder, '.sluice', 'env'), lines.join(''));
    if (aws !== undefined) await run('Reading open data');
  });
  afterAll(() => world.close());

  /** As somebody pastes them, in a folder of their own and with no settings but those that they read. */
  const run = async (heading: string) => {
    const commands = documentedExample(page, heading, 'sh', world.dataUrl);
    const found = [path.resolve('.clients/newest/bin'), process.env['PATH']].join(':');
    const env = { PATH: found, HOME: world.folder, AWS_EC2_METADATA_DISABLED: 'true' };
    return (await execute('sh', ['-ec', commands], { cwd: world.folder, env })).stdout;
  };
  const copied = (...names: string[]) => readFile(path.join(world.folder, ...names), 'utf8');

  describe.skipIf(aws === undefined)(`after ${aws?.title ?? 'an AWS CLI that reads the settings'} wrote`, () => {
    test.skipIf(curl.isMissing)(`${curl.title} reads an object, a range and a list`, async () => {
      const printed = await run('curl and browsers');
      expect(printed).toContain(gauges.slice(0, 7));
      expect(printed).toContain('<Key>tide-gauges/2026/gauges.csv</Key>');
      expect(await copied('gauges.csv')).toBe(gauges);
    });

    test('the AWS CLI lists and fetches a folder, and needs no credentials', async () => {
      expect(await run('AWS CLI')).toContain('tide-gauges/2026/gauges.csv');
      expect(await copied('gauges', '2026', 'gauges.csv')).toBe(gauges);
    });

    test.skipIf(rclone.isMissing)(`${rclone.title} fetches a folder`, async () => {
      await rm(path.join(world.folder, 'gauges'), { recursive: true, force: true });
      await run('rclone');
      expect(await readdir(path.join(world.folder, 'gauges', '2026'))).toEqual(['gauges.csv']);
    });

    test.skipIf(boto3 === undefined || boto3.isMissing)(`${boto3?.title ?? 'boto3'} reads an object`, async () => {
      const code = documentedExample(page, 'Python', 'python', world.dataUrl);
      expect(await boto3?.run(['-c', code], world.trust)).toBe(`b'station,height\\n'\n`);
    });
  });
});
