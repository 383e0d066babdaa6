import { beforeEach, describe, expect, test } from 'vitest';
import { send } from '../../lib/local/http-client.ts';
import { roleArn } from '../../service/data-clients.ts';
import { expectExchangeError, expectS3Error } from '../../service/error-answers.ts';
import { seededService } from '../../service/seeded-service.ts';

/** Sends refused exchanges through the edge. `test/lib/sts/parse.test.ts` has every refused field and form. */

const service = await seededService();
beforeEach(() => {
  service.tableRequests.length = 0;
});

const form = 'application/x-www-form-urlencoded';

interface Sent {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
  body?: string;
}

function postTo(path: string, fields: Record<string, string> = {}, { headers = {}, body, ...sent }: Sent = {}) {
  const all = {
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: roleArn(),
    RoleSessionName: 'slice',
    WebIdentityToken: service.key,
    ...fields,
  };
  const text = body ?? new URLSearchParams(all).toString();
  return send(Number(new URL(service.dataUrl).port), {
    method: 'POST',
    path,
    headers: { 'content-type': form, 'content-length': Buffer.byteLength(text), ...headers },
    body: text,
    ...sent,
  });
}

const tooLarge = 'The request body must be at most 65536 bytes';
const shortForm = 'Action=AssumeRoleWithWebIdentity&Version=2011-06-15&x=';

// The path `/` serves clients that drop the path of the configured URL.
describe.each(['/.sts', '/.sts/', '/'])('an exchange at %s', (path) => {
  test.each<[string, Record<string, string>, Sent, string, string]>([
    ['a body of more than 64 KiB', {}, { body: 'a='.padEnd(65_537, 'x') }, 'ValidationError', tooLarge],
    ['a body above the limit of the edge', {}, { body: 'a='.padEnd(3e6, 'x') }, 'ValidationError', tooLarge],
    // The function reads a body of 64 KiB, and does not find a role in it.
    ['a missing role', {}, { body: shortForm.padEnd(65_536, 'x') }, 'ValidationError', 'RoleArn is missing'],
    [
      'bytes that are not UTF-8',
      {},
      { body: 'Version=2011-06-15&RoleArn=%ff' },
      'ValidationError',
      'The body has a broken percent-escape',
    ],
    [
      'a role that is no ARN',
      { RoleArn: 'FullAccess' },
      {},
      'ValidationError',
      'RoleArn must be arn:aws:iam::&lt;account ID&gt;:role/FullAccess, or the same with ReadOnly',
    ],
    [
      'a policy',
      { Policy: '{}' },
      {},
      'ValidationError',
      'Session policies are not supported; leave out Policy and PolicyArns (request id <request id>)',
    ],
    [
      'another action',
      { Action: 'AssumeRole' },
      {},
      'InvalidAction',
      'Action must be AssumeRoleWithWebIdentity or GetCallerIdentity',
    ],
  ])('refuses %s without a request to the table', async (_, fields, sent, code, message) => {
    expectExchangeError(await postTo(path, fields, sent), { status: 400, code, message });
    expect(service.tableRequests).toEqual([]);
  });

  test('refuses an unsigned GetCallerIdentity', async () => {
    expectExchangeError(await postTo(path, {}, { body: 'Action=GetCallerIdentity&Version=2011-06-15' }), {
      status: 403,
      code: 'MissingAuthenticationToken',
      message: 'GetCallerIdentity must be signed with the temporary credentials of an exchange',
    });
  });
});

test.each(['/.sts', '/.sts/'])('%s refuses other methods and other content types', async (path) => {
  const json = await postTo(path, {}, { headers: { 'content-type': 'application/json' } });
  const message = 'The request body must be a form: set content-type to application/x-www-form-urlencoded';
  expectExchangeError(json, { status: 400, code: 'ValidationError', message });
  for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
    const answer = await postTo(path, {}, { method });
    const refusal = {
      status: 405,
      code: 'MethodNotAllowed',
      message: 'The credential exchange takes POST requests only',
    };
    expectExchangeError(answer, refusal);
    expect(answer.headers['allow']).toBe('POST');
  }
});

test('a path below the exchange issues no credentials', async () => {
  const answer = await postTo('/.sts/more');
  expect(answer.status).not.toBe(200);
  expect(answer.body.toString()).not.toContain('SessionToken');
});

describe('the root path accepts no exchange', () => {
  const notOffered = {
    status: 501,
    code: 'NotImplemented',
    message: 'This operation is not supported; objects, lists, copies, tags and multipart uploads are.',
  };

  test.each<[string, () => Record<string, string>]>([
    ['with a body of JSON', () => ({ 'content-type': 'application/json' })],
    ['with a multipart body', () => ({ 'content-type': 'multipart/form-data; boundary=x' })],
    ['with a body without a content type', () => ({ 'content-type': '' })],
    [
      'with the host of an account',
      () => ({ host: `tide-institute.${new URL(service.dataUrl).host.replace('127.0.0.1', 'localhost')}` }),
    ],
  ])('%s', async (_, headers) => {
    expectS3Error(await postTo('/', {}, { headers: headers() }), notOffered, '/');
  });

  test.each([
    ['PUT', '/'],
    ['DELETE', '/'],
    ['POST', '/?delete'],
    ['POST', '/?Action=GetCallerIdentity'],
    ['POST', '//'],
    ['POST', '/%2E'],
  ])('for %s %s', async (method, path) => {
    const answer = await postTo('/', {}, { method, path });
    expect([answer.status, answer.headers['content-type']]).toEqual([501, 'application/xml']);
    expect(answer.body.toString()).toContain('<Error><Code>NotImplemented</Code>');
    expect(service.tableRequests).toEqual([]);
  });
});
