import { execFile } from 'node:child_process';
import { copyFile, mkdir, readFile, stat, symlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { type Client, createClient } from '../service/client.ts';
import { signIn } from '../service/data-clients.ts';
import { isAlive, processTree, startLocalProcess, temporaryFolder } from './local-process.ts';

const run = promisify(execFile);

interface LocalJson {
  api_url: string;
  data_url: string;
  identity_url: string;
  key_file?: string;
}

async function readLocalJson(folder: string): Promise<LocalJson> {
  return JSON.parse(await readFile(path.join(folder, '.sluice/local.json'), 'utf8'));
}

async function healthOf({ api_url, data_url, identity_url }: LocalJson): Promise<unknown[]> {
  const urls = [`${api_url}/health`, `${data_url}/.health`, `${identity_url}/health`];
  return Promise.all(urls.map(async (url) => (await fetch(url)).json()));
}

async function userFetch({ api_url, identity_url }: LocalJson, sub: string, ...request: Parameters<Client>) {
  const issued = await fetch(`${identity_url}/people/token`, { method: 'POST', body: JSON.stringify({ sub }) });
  const { token } = (await issued.json()) as { token: string };
  const { status, body } = await createClient(api_url, { authorization: `Bearer ${token}` })(...request);
  return { status, body };
}

test('a start prints working SDK settings and a line for each request, and Ctrl-C ends all processes', async () => {
  // The folder's name contains a character with a special meaning in a shell.
  const folder = path.join(await temporaryFolder(), "it's here");
  await mkdir(folder);
  const local = startLocalProcess(folder, { NO_COLOR: '1' }, ['--verbose']);
  const printed = await local.ready;
  const written = await readLocalJson(folder);
  expect(await healthOf(written)).toEqual([{ status: 'ok' }, { status: 'ok' }, { status: 'ok' }]);

  for (const url of [written.api_url, written.data_url, written.identity_url]) expect(printed).toContain(url);
  const keyFile = path.join(folder, '.sluice/nightly-sync.key');
  expect(written).toMatchObject({ service_account_id: 'tide-institute--nightly-sync', key_file: keyFile });
  const exported = printed.split('\n').filter((line) => line.startsWith('export '));
  expect(exported.map((line) => line.slice('export '.length, line.indexOf('=')))).toEqual([
    'AWS_REGION',
    'AWS_DEFAULT_REGION',
    'AWS_ENDPOINT_URL_S3',
    'AWS_ENDPOINT_URL_STS',
    'AWS_ROLE_ARN',
    'AWS_WEB_IDENTITY_TOKEN_FILE',
  ]);
  const env = await readFile(path.join(folder, '.sluice/env'), 'utf8');
  expect(env).toBe(`${exported.join('\n')}\n`);
  for (const name of ['local.json', 'env', 'nightly-sync.key']) {
    expect((await stat(path.join(folder, '.sluice', name))).mode & 0o777).toBe(0o600);
  }
  const key = (await readFile(keyFile, 'utf8')).trim();
  expect(key).toMatch(/^sck_[0-9A-Za-z]{36}$/);

  // Acts as a user of the service: sources the settings, and runs software that reads only its environment.
  const software = `
    import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
    const s3 = new S3Client();
    const place = { Bucket: 'tide-institute', Key: 'raw-drafts/from-settings.txt' };
    await s3.send(new PutObjectCommand({ ...place, Body: 'it works' }));
    console.log(await (await s3.send(new GetObjectCommand(place))).Body.transformToString());`;
  const shell = '. "$1" && exec "$2" --input-type=module -e "$3"';
  const { stdout } = await run(
    'sh',
    ['-c', shell, 'sh', path.join(folder, '.sluice/env'), process.execPath, software],
    { env: { PATH: process.env['PATH'], HOME: folder } },
  );
  expect(stdout.trim()).toBe('it works');

  // The output has one line for each request, which names the caller and contains no query and no key.
  await userFetch(written, 'ada', 'GET', '/whoami');
  const file = `${written.data_url}/tide-institute/world-borders/README.md`;
  expect(await (await fetch(`${file}?x-id=GetObject`)).text()).toContain('# World borders');
  await fetch(`${written.data_url}/${key}?WebIdentityToken=${key}`);
  const shown = [
    /^200 {2}GET {5}\/api\/v1\/whoami {2}\d+ ms {2}ada {2}get-session$/m,
    /^200 {2}GET {5}\/tide-institute\/world-borders\/README\.md {2}\d+ ms {2}anonymous$/m,
    /^400 {2}GET {5}\(a URL with a key in it\) {2}\d+ ms {2}anonymous$/m,
  ];
  await expect.poll(() => shown.filter((line) => !line.test(local.stdout())), { timeout: 20_000 }).toEqual([]);
  expect(local.stdout() + local.stderr()).not.toContain(key);
  expect(local.stdout()).not.toContain('x-id');

  const tree = processTree(local.process.pid);
  // The loader starts esbuild only for a file that it has not compiled yet.
  const commands = tree.map(({ command }) => command).filter((command) => !command.includes('esbuild'));
  expect(commands).toEqual([
    expect.stringContaining('bin/local.ts'),
    expect.stringContaining('engine-keeper.ts'),
    expect.stringMatching(/java .*DynamoDBLocal\.jar/),
  ]);
  local.process.kill('SIGINT');
  expect(await local.ended).toBe(0);
  // esbuild exits when its stdin closes.
  await expect.poll(() => tree.filter(({ pid }) => isAlive(pid))).toEqual([]);
  expect(local.stderr()).toBe('');
}, 180_000);

test.each<[string, [string, ...string[]], (pid: number) => void]>([
  ['Ctrl-C in its terminal', ['npm', 'start'], (pid) => process.kill(-pid, 'SIGINT')],
  ['SIGTERM to npm', ['npm', 'start'], (pid) => process.kill(pid, 'SIGTERM')],
  // The kernel sends SIGHUP when the program that holds the terminal ends.
  ['a closed terminal', ['script', '-qec', 'npm start', '/dev/null'], (pid) => process.kill(pid, 'SIGKILL')],
])('after %s, no process of npm start runs 5 seconds later', { timeout: 180_000 }, async (_, command, stop) => {
  const folder = await temporaryFolder();
  await copyFile('package.json', path.join(folder, 'package.json'));
  for (const name of ['bin', 'node_modules']) await symlink(path.resolve(name), path.join(folder, name));
  const local = startLocalProcess(folder, { SLUICE_SEED: 'none' }, [], command);
  await local.ready;
  const tree = processTree(local.process.pid);
  expect(tree.map(({ command }) => command)).toContainEqual(expect.stringMatching(/java .*DynamoDBLocal\.jar/));
  stop(local.process.pid ?? 0);
  await expect.poll(() => tree.filter(({ pid }) => isAlive(pid)), { timeout: 5000 }).toEqual([]);
});

test('a second start with the same data uses the stored key while the key is valid', {
  timeout: 300_000,
}, async () => {
  const folder = await temporaryFolder();
  const settings = { SLUICE_DATA_DIR: 'data' };
  const keyOf = async () => (await readFile(path.join(folder, '.sluice/nightly-sync.key'), 'utf8')).trim();

  const first = startLocalProcess(folder, settings);
  await first.ready;
  const key = await keyOf();
  first.process.kill('SIGTERM');
  expect(await first.ended).toBe(0);

  const second = startLocalProcess(folder, settings);
  await second.ready;
  expect(await keyOf()).toBe(key);
  const { api_url, data_url } = await readLocalJson(folder);
  await signIn({ dataUrl: data_url }, key);
  await fetch(`${api_url}/api/v1/service-account-keys/revocations`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ key }),
  });
  second.process.kill('SIGINT');
  expect(await second.ended).toBe(0);

  const third = startLocalProcess(folder, settings, ['--quiet']);
  await third.ready;
  expect(await keyOf()).not.toBe(key);
  await signIn({ dataUrl: (await readLocalJson(folder)).data_url }, await keyOf());
  // A start with `--quiet` prints no lines for requests.
  third.process.kill('SIGINT');
  expect(await third.ended).toBe(0);
  expect(third.stdout()).not.toMatch(/^\d{3} {2}/m);
  expect(first.stderr() + second.stderr() + third.stderr()).toBe('');
});

test('a start with SLUICE_SEED=none creates only the identity of the administrator', async () => {
  const folder = await temporaryFolder();
  // Use a separate database engine, because the table of this name in the shared engine contains data of other test
  // files.
  const local = startLocalProcess(folder, { SLUICE_SEED: 'none' });
  expect(await local.ready).not.toContain('AWS_');
  const written = await readLocalJson(folder);
  expect(Object.keys(written)).toEqual([
    ...['api_url', 'data_url', 'identity_url', 'people_issuer', 'site_client_id', 'data_client_id'],
  ]);
  await expect(stat(path.join(folder, '.sluice/nightly-sync.key'))).rejects.toThrow('ENOENT');
  expect(await healthOf(written)).toEqual([{ status: 'ok' }, { status: 'ok' }, { status: 'ok' }]);

  const nobody = { identity_id: 'admin', account: null, memberships: [] };
  expect(await userFetch(written, 'admin', 'GET', '/whoami')).toEqual({ status: 200, body: nobody });
  const account = { account_id: 'root', account_type: 'user', profile: {} };
  expect((await userFetch(written, 'admin', 'POST', '/accounts', account)).status).toBe(201);
  // Only an admin may learn that an account does not exist.
  expect((await userFetch(written, 'admin', 'GET', '/accounts/tide-institute')).status).toBe(404);
  expect((await userFetch(written, 'ada', 'GET', '/accounts/tide-institute')).status).toBe(403);
}, 180_000);
