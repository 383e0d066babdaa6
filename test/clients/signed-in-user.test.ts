import { type ChildProcessWithoutNullStreams, execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import { promisify } from 'node:util';
import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { findFreePort } from '../../lib/local/ports.ts';
import { awsClis, readsEndpointSettings } from './fixtures/aws-cli.ts';
import { type ClientFixture, startClientFixture } from './fixtures/client-fixture.ts';
import { atUrls, documentedBlocks } from './fixtures/documented-example.ts';
import { findClient } from './fixtures/installed-client.ts';
import { findPythonClient } from './fixtures/python-clients.ts';
import {
  beginSignIn,
  clicker,
  credentialsScript,
  exportedBy,
  keptIn,
  type PersonalMachine,
  prepareUser,
  python,
  refusalOf,
} from './fixtures/signed-in-user.ts';
import { bucket } from './fixtures/transfers.ts';

const execute = promisify(execFile);
const hourSeconds = 3600;
const aws = awsClis.find(readsEndpointSettings);
const boto3 = findPythonClient('boto3', 'newest');
const rclone = findClient('rclone', ['rclone'], { versionArgs: ['version'] });
const gdalinfo = findClient('GDAL', ['gdalinfo']);

/** Writes an object for each line of its input, in one session. */
const boto3Program = `
import sys, boto3
s3 = boto3.Session(profile_name="person").client("s3")
for line in sys.stdin:
    s3.put_object(Bucket="${bucket}", Key="raw-drafts/" + line.strip(), Body=b"x")
    print(s3._request_signer._credentials.get_frozen_credentials().access_key, flush=True)
`;

let fixture: ClientFixture;
let machine: PersonalMachine;
let settings: Record<string, string>;
let boto3Run: ChildProcessWithoutNullStreams | undefined;
/** The folder in which `sluice-credentials.py` stores the user's state in this test. */
let state: string;

describe.skipIf(python.isMissing)(
  `a user who signs in with sluice-credentials.py, by ${python.title}`,
  { timeout: 120_000 },
  () => {
    beforeAll(async () => {
      fixture = await startClientFixture();
      machine = await prepareUser(fixture);
      settings = { ...machine.settings };
    });
    afterEach(() => boto3Run?.kill());
    afterAll(() => fixture.close());

    const run = (...more: string[]) => python.run([credentialsScript, ...machine.given, ...more], settings);
    const newUser = async (name: string) => {
      state = path.join(fixture.folder, name);
      settings = { ...settings, XDG_STATE_HOME: state };
    };
    const kept = () => keptIn(state);

    test('signs in once and uses each client for more than an hour, with rotated refresh tokens', async () => {
      await newUser('beyond-the-hour');
      await machine.moveTo(-1.1 * hourSeconds);
      const first = JSON.parse(await run());
      expect(first).toMatchObject({ Version: 1, AccessKeyId: expect.stringMatching(/^SCRA|^SCTA/) });
      const { text: before } = await kept();
      // The second call returns the cached credentials without a request.
      expect(JSON.parse(await run())).toEqual(first);
      settings = { ...settings, BROWSER: '/bin/false' };

      boto3Run = boto3.isMissing ? undefined : boto3.start(['-c', boto3Program], settings);
      const answers = boto3Run && createInterface({ input: boto3Run.stdout })[Symbol.asyncIterator]();
      const putByBoto3 = async (name: string) => {
        boto3Run?.stdin.write(`${name}\n`);
        return (await answers?.next())?.value;
      };
      const file = path.join(fixture.folder, 'gauges.csv');
      await writeFile(file, 'station,height');
      const putByAws = (name: string) => aws?.run(['s3', 'cp', file, `s3://${bucket}/raw-drafts/${name}`], settings);
      await putByAws('aws-1');
      const keyOfBoto3 = await putByBoto3('boto3-1');

      await machine.moveTo(0);
      await putByAws('aws-2');
      const { text: after } = await kept();
      expect(JSON.parse(after).refresh_token).not.toBe(JSON.parse(before).refresh_token);
      if (boto3Run !== undefined) expect(await putByBoto3('boto3-2')).not.toBe(keyOfBoto3);
      const second = JSON.parse(await run());
      expect(second.AccessKeyId).not.toBe(first.AccessKeyId);

      if (!rclone.isMissing) {
        const remote = ['--s3-provider', 'Other', '--s3-env-auth', '--s3-endpoint', fixture.dataUrl];
        await rclone.run([...remote, 'copyto', file, `:s3:${bucket}/raw-drafts/rclone.csv`], {
          ...settings,
          AWS_SDK_LOAD_CONFIG: '1',
        });
      }
      if (!gdalinfo.isMissing) {
        const env = exportedBy(await run('--shell'));
        const endpoint = {
          AWS_S3_ENDPOINT: new URL(fixture.dataUrl).host,
          AWS_HTTPS: 'NO',
          AWS_VIRTUAL_HOSTING: 'FALSE',
        };
        // The error shows that GDAL read the object, and found that it is not a raster.
        expect(
          await refusalOf(gdalinfo.run([`/vsis3/${bucket}/raw-drafts/rclone.csv`], { ...env, ...endpoint })),
        ).toContain('not recognized');
      }
      const reader = await fixture.service.user('ada');
      expect((await reader('GET', '/whoami')).body.account.account_id).toBe('ada');
    });

    test('can run every block of the documentation page without changes', async () => {
      const { apiUrl, identity } = fixture.service;
      const urls = { apiUrl, dataUrl: fixture.dataUrl, identityUrl: identity.url };
      const blocks = documentedBlocks('a-signed-in-user.md').map(({ language, code }) =>
        language === 'python' ? `python3 - <<'END OF BLOCK'\n${code}END OF BLOCK\n` : code,
      );
      const home = path.join(fixture.folder, 'page');
      await mkdir(path.join(home, 'docs/clients'), { recursive: true });
      await copyFile(credentialsScript, path.join(home, 'docs/clients/sluice-credentials.py'));
      const found = [path.resolve('.clients/newest/bin'), process.env['PATH']].join(':');
      const env = { PATH: found, HOME: home, BROWSER: clicker('ada'), AWS_EC2_METADATA_DISABLED: 'true' };
      const { stdout } = await execute('sh', ['-eu', '-c', atUrls(blocks.join('\n'), urls)], { cwd: home, env });
      expect(stdout).toMatch(/^Feature Count: 1$/m);
      const place = { Bucket: fixture.storage.bucket, Prefix: `${bucket}/raw-drafts/by-` };
      const { Contents = [] } = await fixture.storage.client.send(new ListObjectsV2Command(place));
      expect(Contents.map(({ Key }) => Key?.split('/raw-drafts/')[1])).toEqual([
        'by-boto3.csv',
        'by-rclone/gauges.csv',
      ]);
      expect((await readdir(path.join(home, '.local/state/sluice'))).filter((name) => name.endsWith('.json'))).toEqual(
        [],
      );
    });

    test('stores a file that only its owner can read, and cannot use one that others can read', async () => {
      await newUser('own-file');
      settings = { ...settings, BROWSER: clicker('ada') };
      await run();
      const file = await kept();
      expect((await stat(file.path)).mode & 0o777).toBe(0o600);
      expect((await stat(path.dirname(file.path))).mode & 0o777).toBe(0o700);
      // The script must not write into an existing file that others can read.
      await writeFile(`${file.path}.new`, '', { mode: 0o644 });
      await run('--read-only');
      expect((await stat(file.path)).mode & 0o777).toBe(0o600);
      await chmod(file.path, 0o640);
      expect(await refusalOf(run())).toContain('others can read');
    });

    test('signs in once for many calls at the same time, and all of them use one chain of refresh tokens', async () => {
      await newUser('at-once');
      settings = { ...settings, BROWSER: clicker('ada') };
      const printed = await Promise.all([run(), run(), run('--read-only'), run('--read-only')]);
      expect(new Set(printed.slice(0, 2)).size).toBe(1);
      expect(new Set(printed.slice(2)).size).toBe(1);
      expect(printed[2]).not.toBe(printed[0]);
      settings = { ...settings, BROWSER: '/bin/false' };
      await expect(run('--account', 'ada')).resolves.toBe(printed[0]);

      // All four processes find that the credentials expire soon. Only one of them may use the refresh token.
      const soon = Number(await readFile(settings['TEST_CLOCK'] ?? '', 'utf8')) + 0.8 * hourSeconds;
      await machine.moveTo(soon);
      const before = JSON.parse((await kept()).text).refresh_token;
      const renewed = await Promise.all([run(), run('--read-only'), run(), run('--read-only')]);
      expect(new Set([...printed, ...renewed]).size).toBe(4);
      expect(renewed.slice(0, 2)).toEqual(renewed.slice(2));
      expect(JSON.parse((await kept()).text).refresh_token).not.toBe(before);
      await machine.moveTo(soon + 0.8 * hourSeconds);
      expect(await run()).not.toBe(renewed[0]);
    });

    test('revokes the refresh token and deletes the file at sign-out', async () => {
      await newUser('out');
      settings = { ...settings, BROWSER: clicker('ada') };
      await run();
      const { refresh_token } = JSON.parse((await kept()).text);
      expect(await run('--sign-out')).toBe('');
      expect((await readdir(path.join(state, 'sluice'))).filter((name) => name.endsWith('.json'))).toEqual([]);
      const { issuer, data_client_id } = fixture.service.identity.people;
      const answer = await fetch(`${issuer}/oauth2/token`, {
        method: 'POST',
        body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token, client_id: data_client_id }),
      });
      expect(await answer.json()).toMatchObject({ error: 'invalid_grant' });
    });

    test.each([
      ["another user's account", ['--account', 'site-admin'], /AccessDenied/],
      ['a data proxy without https', ['--data-url', 'http://data.example.org'], /is not https/],
      ['an issuer by another name', () => ['--issuer', `${machine.given[1]}/`], /calls itself/],
      [
        'an issuer that does not answer',
        async () => ['--issuer', `http://127.0.0.1:${await findFreePort()}`],
        /does not answer/,
      ],
    ] as const)('cannot use %s, and gets a message without a stack trace', async (_, more, said) => {
      await newUser(`refused-${said.source.replaceAll(/\W/g, '')}`);
      settings = { ...settings, BROWSER: clicker('ada') };
      const failed = run(...(typeof more === 'function' ? await more() : more));
      const refusal = await refusalOf(failed);
      expect(refusal).toMatch(said);
      expect(refusal).not.toContain('Traceback');
    });

    test.each([
      ['another state', { code: 'x', state: 'y' }, /another sign-in/],
      ['an error', { error: 'access_denied' }, /nobody signed in/],
      ["another issuer's name", { code: 'x', iss: 'https://id.example.org' }, /another issuer/],
    ])(
      'is refused after an answer with %s, and a second answer finds a closed port',
      async (_, answer: Record<string, string>, said) => {
        await newUser(`answer-${Object.keys(answer).join('-')}`);
        const { url, callback, ended } = await beginSignIn(machine.given, settings);
        expect((await fetch(new URL('/favicon.ico', callback))).status).toBe(404);
        const byNumber = await fetch(new URL(callback.pathname, callback.href.replace('localhost', '127.0.0.1')));
        expect(byNumber.status).toBe(404);
        callback.search = String(new URLSearchParams({ state: url.searchParams.get('state') ?? '', ...answer }));
        expect((await fetch(callback)).status).toBe(200);
        const { status, stderr } = await ended;
        expect(status).toBe(1);
        expect(stderr).toMatch(said);
        // The sign-in of another test file may already use this port. Its server answers this request with 404 and
        // continues to wait.
        const root = new URL('/', callback);
        const metBySecond = () =>
          fetch(root).then(
            () => 'somebody',
            () => 'nobody',
          );
        await expect.poll(metBySecond).toBe('nobody');
      },
    );
  },
);
