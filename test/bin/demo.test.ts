import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runCommand, startLocalProcess, temporaryFolder } from './local-process.ts';

const runDemo = (cwd: string, settings: NodeJS.ProcessEnv = {}) =>
  runCommand('demo', [], { cwd, env: { ...process.env, ...settings } });

test('the demo uploads and downloads data, revokes its key, shows the refused exchange, and can run again', async () => {
  const folder = await temporaryFolder();
  await startLocalProcess(folder).ready;
  const seededKey = await readFile(path.join(folder, '.sluice/nightly-sync.key'), 'utf8');
  // The demo must ignore the developer's own credentials.
  const foreign = { AWS_ACCESS_KEY_ID: 'AKFOREIGN', AWS_SECRET_ACCESS_KEY: 'foreign', AWS_PROFILE: 'foreign' };
  for (const settings of [{}, foreign]) {
    const { code, output, errors } = await runDemo(folder, settings);
    expect(errors).toBe('');
    expect(output).toMatch(/refused: InvalidIdentityToken: API key was not accepted \(request id .+\)/);
    expect(output.trimEnd().split('\n').at(-1)).toMatch(/^All went well/);
    expect(output).not.toContain('sck_');
    expect(code).toBe(0);
  }
  expect(await readFile(path.join(folder, '.sluice/nightly-sync.key'), 'utf8')).toBe(seededKey);
}, 180_000);

test.each<[string, string | undefined, RegExp]>([
  [
    'no service was started in this folder',
    undefined,
    /^There is no .*local\.json: start the service with "npm start"/,
  ],
  [
    'the service has ended',
    JSON.stringify(
      Object.fromEntries(['api_url', 'data_url', 'identity_url'].map((name) => [name, 'http://127.0.0.1:9'])),
    ),
    /^No service responds at http:\/\/127\.0\.0\.1:9\/health: start the service with "npm start"/,
  ],
  ['its settings are truncated', '{ "api_url": ', /is not what the service writes: start the service/],
])('the demo prints one sentence when %s', async (_, settings, sentence) => {
  const folder = await temporaryFolder();
  if (settings !== undefined) {
    await mkdir(path.join(folder, '.sluice'));
    await writeFile(path.join(folder, '.sluice/local.json'), settings);
  }
  const { code, output, errors } = await runDemo(folder);
  expect(errors).toMatch(sentence);
  expect(errors.trimEnd().split('\n')).toHaveLength(1);
  expect(output).toBe('');
  expect(code).toBe(1);
});
