import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { GetObjectCommand, ListBucketsCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findFreePort, listenOnLoopback } from '../../lib/local/ports.ts';
import { seedNames } from '../../lib/local/seed.ts';
import { type Operation, routePath } from '../../lib/operations/operation.ts';
import { registry } from '../../lib/operations/registry.ts';
import { type Credentials, roleArn, s3Client, signIn } from '../service/data-clients.ts';
import { postExchange } from '../service/raw-exchange.ts';
import { userToken } from '../service/user-tokens.ts';
import { awsClis, readsEndpointSettings } from './fixtures/aws-cli.ts';
import { type ClientFixture, startClientFixture } from './fixtures/client-fixture.ts';
import {
  beginSignIn,
  clicker,
  credentialsScript,
  exportedBy,
  type PersonalMachine,
  prepareUser,
  python,
  secretsIn,
} from './fixtures/signed-in-user.ts';
import { bucket } from './fixtures/transfers.ts';

const execute = promisify(execFile);
/** An AWS CLI whose own files the test checks. */
const aws = awsClis.find((each) => !each.isMissing && readsEndpointSettings(each));

let fixture: ClientFixture;
let machine: PersonalMachine;
let settings: Record<string, string>;
/** The folder in which `sluice-credentials.py` stores the user's state in this test. */
let state: string;
let users = 0;

describe.skipIf(python.isMissing)(`a secret of sluice-credentials.py by ${python.title}`, { timeout: 120_000 }, () => {
  beforeAll(async () => {
    fixture = await startClientFixture();
    machine = await prepareUser(fixture);
  });
  beforeEach(() => {
    state = path.join(fixture.folder, `user-${users++}`);
    settings = { ...machine.settings, XDG_STATE_HOME: state };
  });
  afterAll(() => fixture.close());

  const run = (...more: string[]) => python.run([credentialsScript, ...machine.given, ...more], settings);

  /** Returns a new token for the refresh token in the file. The old refresh token then becomes invalid. */
  async function refresh(fields: Record<string, string> = {}) {
    const { issuer, data_client_id } = fixture.service.identity.people;
    const [refresh_token = ''] = await secretsIn(state);
    const body = { grant_type: 'refresh_token', refresh_token, client_id: data_client_id, ...fields };
    const answer = await fetch(`${issuer}/oauth2/token`, { method: 'POST', body: new URLSearchParams(body) });
    return (await answer.json()) as Record<'access_token' | 'id_token' | 'refresh_token' | 'error', string>;
  }

  test('gives no access to the management API or another account, and none at all after seventy minutes', async () => {
    await machine.moveTo(0);
    await run();
    settings = { ...settings, BROWSER: '/bin/false' };
    const inEnvironment = exportedBy(await run('--shell'));
    await aws?.run(['s3', 'ls', `s3://${bucket}/`], settings);
    const kept = await secretsIn(state);
    const { access_token, id_token, refresh_token } = await refresh();
    const tokens = [access_token, id_token, refresh_token, inEnvironment['AWS_SESSION_TOKEN'] ?? ''];
    const leaked = [...new Set([...kept, ...Object.values(inEnvironment), ...tokens])];
    expect(leaked.length).toBe(7);

    const id = inEnvironment['AWS_ACCESS_KEY_ID'] ?? '';
    const headers = [
      ...leaked.flatMap((secret) => [`Bearer ${secret}`, `${id} ${secret}`]),
      `Basic ${Buffer.from(`${id}:${inEnvironment['AWS_SECRET_ACCESS_KEY']}`).toString('base64')}`,
      `AWS4-HMAC-SHA256 Credential=${id}/20261122/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=${'0'.repeat(64)}`,
    ];
    const opened: string[] = [];
    for (const operation of registry) {
      const expected = operation.ignoresAuthorization ? await answerOf(operation) : 401;
      const statuses = await Promise.all(headers.map((header) => answerOf(operation, header)));
      for (const [index, status] of statuses.entries())
        if (status !== expected) opened.push(`${operation.name} ${headers[index]?.slice(0, 12)} ${status}`);
    }
    expect(opened).toEqual([]);
    // The site's token is accepted in the same request. So the service refused the other tokens because of their
    // content.
    const site = `Bearer ${await userToken(fixture.service, 'ada')}`;
    for (const operation of registry.filter(({ method }) => method === 'GET'))
      expect([operation.name, await answerOf(operation, site)]).not.toEqual([operation.name, 401]);

    for (const account of ['site-admin', seedNames.organization_id, seedNames.service_account_id]) {
      for (const token of leaked) {
        const { status, body } = await postExchange(fixture, {
          RoleArn: roleArn('FullAccess', account),
          WebIdentityToken: token,
        });
        expect([account, status, body.toString()]).toEqual([
          account,
          expect.toSatisfy(isRefusal),
          expect.stringMatching(refused),
        ]);
      }
    }

    // The token gives access only to data. The test uses it shortly before its end, because a token with less than a
    // minute left is refused.
    const lastMoment = endOf(access_token) - Date.now() / 1000 - 90;
    await machine.moveTo(lastMoment);
    const late = await signIn(fixture.service, access_token, { serviceAccountId: 'ada' });
    const put = (credentials: Credentials, seconds: number) =>
      s3Client(fixture.service, credentials, seconds).send(
        new PutObjectCommand({ Bucket: bucket, Key: 'raw-drafts/late.txt', Body: 'x' }),
      );
    await put(late, lastMoment);

    const over = 70 * 60 + 1;
    await machine.moveTo(over);
    const early = {
      accessKeyId: id,
      secretAccessKey: inEnvironment['AWS_SECRET_ACCESS_KEY'] ?? '',
      sessionToken: inEnvironment['AWS_SESSION_TOKEN'] ?? '',
    };
    for (const credentials of [early, late]) {
      const expired = { name: 'ExpiredToken' };
      await expect(put(credentials, over)).rejects.toMatchObject(expired);
      const s3 = () => s3Client(fixture.service, credentials, over);
      const read = s3().send(new GetObjectCommand({ Bucket: bucket, Key: 'raw-drafts/late.txt' }));
      await expect(read).rejects.toMatchObject(expired);
      await expect(s3().send(new ListBucketsCommand({}))).rejects.toMatchObject(expired);
    }
    for (const token of leaked.filter((each) => each !== refresh_token)) {
      const { status, body } = await postExchange(fixture, {
        RoleArn: roleArn('FullAccess', 'ada'),
        WebIdentityToken: token,
      });
      expect([status, body.toString()]).toEqual([expect.toSatisfy(isRefusal), expect.stringMatching(refused)]);
    }
  });

  test('gets tokens for data only, because the refresh token works for no other client, resource, or scope', async () => {
    await run();
    const { client_id } = fixture.service.identity.people;
    expect(await refresh({ client_id })).toMatchObject({ error: 'invalid_grant' });
    expect(await refresh({ resource: `urn:sluice:${client_id}` })).toMatchObject({ error: 'invalid_target' });
    expect(await refresh({ scope: 'openid aws.cognito.signin.user.admin' })).toMatchObject({
      error: 'invalid_scope',
    });
  });

  test('is in no other file of the user, in no argument of a program, and on no screen', async () => {
    const record = path.join(fixture.folder, 'processes');
    const recorder = path.join(fixture.folder, 'recorder.sh');
    await writeFile(
      recorder,
      `cat /proc/[0-9]*/cmdline /proc/self/environ > '${record}' 2>/dev/null\nexec ${clicker('ada').replace('%s', '"$1"')}\n`,
    );
    settings = { ...settings, BROWSER: `sh ${recorder} %s` };
    const { stderr } = await execute('/usr/bin/python3', [credentialsScript, ...machine.given], {
      env: { ...settings, PATH: process.env['PATH'] },
    });
    await aws?.run(['s3', 'ls', `s3://${bucket}/`], settings);
    const secrets = await secretsIn(state);
    const seen = await readFile(record, 'utf8');
    expect(seen).toContain('code_challenge=');
    for (const secret of secrets) for (const text of [seen, stderr]) expect(text).not.toContain(secret);
    const challenge = /code_challenge=([\w-]+)/.exec(stderr)?.[1];
    const verifiers = (seen.match(/[\w-]{43}/g) ?? []).filter(
      (text) => createHash('sha256').update(text).digest('base64url') === challenge,
    );
    expect(verifiers).toEqual([]);
    const files = await readdir(fixture.folder, { recursive: true, withFileTypes: true });
    for (const file of files.filter((each) => each.isFile() && !each.parentPath.endsWith('/sluice'))) {
      const text = await readFile(path.join(file.parentPath, file.name), 'utf8');
      for (const secret of secrets) expect(text.includes(secret), file.name).toBe(false);
    }
  });

  test('is readable by its owner only, with any umask of the shell', async () => {
    const args = ['-c', 'umask 000; exec /usr/bin/python3 "$@"', 'sh', credentialsScript, ...machine.given];
    await execute('sh', args, { env: { ...settings, PATH: process.env['PATH'] } });
    const folder = path.join(state, 'sluice');
    const modes = await Promise.all(
      ['', ...(await readdir(folder))].map(async (name) => (await stat(path.join(folder, name))).mode & 0o777),
    );
    expect(modes).toEqual([0o700, 0o600, 0o600]);
  });

  describe('comes only with an ID token for this sign-in', () => {
    const access_token = 'an-access-token-that-nobody-should-see';
    let issuer: string;
    let answerTo: (nonce: string) => object;
    let asked: URLSearchParams;
    let nonce: string;
    const server = createServer(async (incoming, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk);
      if (incoming.method === 'POST') asked = new URLSearchParams(Buffer.concat(chunks).toString());
      const endpoints = { authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` };
      response.end(JSON.stringify(incoming.method === 'POST' ? answerTo(nonce) : { issuer, ...endpoints }));
    });
    beforeAll(async () => {
      issuer = `http://127.0.0.1:${await listenOnLoopback(server, 0)}`;
    });
    afterAll(() => void server.close());

    const idToken = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.e30`;
    async function answered(answer: (good: Record<string, unknown>) => object) {
      answerTo = (of) => ({ access_token, ...answer({ iss: issuer, aud: 'tools', nonce: of }) });
      const args = ['--issuer', issuer, '--client-id', 'tools', '--data-url', fixture.dataUrl, '--account', 'ada'];
      const { url, callback, ended } = await beginSignIn(args, settings);
      nonce = url.searchParams.get('nonce') ?? '';
      callback.search = String(new URLSearchParams({ state: url.searchParams.get('state') ?? '', code: 'the-code' }));
      await fetch(callback);
      return { url, callback, ...(await ended) };
    }

    test.each<[string, (good: Record<string, unknown>) => object]>([
      ['another nonce', (good) => ({ id_token: idToken({ ...good, nonce: 'x' }) })],
      ['no nonce', ({ nonce: _, ...good }) => ({ id_token: idToken(good) })],
      ['another issuer', (good) => ({ id_token: idToken({ ...good, iss: 'https://id.example.org' }) })],
      ['another client', (good) => ({ id_token: idToken({ ...good, aud: 'another' }) })],
      ['other clients', (good) => ({ id_token: idToken({ ...good, aud: ['another', 'third'] }) })],
      ['no claims', () => ({ id_token: 'not.a.token' })],
      ['nothing', () => ({})],
    ])('refuses an ID token that names %s', async (_, answer) => {
      const { status, stdout, stderr } = await answered(answer);
      expect([status, stdout]).toEqual([1, '']);
      expect(stderr).toContain('is for another sign-in');
      expect(stderr).not.toContain(access_token);
      expect((await readdir(path.join(state, 'sluice'))).filter((name) => name.endsWith('.json'))).toEqual([]);
    });

    test('sends a code that only this sign-in can use', async () => {
      const { url, callback, stderr } = await answered((good) => ({ id_token: idToken(good) }));
      // The request reaches the credential exchange, which does not know the token's issuer.
      expect(stderr).toContain('InvalidIdentityToken');
      expect(stderr).not.toContain(access_token);
      expect(asked.get('code')).toBe('the-code');
      expect(asked.get('redirect_uri')).toBe(`${callback.origin}${callback.pathname}`);
      const challenge = createHash('sha256')
        .update(asked.get('code_verifier') ?? '')
        .digest('base64url');
      expect(url.searchParams.get('code_challenge')).toBe(challenge);
    });
  });

  describe('comes by a redirect to this machine only', () => {
    const status = (host: string, to: URL) =>
      new Promise<number | string | undefined>((resolve) => {
        const headers = { host: to.host };
        request({ host, port: to.port, path: to.pathname + to.search, headers, timeout: 5000 }, (answer) =>
          resolve(answer.resume().statusCode),
        )
          .on('error', ({ code }: NodeJS.ErrnoException) => resolve(code))
          .end();
      });
    const addresses = Object.values(networkInterfaces()).flatMap((each = []) => each);

    test('on the IPv4 and IPv6 addresses of localhost, and on no other IP address', async () => {
      const { callback, ended } = await beginSignIn(machine.given, settings);
      for (const { address, scopeid, internal } of addresses.filter((each) => !each.internal))
        expect([internal, await status(scopeid ? `${address}%${scopeid}` : address, callback)]).toEqual([
          false,
          'ECONNREFUSED',
        ]);
      const loopback = addresses.filter(({ internal }) => internal).map(({ address }) => address);
      const elsewhere = new URL('/', callback);
      for (const address of loopback) expect([address, await status(address, elsewhere)]).toEqual([address, 404]);
      callback.search = '?state=another';
      expect(await status(loopback.at(-1) ?? '', callback)).toBe(200);
      expect((await ended).stderr).toContain('another sign-in');
    });

    test('on another port when another program listens on one of the two addresses', async () => {
      const chosen = (...ports: number[]) =>
        python.run([
          // Prevents Python from writing bytecode files beside the script.
          '-B',
          '-c',
          `import importlib.util as u; s = u.spec_from_file_location("s", "${credentialsScript}"); m = u.module_from_spec(s); s.loader.exec_module(m)
m.CALLBACK_PORTS = ${JSON.stringify(ports)}
try:
    with m.Listener() as listener: print(listener.port)
except m.Failure as failure: print(failure)`,
        ]);
      for (const host of addresses.filter(({ internal }) => internal).map(({ address }) => address)) {
        const other = createSocketServer().listen(0, host);
        await once(other, 'listening');
        const { port: taken } = other.address() as AddressInfo;
        const free = await findFreePort();
        expect(await chosen(taken, free)).toBe(`${free}\n`);
        expect(await chosen(taken)).toContain('are all taken');
        other.close();
      }
    });
  });
});

const refused = /<Code>(?:AccessDenied|InvalidIdentityToken|ExpiredTokenException)<\/Code>/;
const isRefusal = (status: number) => status === 400 || status === 403;

/** Returns the expiry of a token in seconds since the Unix epoch. */
function endOf(token: string): number {
  const [, claims = ''] = token.split('.');
  return JSON.parse(Buffer.from(claims, 'base64url').toString()).exp;
}

/** Returns the status of a request. The request's path names an existing resource that `ada` manages. */
async function answerOf(operation: Operation, authorization?: string): Promise<number> {
  const ids: Record<string, string> = {
    account_id: seedNames.organization_id,
    repository_id: seedNames.private_repository_id,
    data_connection_id: seedNames.data_connection_id,
    service_account_id: seedNames.service_account_id,
  };
  const filled = routePath(operation).replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? 'some-id');
  const answer = await fetch(fixture.service.apiUrl + filled, {
    method: operation.method === 'ANY' ? 'POST' : operation.method,
    headers: authorization === undefined ? {} : { authorization },
    ...(operation.body === undefined ? {} : { body: '{}' }),
  });
  await answer.body?.cancel();
  return answer.status;
}
