import { inspect } from 'node:util';
import { beforeEach, describe, expect, test } from 'vitest';
import { send } from '../lib/local/http-client.ts';
import { ciToken } from '../service/data-clients.ts';
import { expectExchangeError, expectProblem, expectS3Error } from '../service/error-answers.ts';
import { seededService } from '../service/seeded-service.ts';
import { userToken } from '../service/user-tokens.ts';

const service = await seededService();
const dataPort = Number(new URL(service.dataUrl).port);
beforeEach(() => {
  service.tableRequests.length = 0;
});

const message = 'API key must be sent in the request body, not the URL';

function percentEncoded(text: string): string {
  return [...text].map((character) => `%${character.charCodeAt(0).toString(16)}`).join('');
}

/** Spellings of a key in a URL that a careless client or user sends. */
const spellings: [string, (key: string) => string][] = [
  ['as it is', (key) => key],
  ['with its underscore percent-encoded', (key) => key.replace('_', '%5F')],
  ['percent-encoded throughout', percentEncoded],
  ['percent-encoded twice', (key) => encodeURIComponent(percentEncoded(key))],
  ['cut short by its checksum', (key) => key.slice(0, 34)],
  ['inside other text', (key) => `before${key}after`],
];

const managementPaths: [string, (key: string) => string][] = [
  ['GET', (key) => `/api/v1/accounts/${key}`],
  ['GET', (key) => `/api/v1/repositories/tide-institute/${key}`],
  ['GET', (key) => `/api/v1/whoami?key=${key}`],
  ['GET', (key) => `/api/v1/whoami?${key}`],
  ['GET', (key) => `/health?token=${key}`],
  ['PUT', (key) => `/nothing/${key}`],
  ['GET', (key) => `/nothing/at/${key}`],
  ['DELETE', (key) => `/api/v1/service-accounts/tide-institute--nightly-sync/keys/${key}`],
  ['POST', (key) => `/api/v1/service-account-keys/revocations?key=${key}`],
  ['POST', (key) => `/api/v1/service-account-keys/revocations/${key}`],
];

describe.each(spellings)('a key %s', (_, spell) => {
  test('is refused in every URL of the management API, for every caller', async () => {
    const bearer = { authorization: `Bearer ${await userToken(service, 'ada')}` };
    for (const [method, path] of managementPaths) {
      for (const headers of [{}, bearer, { authorization: 'Bearer x' }]) {
        const answer = await service.anyone(method, service.apiUrl + path(spell(service.key)), undefined, headers);
        expectProblem(answer, { status: 400, code: 'secret_in_url', detail: message });
      }
    }
    expect(service.tableRequests).toEqual([]);
  });

  test.each([
    (key: string) => `/${key}`,
    (key: string) => `/nothing/${key}`,
    (key: string) => `/tide-institute/tide-gauges/${key}`,
    (key: string) => `/tide-institute/tide-gauges?path=${key}`,
    (key: string) => `/-/search?q=${key}`,
  ])('is refused in the URL of a page by a page that does not repeat it: %o', async (path) => {
    const answer = await fetch(service.apiUrl + path(spell(service.key)));
    const text = await answer.text();
    expect([answer.status, answer.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8']);
    expect(text).not.toContain(service.key.slice(4, 34));
    expect(service.tableRequests).toEqual([]);
  });

  test.each([
    ['GET', (key: string) => `/tide-institute/tide-gauges/${key}`],
    ['PUT', (key: string) => `/tide-institute/raw-drafts/${key}`],
    ['DELETE', (key: string) => `/${key}/raw-drafts/x`],
    ['POST', (key: string) => `/tide-institute/raw-drafts/x?uploads&key=${key}`],
    ['GET', (key: string) => `/tide-institute?list-type=2&prefix=${key}`],
    ['GET', (key: string) => `/?AWSAccessKeyId=${key}&Signature=x`],
    ['GET', (key: string) => `/?Action=AssumeRoleWithWebIdentity&WebIdentityToken=${key}`],
    ['POST', (key: string) => `/?Action=AssumeRoleWithWebIdentity&WebIdentityToken=${key}`],
    ['POST', (key: string) => `/?${key}`],
    ['GET', (key: string) => `/tide-institute/tide-gauges/x?X-Amz-Security-Token=${key}`],
    ['GET', (key: string) => `/tide-institute/tide-gauges/x?x-id=${key}`],
    ['GET', (key: string) => `/tide-institute/tide-gauges/x?x-id=GetObject&x-id=${key}`],
    ['PATCH', (key: string) => `/${key}`],
    ['GET', (key: string) => `/.health?key=${key}`],
  ])('is refused in a URL of the data proxy and not repeated: %s %o', async (method, path) => {
    const answer = await send(dataPort, { method, path: path(spell(service.key)) });
    // The error names the path only if the key is in the query, not in the path.
    const [resource = ''] = path('').split('?');
    const isInPath = path('\n').split('?')[0]?.includes('\n');
    expectS3Error(answer, { status: 400, code: 'InvalidRequest', message }, isInPath ? undefined : resource);
    expect(service.tableRequests).toEqual([]);
  });

  test.each(['/.sts?WebIdentityToken=', '/.sts/?Action=AssumeRoleWithWebIdentity&WebIdentityToken=', '/.sts?x='])(
    'is refused in a URL of the exchange, with any method: %s',
    async (start) => {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
        const answer = await send(dataPort, { method, path: start + spell(service.key) });
        expectExchangeError(answer, { status: 400, code: 'ValidationError', message });
      }
      expect(service.tableRequests).toEqual([]);
    },
  );
});

test.each(['/.sts', '/.sts/', '/', '/tide-institute', '/tide-institute/tide-gauges/x'])(
  'a CI token in a URL is refused at %s',
  async (target) => {
    const token = await ciToken(service);
    const path = `${target}?Action=AssumeRoleWithWebIdentity&Version=2011-06-15&WebIdentityToken=${token}`;
    const message = 'The web identity token must be sent in the request body, not the URL';
    for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const answer = await send(dataPort, { method, path, headers });
      if (target.startsWith('/.sts')) expectExchangeError(answer, { status: 400, code: 'ValidationError', message });
      else expectS3Error(answer, { status: 400, code: 'InvalidRequest', message }, target);
    }
    expect(service.tableRequests).toEqual([]);
  },
);

test('the key stays valid, and no log line contains it', async () => {
  const body = { key: `${service.key}x` };
  expect((await service.anyone('POST', '/service-account-keys/revocations', body)).status).toBe(400);
  const logged = inspect(service.logged, { depth: null, maxArrayLength: null, maxStringLength: null });
  expect(service.logged.length).toBeGreaterThan(100);
  expect(logged).not.toContain(service.key.slice(4, 34));
  expect(logged).not.toContain('sck');
  expect(logged.toLowerCase()).not.toContain(percentEncoded(service.key.slice(0, 8)).toLowerCase());
  expect(logged).not.toMatch(/[?&]|Bearer/);
  // The terminal on one machine shows paths. The log of a deployment contains none.
  const deployed = service.logged.filter((line) => !(typeof line === 'object' && line !== null && 'access' in line));
  expect(inspect(deployed, { depth: null, maxArrayLength: null })).not.toMatch(/tide-gauges/);
});
