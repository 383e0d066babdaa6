import { beforeEach, describe, expect, test } from 'vitest';
import type { EdgeRequest } from '../../../lib/domain/data/decision.ts';
import { limits } from '../../../lib/domain/limits.ts';
import { parseExchangeRequest, parseForm } from '../../../lib/sts/parse.ts';
import { loadAgain } from '../../mutation/load-again.ts';
import {
  dataProxyUrl,
  ExchangeSetup,
  formBody,
  formRequest,
  requestId,
  roleArn,
  serviceAccountId,
} from './exchange-setup.ts';

type Parse = typeof import('../../../lib/sts/parse.ts');

let setup: ExchangeSetup;
beforeEach(() => {
  setup = new ExchangeSetup();
});

const keyInUrl = 'API key must be sent in the request body, not the URL';
const tokenInUrl = 'The web identity token must be sent in the request body, not the URL';
const form = 'application/x-www-form-urlencoded';

describe('the exchange refuses a secret in the URL before any other fault', () => {
  test.each<[string, (key: string) => Partial<EdgeRequest>, string]>([
    ['a key in the query', (key) => ({ rawQuery: `WebIdentityToken=${key}` }), keyInUrl],
    ['a key under another name', (key) => ({ rawQuery: `x=${key}` }), keyInUrl],
    ['a key percent-encoded', (key) => ({ rawQuery: `x=${key.replace('_', '%5F')}` }), keyInUrl],
    ['a key in the path', (key) => ({ rawPath: `/.sts/${key}` }), keyInUrl],
    ['a truncated key', (key) => ({ rawQuery: `WebIdentityToken=${key.slice(0, 20)}` }), keyInUrl],
    ['a truncated key after a line break', (key) => ({ rawQuery: `WebIdentityToken=%0A${key.slice(0, 9)}` }), keyInUrl],
    ['a key with GET', (key) => ({ method: 'GET', rawQuery: `Action=x&WebIdentityToken=${key}` }), keyInUrl],
    ['a key with DELETE', (key) => ({ method: 'DELETE', rawQuery: key }), keyInUrl],
    ['an identity token', () => ({ rawQuery: 'WebIdentityToken=a.b.c' }), tokenInUrl],
    ['an identity token with GET', () => ({ method: 'GET', rawQuery: 'a=b&webidentitytoken=a.b.c' }), tokenInUrl],
  ])('%s', async (_, change, message) => {
    const answer = await setup.send(formRequest('%', { headers: {}, ...change(setup.key) }));
    expect(answer).toMatchObject({ status: 400, code: 'ValidationError', message });
    expect(answer.body).not.toContain(setup.key.slice(4, 12));
    expect(setup.store.requests).toEqual([]);
  });
});

describe('the shape of a request', () => {
  test.each<[string, Partial<EdgeRequest>, number, string]>([
    ['GET', { method: 'GET' }, 405, 'MethodNotAllowed'],
    ['PUT', { method: 'PUT' }, 405, 'MethodNotAllowed'],
    ['another path', { rawPath: '/.sts/x' }, 404, 'ResourceNotFound'],
    ['a query', { rawQuery: 'Action=GetCallerIdentity' }, 400, 'ValidationError'],
    ['no content type', { headers: {} }, 400, 'ValidationError'],
    ['JSON', { headers: { 'content-type': 'application/json' } }, 400, 'ValidationError'],
    [
      'JSON of the newer AWS protocols',
      { headers: { 'content-type': 'application/x-amz-json-1.1' } },
      400,
      'ValidationError',
    ],
    ['a multipart form', { headers: { 'content-type': 'multipart/form-data; boundary=x' } }, 400, 'ValidationError'],
    ['another charset', { headers: { 'content-type': `${form}; charset=utf-16` } }, 400, 'ValidationError'],
    [
      'a body that the platform truncated',
      { body: { bytes: new Uint8Array(), truncated: true } },
      400,
      'ValidationError',
    ],
    ['a body over 64 KiB', { body: { bytes: new Uint8Array(65_537), truncated: false } }, 400, 'ValidationError'],
  ])('refuses %s', async (_, change, status, code) => {
    expect(await setup.exchange({}, change)).toMatchObject({ status, code });
    expect(setup.store.requests).toEqual([]);
  });

  test.each<[string, Partial<EdgeRequest>]>([
    ['a trailing slash', { rawPath: '/.sts/' }],
    ['no path', { rawPath: '/' }],
    ['a charset', { headers: { 'content-type': `${form}; charset=utf-8` } }],
    ['a charset in capitals', { headers: { 'content-type': `${form};charset=UTF-8` } }],
  ])('accepts %s', async (_, change) => {
    expect((await setup.exchange({}, change)).status).toBe(200);
  });

  test('a refused method gets the allowed method', async () => {
    expect((await setup.exchange({}, { method: 'GET' })).headers['allow']).toBe('POST');
  });

  test.each<[string, (body: string) => string | Uint8Array]>([
    ['a parameter given twice', (body) => `${body}&RoleSessionName=nightly`],
    ['the token given twice', (body) => `${body}&WebIdentityToken=x`],
    ['a parameter twice, once escaped', (body) => `${body}&%52oleArn=x`],
    ['an unknown parameter given twice', (body) => `${body}&X=1&X=1`],
    ['a percent sign alone', (body) => `${body}&X=%`],
    ['a broken escape', (body) => `${body}&X=%4g`],
    ['an escape that is not UTF-8', (body) => `${body}&X=%ff`],
    ['bytes that are not UTF-8', (body) => Buffer.concat([Buffer.from(`${body}&X=`), Buffer.from([0xff])])],
  ])('refuses %s', async (_, change) => {
    const answer = await setup.send(formRequest(change(formBody({}, setup.key))));
    expect(answer).toMatchObject({ status: 400, code: 'ValidationError' });
    expect(setup.store.requests).toEqual([]);
  });

  test('ignores empty pairs and unknown parameters', async () => {
    const answer = await setup.send(formRequest(`&&${formBody({}, setup.key)}&SourceRegion=eu&flag&`));
    expect(answer.status).toBe(200);
  });

  test.each<[string, Record<string, string | undefined>, string]>([
    ['no action', { Action: undefined }, 'InvalidAction'],
    ['another action', { Action: 'AssumeRole' }, 'InvalidAction'],
    ['an action in another case', { Action: 'assumerolewithwebidentity' }, 'InvalidAction'],
    ['the action under a lower-case name', { Action: undefined, action: 'AssumeRoleWithWebIdentity' }, 'InvalidAction'],
    ['the version under a lower-case name', { Version: undefined, version: '2011-06-15' }, 'InvalidAction'],
    ['the role under a lower-case name', { RoleArn: undefined, rolearn: roleArn }, 'ValidationError'],
    [
      'the session name under a lower-case name',
      { RoleSessionName: undefined, rolesessionname: 'ab' },
      'ValidationError',
    ],
    [
      'the token under a lower-case name',
      { WebIdentityToken: undefined, webidentitytoken: 'a.b.c' },
      'ValidationError',
    ],
    ['a policy under a lower-case name', { policy: '{}' }, 'ValidationError'],
    ['no version', { Version: undefined }, 'InvalidAction'],
    ['another version', { Version: '2010-05-08' }, 'InvalidAction'],
    ['no role', { RoleArn: undefined }, 'ValidationError'],
    ['no session name', { RoleSessionName: undefined }, 'ValidationError'],
    ['a session name of one character', { RoleSessionName: 'a' }, 'ValidationError'],
    ['a session name of 65 characters', { RoleSessionName: 'a'.repeat(65) }, 'ValidationError'],
    ['a session name with a slash', { RoleSessionName: 'a/b' }, 'ValidationError'],
    ['a session name with a line break', { RoleSessionName: 'ab\n' }, 'ValidationError'],
    ['a session name with markup', { RoleSessionName: '<b>' }, 'ValidationError'],
    ['no token', { WebIdentityToken: undefined }, 'ValidationError'],
    ['a token of white space', { WebIdentityToken: ' \n' }, 'ValidationError'],
    ['a policy', { Policy: '{}' }, 'ValidationError'],
    ['an empty policy', { Policy: '' }, 'ValidationError'],
    ['policy ARNs', { 'PolicyArns.member.1.arn': 'arn:aws:iam::aws:policy/ReadOnlyAccess' }, 'ValidationError'],
    ['policy ARNs in one', { PolicyArns: 'x' }, 'ValidationError'],
  ])('refuses %s', async (_, fields, code) => {
    expect(await setup.exchange(fields)).toMatchObject({ status: 400, code });
    expect(setup.store.requests).toEqual([]);
  });
});

describe('the role', () => {
  test.each(['aws', 'aws-cn', 'aws-us-gov'])('may be of the partition %s', async (partition) => {
    const answer = await setup.exchange({
      RoleArn: `arn:${partition}:iam::tide-institute--nightly-sync:role/ReadOnly`,
    });
    expect(answer.status).toBe(200);
  });

  test.each([
    ['another role name', 'arn:aws:iam::tide-institute--nightly-sync:role/Admin', /FullAccess and ReadOnly/],
    ['another case of it', 'arn:aws:iam::tide-institute--nightly-sync:role/fullaccess', /FullAccess and ReadOnly/],
    ['a path before it', 'arn:aws:iam::tide-institute--nightly-sync:role/x/FullAccess', /FullAccess and ReadOnly/],
    ['something after it', 'arn:aws:iam::tide-institute--nightly-sync:role/FullAccess ', /FullAccess and ReadOnly/],
    ['no name', 'arn:aws:iam::tide-institute--nightly-sync:role/', /RoleArn must be/],
    ['a user', 'arn:aws:iam::tide-institute--nightly-sync:user/FullAccess', /RoleArn must be/],
    ['another service', 'arn:aws:sts::tide-institute--nightly-sync:role/FullAccess', /RoleArn must be/],
    ['another partition', 'arn:aws-x:iam::tide-institute--nightly-sync:role/FullAccess', /RoleArn must be/],
    ['a region', 'arn:aws:iam:eu:tide-institute--nightly-sync:role/FullAccess', /RoleArn must be/],
    ['no account', 'arn:aws:iam:::role/FullAccess', /RoleArn must be/],
    ['a long account', `arn:aws:iam::${'a'.repeat(129)}:role/FullAccess`, /RoleArn must be/],
    ['an account with a separator of keys', 'arn:aws:iam::a#b:role/FullAccess', /RoleArn must be/],
    ['a line break', 'arn:aws:iam::tide-institute--nightly-sync:role/FullAccess\n', /RoleArn must be/],
    ['no ARN', 'FullAccess', /RoleArn must be/],
  ])('is refused with %s', async (_, RoleArn, message) => {
    const answer = await setup.exchange({ RoleArn });
    expect(answer).toMatchObject({ status: 400, code: 'ValidationError' });
    expect(answer.message).toMatch(message);
    expect(setup.store.requests).toEqual([]);
  });
});

test.each(['899', '43201', '0', '-1', '3600.5', '1e4', '', ' 3600', '0x384', '99999999', 'one hour'])(
  'a duration of %j is refused instead of limited',
  async (DurationSeconds) => {
    const answer = await setup.exchange({ DurationSeconds });
    expect(answer).toMatchObject({ status: 400, code: 'ValidationError' });
    expect(answer.message).toMatch(/900 to 43200/);
    expect(setup.store.requests).toEqual([]);
  },
);

describe('a request with several faults gets the first in this order', () => {
  const faults: [string, RegExp][] = [
    ['a secret in the URL', /not the URL$/],
    ['shape', /Policy/],
    ['checksum', /malformed/],
    ['role', /FullAccess and ReadOnly/],
    ['duration', /DurationSeconds/],
    ['lookup', /not accepted/],
  ];

  test.each(faults.map(([name], index) => [name, index] as const))('%s', async (_, first) => {
    setup.store.keys.clear();
    const answer = await setup.exchange(
      {
        ...(first === 1 ? { Policy: '{}' } : {}),
        ...(first <= 2 ? { WebIdentityToken: setup.key.slice(0, -1) } : {}),
        ...(first <= 3 ? { RoleArn: 'arn:aws:iam::a--b:role/Admin' } : {}),
        ...(first <= 4 ? { DurationSeconds: '1' } : {}),
      },
      first === 0 ? { rawQuery: setup.key, method: 'GET' } : {},
    );
    expect(answer.message).toMatch(faults[first]?.[1] ?? /never/);
    expect(setup.store.requests.length > 0).toBe(first === 5);
  });
});

test('the answer repeats no part of a refused token', async () => {
  for (const WebIdentityToken of [`${setup.key}x`, 'eyJhbGciOiJub25lIn0.secretsecret.x', 'plain-secret']) {
    const answer = await setup.exchange({ WebIdentityToken });
    expect(answer.body).not.toContain(WebIdentityToken.slice(4, 14));
    expect(answer.body).not.toContain('secret');
  }
});

test('every answer has the request ID in body and header and forbids storage', async () => {
  for (const answer of [
    await setup.exchange(),
    await setup.exchange({ Action: 'x' }),
    await setup.exchange({ RoleArn: 'x' }),
  ]) {
    expect(answer.element('RequestId')).toBe(requestId);
    expect(answer.headers).toMatchObject({ 'x-amz-request-id': requestId, 'cache-control': 'no-store' });
  }
});

test('an error has the form of an STS error', async () => {
  const { body } = await setup.exchange({ DurationSeconds: '1' });
  expect(body).toBe(
    '<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type><Code>ValidationError</Code>' +
      '<Message>DurationSeconds must be a whole number from 900 to 43200</Message></Error>' +
      `<RequestId>${requestId}</RequestId></ErrorResponse>\n`,
  );
});

test('escapes texts, and replaces characters that XML cannot contain', async () => {
  const audience = `${dataProxyUrl}/?a=<b>&'"\u0001`;
  const answer = await setup.send({ ...formRequest(formBody({}, setup.key)), requestId: '<&>' });
  expect(answer.element('RequestId')).toBe('&lt;&amp;&gt;');
  setup.dependencies.audience = () => audience;
  expect((await setup.exchange()).element('Audience')).toBe(`${dataProxyUrl}/?a=&lt;b&gt;&amp;&apos;&quot;\ufffd`);
});

describe('a parsed request', () => {
  const role = `arn:aws:iam::${serviceAccountId}:role/`;
  const body = (changes: Record<string, string> = {}) =>
    new URLSearchParams({
      ...{ Version: '2011-06-15', Action: 'AssumeRoleWithWebIdentity', RoleArn: `${role}ReadOnly` },
      ...{ RoleSessionName: 'a-job', WebIdentityToken: ' a.b.c\n', ...changes },
    }).toString();
  const sent = (text: string, changes: Partial<EdgeRequest> = {}): EdgeRequest => ({
    ...{ method: 'POST', rawPath: '/.sts', rawQuery: '', sourceIp: '192.0.2.1', requestId, distributionHost: '' },
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: { bytes: Buffer.from(text), truncated: false },
    ...changes,
  });
  const parsed = {
    action: 'AssumeRoleWithWebIdentity',
    role: { account_id: serviceAccountId, role: 'ReadOnly' },
    session_name: 'a-job',
    duration_seconds: undefined,
    identity: { kind: 'token', token: 'a.b.c' },
  };
  const { sessionDurationMinSeconds: shortest, sessionDurationMaxSeconds: longest, stsBodyBytesMax } = limits;
  const padding = (bytes: number) => sent(body().concat('&Other=').padEnd(bytes, 'a'));

  test.each<[string, EdgeRequest, object]>([
    ['has the token, the role, and the name of the session', sent(body()), parsed],
    [
      'has the shortest duration',
      sent(body({ DurationSeconds: `${shortest}` })),
      { ...parsed, duration_seconds: shortest },
    ],
    [
      'has the longest duration',
      sent(body({ DurationSeconds: `${longest}` })),
      { ...parsed, duration_seconds: longest },
    ],
    ['may be as long as the limit', padding(stsBodyBytesMax), parsed],
    ['may have fields without a value', sent(`&a&=b&b=&${body()}&`), parsed],
    ['may be about the caller', sent('Version=2011-06-15&Action=GetCallerIdentity'), { action: 'GetCallerIdentity' }],
  ])('%s', (_, request, expected) => {
    expect(parseExchangeRequest(request)).toEqual(expected);
  });

  test.each<[string, EdgeRequest, string]>([
    ['of one byte above the limit', padding(stsBodyBytesMax + 1), 'payload_too_large'],
    ['with a duration of one second less', sent(body({ DurationSeconds: `${shortest - 1}` })), 'invalid_request'],
    ['with a duration of one second more', sent(body({ DurationSeconds: `${longest + 1}` })), 'invalid_request'],
    ['with a duration in another form', sent(body({ DurationSeconds: '1e3' })), 'invalid_request'],
    ['without a content type', sent(body(), { headers: {} }), 'unsupported_media_type'],
    ['with a field without a name twice', sent(`${body()}&=a&=b`), 'invalid_request'],
  ])('%s is refused', (_, request, code) => {
    expect(() => parseExchangeRequest(request)).toThrow(expect.objectContaining({ code }));
  });

  test('has fields with the values of the form', () => {
    const fields = parseForm(Buffer.from('a&=b&c=&d=1=2&e%20f=+%2B'));
    expect([...fields]).toEqual([
      ['a', ''],
      ['', 'b'],
      ['c', ''],
      ['d', '1=2'],
      ['e f', ' +'],
    ]);
  });

  test('comes to one of the three paths and is UTF-8', async () => {
    const { parseExchangeRequest: parse } = await loadAgain<Parse>(
      new URL('../../../lib/sts/parse.ts', import.meta.url),
    );
    const accepted = ['/.sts', '/.sts/', '/', '', '/.sts/a'].filter((rawPath) => {
      try {
        return parse(sent(body(), { rawPath })).action === 'AssumeRoleWithWebIdentity';
      } catch {
        return false;
      }
    });
    expect(accepted).toEqual(['/.sts', '/.sts/', '/']);
    const latin1 = { bytes: Buffer.from(`${body()}&a=\u00e9`, 'latin1'), truncated: false };
    expect(() => parse(sent('', { body: latin1 }))).toThrow('The body must be UTF-8');
  });
});
