import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRequestLog } from '../../lib/lambda/log.ts';
import type { LocalLogLine } from '../../lib/local/service-options.ts';
import type { AccessLogEntry } from '../../lib/local/web-server.ts';
import { lookAtTable } from '../functions/table-items.ts';
import { connection, repository } from '../functions/users.ts';
import { startTestService, type TestService } from '../service/test-service.ts';
import { userToken } from '../service/user-tokens.ts';
import { watchRequests } from '../service/watched-requests.ts';

/** Markers in every text that a caller sends, one for each part of a request. */
const markers = ['marker-of-a-body', 'marker-of-a-query', 'marker-of-a-header', 'marker-of-an-item'];
const storageSecret = 'the-secret-of-the-storage';

const table = lookAtTable();
let service: TestService;
let isTableDown = false;
/** All output of the process during the scenario, and every line that the service logged. */
let written = '';
const logged: LocalLogLine[] = [];
const shown: AccessLogEntry[] = [];
const secrets = new Set<string>([storageSecret]);
const requestIds: string[] = [];
const statuses = new Set<number>();

const streams = [process.stdout, process.stderr];
const writers = streams.map((stream) => stream.write);

function capture(): void {
  for (const stream of streams) {
    stream.write = (chunk: string | Uint8Array) => {
      written += Buffer.from(chunk).toString('utf8');
      return true;
    };
  }
}

function release(): void {
  for (const [index, stream] of streams.entries()) stream.write = writers[index] ?? stream.write;
}

async function request(method: string, path: string, { authorization = '', body = '', headers = {} } = {}) {
  const answer = await fetch(`${service.apiUrl}${path.startsWith('/health') ? '' : '/api/v1'}${path}`, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(authorization === '' ? {} : { authorization }),
      ...headers,
    },
    ...(body === '' ? {} : { body }),
  });
  requestIds.push(answer.headers.get('apigw-requestid') ?? 'none');
  statuses.add(answer.status);
  const text = await answer.text();
  return text === '' ? {} : JSON.parse(text);
}

/** Creates a caller whose requests all contain markers. */
async function user(sub: string) {
  const token = await userToken(service, sub);
  for (const part of token.split('.')) secrets.add(part);
  return (method: string, path: string, body?: unknown, headers = {}) =>
    request(method, `${path}?cursor-of=marker-of-a-query`, {
      authorization: `Bearer ${token}`,
      body: body === undefined ? '' : JSON.stringify(body),
      headers: {
        'x-note': 'marker-of-a-header',
        'user-agent': 'marker-of-a-header',
        cookie: 'id=marker-of-a-header',
        ...headers,
      },
    });
}

beforeAll(async () => {
  const logRequest = createRequestLog();
  service = await startTestService({
    tableName: table.tableName,
    log: (line) => {
      // Events to the owners of an account go to the event bus, not to the log.
      if ('event' in line) return;
      // Only the terminal of the local service shows paths. A deployment has no such output.
      if ('access' in line) return void shown.push(line.access);
      logged.push(line);
      // Request lines go to the log as in a deployment. All other lines go to stderr as on one machine.
      if ('operation' in line) logRequest(line);
      else console.error(line);
    },
    instrument: watchRequests(() => {
      if (isTableDown) throw new Error('the table does not answer');
    }).instrument,
  });
  capture();
  try {
    await runScenario();
  } finally {
    release();
  }
}, 60_000);
afterAll(() => service.close());

async function runScenario(): Promise<void> {
  const note = 'marker-of-a-body';
  const admin = await user('admin');
  await admin('POST', '/accounts', { account_id: 'site-admin', account_type: 'user', profile: { bio: note } });
  await admin('POST', '/accounts', { account_id: 'tides', account_type: 'organization', profile: { name: note } });
  await admin('PUT', '/accounts/tides/profile', { location: note });
  const authentication = { type: 's3_access_key', access_key_id: 'AKIDEXAMPLE', secret_access_key: storageSecret };
  await admin('POST', '/data-connections', connection('store-one', { name: note, authentication }));
  await admin('GET', '/data-connections/store-one');
  await admin('PUT', '/data-connections/store-one', connection('store-one', { name: note, authentication }));
  await admin(
    'POST',
    '/repositories/tides',
    repository('gauges', { meta: { title: note, description: note, tags: note } }),
    {
      'idempotency-key': 'marker-of-a-header',
    },
  );
  await admin('POST', '/accounts/tides/service-accounts', { name: 'sync', description: note });
  await admin('PUT', '/service-accounts/tides--sync/grants/gauges', { access: 'read' });

  const { key } = await admin('POST', '/service-accounts/tides--sync/keys', { label: note, expiry: '30d' });
  secrets.add(key);
  const apiKey = { name: note, expires: '2090-01-01T00:00:00Z' };
  for (const path of ['/accounts/tides/api-keys', '/repositories/tides/gauges/api-keys']) {
    const { access_key_id, secret_access_key } = await admin('POST', path, apiKey);
    secrets.add(secret_access_key);
    const authorization = `${access_key_id} ${secret_access_key}`;
    await request('GET', '/whoami', { authorization });
    await request('GET', '/accounts/tides', { authorization });
    await request('GET', '/whoami', { authorization: `${authorization}x` });
  }
  await admin('GET', '/accounts/tides/api-keys');

  // Refusals of every kind.
  await admin('POST', '/accounts', { account_id: note, account_type: note, [note]: note });
  await admin('PUT', '/accounts/tides/flags', [note]);
  await admin('GET', '/accounts/marker-of-a-query');
  await request('GET', '/accounts/tides/api-keys?limit=marker-of-a-query');
  await request('GET', '/repositories?cursor=marker-of-a-query');
  await request('POST', '/accounts', { authorization: 'Bearer marker-of-a-header' });
  await request('POST', '/service-account-keys/revocations', { body: `{"key": "${note}", broken` });
  await request('POST', '/service-account-keys/revocations', { body: note, headers: { 'content-type': note } });
  await request('POST', '/service-account-keys/revocations', { body: note.repeat(8192) });
  await request('POST', '/service-account-keys/revocations', { body: `{"__proto__": "${note}"}` });
  await request('GET', `/marker-of-a-query/${key}?key=${key}`);
  await request('GET', '/health');

  // Requests of the data proxy: an exchange, an exchange with the key in the URL, and an invalid signature.
  const exchange = new URLSearchParams({
    Version: '2011-06-15',
    Action: 'AssumeRoleWithWebIdentity',
    RoleArn: 'arn:aws:iam::tides--sync:role/FullAccess',
    RoleSessionName: 'marker-of-a-body',
    WebIdentityToken: key,
  });
  const issued = await (await fetch(`${service.dataUrl}/.sts`, { method: 'POST', body: exchange })).text();
  for (const name of ['SecretAccessKey', 'SessionToken']) {
    secrets.add(issued.match(new RegExp(`<${name}>([^<]+)<`))?.[1] ?? 'missing');
  }
  await fetch(`${service.dataUrl}/.sts?${exchange}`);
  await fetch(`${service.dataUrl}/tides/gauges/marker-of-a-query?x-id=marker-of-a-query`, {
    headers: { authorization: 'AWS4-HMAC-SHA256 marker-of-a-header' },
  });
  await request('POST', '/service-account-keys/revocations', { body: JSON.stringify({ key }) });

  // Internal errors: an item of the table that does not parse, and a table that does not answer.
  const account = await table.find('ACCOUNT#tides', 'ACCOUNT');
  await table.putAll([
    { ...account, pk: 'ACCOUNT#broken', account_type: 'marker-of-an-item', profile: { url: 'marker-of-an-item' } },
  ]);
  await admin('GET', '/accounts/broken');
  isTableDown = true;
  await admin('PUT', '/accounts/tides/profile', { bio: note });
  await request('GET', '/repositories?cursor=marker-of-a-query');
  isTableDown = false;
}

describe('after requests of every kind,', () => {
  test('the scenario contains refusals and failures of all kinds', () => {
    expect([...statuses].toSorted((a, b) => a - b)).toEqual([200, 201, 204, 400, 401, 403, 404, 413, 415, 500]);
    expect(secrets.size).toBeGreaterThanOrEqual(9);
    expect(secrets).not.toContain('missing');
  });

  test('the log and the output contain no secret and no text from callers', () => {
    const seen = written + inspect(logged, { depth: 20 });
    expect(written).toContain('the table does not answer');
    for (const [index, secret] of [...secrets].entries()) {
      expect(seen.includes(secret), `secret ${index} is logged`).toBe(false);
      // A part of the secret that identifies it must also not be logged.
      expect(seen.includes(secret.slice(-24)), `a part of secret ${index} is logged`).toBe(false);
    }
    for (const marker of markers) expect(seen).not.toContain(marker);
    expect(seen).not.toMatch(/Bearer|authorization|sck_/i);
  });

  test('the terminal of the local service shows paths without queries and without secrets', () => {
    expect(shown.length).toBeGreaterThanOrEqual(requestIds.length);
    const text = inspect(shown, { depth: 20, maxArrayLength: null });
    for (const [index, secret] of [...secrets].entries())
      expect(text.includes(secret.slice(-24)), `a part of secret ${index} is shown`).toBe(false);
    expect(text).not.toMatch(/\?|Bearer|sck_|marker-of-a-body|marker-of-a-header|marker-of-an-item/);
    expect(shown.map(({ path }) => path)).toContain('(a URL with a key in it)');
  });

  test('each request has one log line with only its ID, operation, caller, status, and duration', () => {
    const requests = logged.filter((line) => 'operation' in line);
    expect(requests.map(({ request_id }) => request_id).toSorted()).toEqual(requestIds.toSorted());
    for (const line of requests) {
      expect(line).toEqual({
        request_id: expect.any(String),
        operation: expect.stringMatching(/^[a-z-]+$/),
        caller_account_id: line.caller_account_id === null ? null : expect.stringMatching(/^(?:site-admin|tides)$/),
        caller_kind:
          line.caller_account_id === null
            ? expect.stringMatching(/^(?:anonymous|user)$/)
            : expect.stringMatching(/^(?:user|api_key)$/),
        status: expect.any(Number),
        duration_ms: expect.any(Number),
        ...(line.status === 500 ? { cause: expect.any(Error) } : {}),
      });
      expect(line.duration_ms).toBeGreaterThanOrEqual(0);
    }
  });

  test('the log names the caller of a refused and of an accepted request', () => {
    const refused = logged.filter((line) => 'operation' in line && line.status === 403);
    expect(refused).not.toHaveLength(0);
    for (const line of refused) expect(line).toMatchObject({ caller_account_id: 'tides' });
    const unknown = logged.filter((line) => 'operation' in line && line.status === 401);
    for (const line of unknown) expect(line).toMatchObject({ caller_account_id: null });
  });

  test('the log has one structured line for each request, in addition to metrics', () => {
    const lines = written
      .split('\n')
      .filter((line) => line.startsWith('{"'))
      .map((line) => JSON.parse(line));
    const structured = lines.filter((line) => line.message === 'request');
    expect(structured.map((line) => line.request_id).toSorted()).toEqual(requestIds.toSorted());
    for (const line of structured) expect(line.level).toBe(line.status === 500 ? 'ERROR' : 'INFO');
  });
});
