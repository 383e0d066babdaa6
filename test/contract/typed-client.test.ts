import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { emptyBucket } from '../../lib/local/embedded-storage.ts';
import { problems } from '../../lib/operations/problems.ts';
import { registry } from '../../lib/operations/registry.ts';
import { startSteps } from '../../lib/pages/reference/start.tsx';
import { exchange } from '../data/whole-answer.ts';
import { newKey } from '../functions/users.ts';
import { startSeededService } from '../service/seeded-service.ts';
import { startTestService, type TestService } from '../service/test-service.ts';
import { userToken } from '../service/user-tokens.ts';

/**
 * Acts as the developer of a web app. Generates types from the service's document, and creates a client. Then runs a
 * publisher's journey with this client alone. All files are temporary. A contract change that breaks such an app fails
 * this test.
 */
const execute = promisify(execFile);
const source = path.resolve('test/contract/typed-client');
const installed = path.resolve('.clients/typescript');
const isMissing = !existsSync(path.join(installed, 'node_modules/openapi-typescript'));
const title = `a typed client made from the document${isMissing ? ' (openapi-typescript is not installed here: test/clients/install.sh)' : ''}`;

// New data appears in a search within about twenty seconds. Each test also waits for a program.
describe.skipIf(isMissing)(title, { timeout: 120_000 }, () => {
  let service: TestService;
  let folder: string;
  beforeAll(async () => {
    service = await startTestService({ accountLoopbackEndpoints: true });
    // The folder is inside the installation, so that imports find its packages.
    folder = await mkdtemp(path.join(installed, 'journey-'));
    for (const name of await readdir(source)) {
      if (!name.startsWith('package')) await cp(path.join(source, name), path.join(folder, name));
    }
    const document = await (await fetch(`${service.apiUrl}/api/v1/openapi.json`)).text();
    await writeFile(path.join(folder, 'openapi.json'), document);
    await node(path.join(installed, 'node_modules/openapi-typescript/bin/cli.js'), 'openapi.json', '-o', 'api.d.ts');
  }, 120_000);
  afterAll(async () => {
    await service.close();
    await rm(folder, { recursive: true, force: true });
  });

  const node = (...args: string[]) => execute(process.execPath, args, { cwd: folder, timeout: 120_000 });
  const typesOf = (project: string) =>
    node(path.resolve('node_modules/typescript/bin/tsc'), '-p', project).then(
      () => '',
      ({ stdout }: { stdout: string }) => stdout,
    );

  test('the journey of a publisher compiles without a cast', async () => {
    expect(await typesOf('tsconfig.json')).toBe('');
    for (const name of (await readdir(source)).filter((file) => file.endsWith('.ts'))) {
      const text = await readFile(path.join(source, name), 'utf8');
      expect(text.replaceAll('as const', '')).not.toMatch(
        / as (?:[A-Z{(]|string|number|unknown|any|never)|: any\b|<any>|@ts-|[)\]\w]!\./,
      );
      // The app uses error codes, because the sentences may change.
      expect(text).not.toMatch(/\.(?:detail|title|message)\b/);
    }
  });

  test('the compiler refuses types that the document does not define', async () => {
    const wrong = `import { apiOf, made, refused } from './client.ts';
const api = apiOf('');
await made(api.GET('/accounts/{account_id}'));
await refused(api.GET('/whoami'), 'no_such_code');
(await made(api.GET('/whoami'))).nothing;
await api.POST('/accounts', { body: { account_id: 'ada', account_type: 'nobody', profile: {} } });
`;
    await writeFile(path.join(folder, 'wrong.ts'), wrong);
    const faults = await typesOf('tsconfig.json');
    await rm(path.join(folder, 'wrong.ts'));
    for (const line of [3, 4, 5, 6]) expect(faults).toContain(`wrong.ts(${line},`);
  });

  test('the example at the start of the reference page compiles and runs unchanged', async () => {
    const seeded = await startSeededService();
    try {
      const before = `const SLUICE_URL = process.env['SLUICE_URL'] ?? '';
const token = process.env['TOKEN'] ?? '';
const formId = 'made-when-the-form-was-opened';
const signIn = (): never => process.exit(3);
const showBeside = (field: string, sentence: string): void => console.log('at', field, sentence);
`;
      const after = `export type Account = components['schemas']['Account'];
console.log(JSON.stringify({ session, repositories, hasMore, showsEditButton, refusal, updated, read: answer.status, credentials }));
`;
      const code = [before, ...startSteps.map((step) => step.code), after].join('\n');
      await writeFile(path.join(folder, 'start.ts'), code);
      expect(await typesOf('tsconfig.json')).toBe('');
      const env = { PATH: process.env['PATH'], SLUICE_URL: seeded.apiUrl, TOKEN: await userToken(seeded, 'ada') };
      const { stdout } = await execute(process.execPath, ['start.ts'], { cwd: folder, env, timeout: 60_000 });
      const seen = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
      expect(seen).toMatchObject({
        session: { account: { account_id: 'ada' } },
        showsEditButton: true,
        hasMore: false,
      });
      expect(seen).toMatchObject({ repositories: [{ repository_id: 'tide-gauges' }], updated: { state: 'listed' } });
      expect(seen.refusal).toBeUndefined();
      expect(seen.read).toBe(404);
      expect(seen.credentials.access_key_id).toMatch(/^SCTA/);
    } finally {
      await seeded.close();
      await rm(path.join(folder, 'start.ts'), { force: true });
    }
  });

  test('the client completes the journey of a publisher, with conflicts and refusals', async () => {
    const tokens = await Promise.all(['admin', 'ada', 'grace'].map((name) => userToken(service, name)));
    const [TOKEN_ADMIN, TOKEN_ADA, TOKEN_GRACE] = tokens;
    const env = {
      PATH: process.env['PATH'],
      SLUICE_URL: `${service.apiUrl}/api/v1`,
      TOKEN_ADMIN,
      TOKEN_ADA,
      TOKEN_GRACE,
      STS_URL: service.stsUrl,
      STORAGE_ENDPOINT: service.storage.endpoint,
      STORAGE_REGION: service.storage.region,
      BUCKET: emptyBucket,
    };
    const { stdout } = await execute(process.execPath, ['journey.ts'], { cwd: folder, env, timeout: 120_000 });
    const { calls, codes } = JSON.parse(stdout) as { calls: string[]; codes: string[] };
    expect(calls.length).toBeGreaterThan(80);
    const called = new Set(calls);
    const routes = registry.map(({ method, path: route }) => `${method} ${route}`);
    expect([...called].filter((call) => !routes.includes(call))).toEqual([]);
    expect(called.size).toBeGreaterThan(40);
    expect(codes.filter((code) => !(code in problems))).toEqual([]);
    expect(codes.length).toBeGreaterThan(15);
    // A key uploads to the repository on the storage that the app connected.
    const { credentials } = await newKey(service, await service.user('ada'), '/accounts/ada');
    const signer = { ...credentials, signedAt: service.services.clock() };
    const file = '/tides/own-gauges/levels.csv';
    expect(await exchange(service.dataUrl, { method: 'PUT', path: file, body: 'time,metres' }, signer)).toMatchObject({
      status: 200,
    });
    expect(await (await fetch(service.dataUrl + file)).text()).toBe('time,metres');
  });
});
