import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { awsClis, readsEndpointSettings } from './fixtures/aws-cli.ts';
import { clientFixture } from './fixtures/client-fixture.ts';
import { documentedExample } from './fixtures/documented-example.ts';
import { findClient } from './fixtures/installed-client.ts';
import { boto3s } from './fixtures/python-clients.ts';

const execute = promisify(execFile);
const page = 'reading-open-data.md';

const [aws] = awsClis.filter(readsEndpointSettings);
const curl = findClient('curl', ['curl']);
const rclone = findClient('rclone', ['rclone'], { versionArgs: ['version'] });
const boto3 = boto3s[0];

describe('the examples of reading open data', { timeout: 120_000 }, () => {
  const fixture = clientFixture('http', { withDataSet: true });
  let countries: string;
  beforeAll(async () => {
    countries = await (await fetch(`${fixture.dataUrl}/tide-institute/world-borders/countries.csv`)).text();
    expect(countries.split('\n').length).toBeGreaterThan(170);
  });

  /** Runs an example in an empty folder, with only the settings that the example reads. */
  const run = async (heading: string) => {
    const commands = documentedExample(page, heading, 'sh', fixture.dataUrl);
    const found = [path.resolve('.clients/newest/bin'), process.env['PATH']].join(':');
    const env = { PATH: found, HOME: fixture.folder, AWS_EC2_METADATA_DISABLED: 'true' };
    return (await execute('sh', ['-ec', commands], { cwd: fixture.folder, env })).stdout;
  };
  const copied = (...names: string[]) => readFile(path.join(fixture.folder, ...names), 'utf8');

  test.skipIf(curl.isMissing)(`${curl.title} reads an object, a range and a list`, async () => {
    const printed = await run('curl and browsers');
    expect(printed).toContain(countries.slice(0, 100));
    expect(printed).toContain('<Key>world-borders/countries.parquet</Key>');
    expect(await copied('countries.csv')).toBe(countries);
  });

  test.skipIf(aws === undefined)('the AWS CLI lists and fetches a folder, and needs no credentials', async () => {
    expect(await run('AWS CLI')).toContain('world-borders/countries.csv');
    expect(await copied('borders', 'countries.csv')).toBe(countries);
  });

  test.skipIf(rclone.isMissing)(`${rclone.title} fetches a folder`, async () => {
    await rm(path.join(fixture.folder, 'borders'), { recursive: true, force: true });
    await run('rclone');
    expect(await copied('borders', 'countries.csv')).toBe(countries);
  });

  test.skipIf(boto3 === undefined || boto3.isMissing)(`${boto3?.title ?? 'boto3'} reads an object`, async () => {
    const code = documentedExample(page, 'Python', 'python', fixture.dataUrl);
    expect(await boto3?.run(['-c', code], fixture.trust)).toContain(countries.slice(0, 20));
  });
});
