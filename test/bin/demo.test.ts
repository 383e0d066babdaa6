import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const bin = fileURLToPath(new URL('../../bin', import.meta.url));

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'sluice-demo-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function run(program: string, folder: string, settings: NodeJS.ProcessEnv = {}) {
  return spawn(process.execPath, [path.join(bin, program)], {
    cwd: folder,
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function runDemo(folder: string, settings: NodeJS.ProcessEnv = {}) {
  const child = run('demo.ts', folder, settings);
  const [[code], output, errors] = await Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)]);
  return { code, output, errors };
}

/** Started as `npm start` does it, on free ports; settles when it has printed that it runs. */
async function startService(folder: string): Promise<void> {
  const child = run('local.ts', folder, { SLUICE_API_PORT: '0', SLUICE_DATA_PORT: '0', SLUICE_IDENTITY_PORT: '0' });
  const exit = once(child, 'exit');
  onTestFinished(async () => {
    child.kill();
    await exit;
  });
  const errors = text(child.stderr);
  const started = new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk) => String(chunk).includes('Ctrl-C') && resolve());
  });
  const failed = exit.then(async () => {
    throw new Error(`the service did not start: ${await errors}`);
  });
  failed.catch(() => undefined);
  await Promise.race([started, failed]);
}

test('the demo moves data, revokes its key, is refused the next exchange, and can be run again', async () => {
  const folder = await newFolder();
  await startService(folder);
  const seededKey = await readFile(path.join(folder, '.sluice/nightly-sync.key'), 'utf8');
  // Credentials of whoever runs the demo must not get in its way.
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
}, 90_000);

test.each<[string, string | undefined, RegExp]>([
  ['no service was started here', undefined, /^There is no .*local\.json: start the service with "npm start"/],
  [
    'the service has ended',
    JSON.stringify({
      api_url: 'http://127.0.0.1:9',
      data_url: 'http://127.0.0.1:9',
      identity_url: 'http://127.0.0.1:9',
    }),
    /^Nothing answers at http:\/\/127\.0\.0\.1:9\/health: start the service with "npm start"/,
  ],
  ['its settings are cut short', '{ "api_url": ', /is not what the service writes: start the service/],
])('when %s, the demo says so in one sentence', async (_, settings, sentence) => {
  const folder = await newFolder();
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
