import { beforeEach, describe, expect, test } from 'vitest';
import { issueServiceAccountKey } from '../../../lib/domain/service-accounts/service-account-key.ts';
import { systemRandom } from '../../../lib/lambda/random.ts';
import { send } from '../../lib/local/http-client.ts';
import { roleArn } from '../../service/data-clients.ts';
import { expectExchangeError, expectS3Error } from '../../service/error-answers.ts';
import { seededService } from '../../service/seeded-service.ts';

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

const invalid = (message: string) => ({ status: 400, code: 'ValidationError', message });

function changed(key: string, index: number): string {
  return key.slice(0, index) + (key[index] === 'a' ? 'b' : 'a') + key.slice(index + 1);
}

// The path `/` serves clients that drop the path of the configured URL.
describe.each(['/.sts', '/.sts/', '/'])('an exchange at %s', (path) => {
  const post = (fields: Record<string, string> = {}, sent: Sent = {}) => postTo(path, fields, sent);

  test.each(Array.from({ length: 9 }, (_, step) => 4 + 4 * step))(
    'a key with character %d changed is malformed, which is known without a request to the table',
    async (index) => {
      expectExchangeError(await post({ WebIdentityToken: changed(service.key, index) }), {
        status: 400,
        code: 'InvalidIdentityToken',
        message: 'API key is malformed; check that it was copied whole (request id <request id>)',
      });
      expect(service.tableRequests).toEqual([]);
    },
  );

  test('a body of more than 64 KiB is refused, and one beyond what the edge includes too', async () => {
    const tooLarge = invalid('The request body must be at most 65536 bytes');
    expectExchangeError(await post({}, { body: 'a='.padEnd(65_537, 'x') }), tooLarge);
    expectExchangeError(await post({}, { body: 'a='.padEnd(3_000_000, 'x') }), tooLarge);
  });

  test('a body of 64 KiB is read', async () => {
    const body = new URLSearchParams({ Action: 'AssumeRoleWithWebIdentity', Version: '2011-06-15', x: '' }).toString();
    expectExchangeError(await post({}, { body: body.padEnd(65_536, 'x') }), invalid('RoleArn is missing'));
  });

  test.each([
    ['a broken escape', 'Version=2011-06-15&RoleArn=%zz', 'The body has a broken percent-escape'],
    ['bytes that are not UTF-8', 'Version=2011-06-15&RoleArn=%ff', 'The body has a broken percent-escape'],
    ['a parameter twice', 'Version=2011-06-15&Version=2011-06-15', 'A parameter must not be given twice'],
  ])('a form with %s is refused', async (_, body, message) => {
    expectExchangeError(await post({}, { body }), invalid(message));
  });

  test.each<[string, Record<string, string>, string]>([
    [
      'another role',
      { RoleArn: roleArn('Administrator') },
      'RoleArn must name one of the roles FullAccess and ReadOnly',
    ],
    [
      'a role that is no ARN',
      { RoleArn: 'FullAccess' },
      'RoleArn must be arn:aws:iam::&lt;account ID&gt;:role/FullAccess, or the same with ReadOnly',
    ],
    [
      'a policy',
      { Policy: '{}' },
      'Session policies are not supported; leave out Policy and PolicyArns (request id <request id>)',
    ],
    [
      'policy ARNs',
      { 'PolicyArns.member.1.arn': 'x' },
      'Session policies are not supported; leave out Policy and PolicyArns (request id <request id>)',
    ],
    ['an empty token', { WebIdentityToken: ' \n' }, 'WebIdentityToken is empty; check the token file'],
    [
      'a fraction of a second',
      { DurationSeconds: '900.5' },
      'DurationSeconds must be a whole number from 900 to 43200',
    ],
    ['no duration', { DurationSeconds: '' }, 'DurationSeconds must be a whole number from 900 to 43200'],
    [
      'a session name with a slash',
      { RoleSessionName: 'a/b' },
      'RoleSessionName must be 2 to 64 letters, digits and characters of _+=,.@-',
    ],
  ])('%s is refused', async (_, fields, message) => {
    expectExchangeError(await post(fields), invalid(message));
    expect(service.tableRequests).toEqual([]);
  });

  test('another action or version is refused', async () => {
    expectExchangeError(await post({ Action: 'AssumeRole' }), {
      status: 400,
      code: 'InvalidAction',
      message: 'Action must be AssumeRoleWithWebIdentity or GetCallerIdentity',
    });
    expectExchangeError(await post({ Version: '2010-01-01' }), {
      status: 400,
      code: 'InvalidAction',
      message: 'Version must be 2011-06-15',
    });
  });

  test('an unsigned GetCallerIdentity is refused', async () => {
    const body = 'Action=GetCallerIdentity&Version=2011-06-15';
    expectExchangeError(await post({}, { body }), {
      status: 403,
      code: 'MissingAuthenticationToken',
      message: 'GetCallerIdentity must be signed with the temporary credentials of an exchange',
    });
  });

  test('a key that was never issued is not accepted', async () => {
    expectExchangeError(await post({ WebIdentityToken: issueServiceAccountKey(systemRandom) }), {
      status: 400,
      code: 'InvalidIdentityToken',
      message: 'API key was not accepted (request id <request id>)',
    });
  });

  test('a request under another host is misdirected', async () => {
    const answer = await post({}, { headers: { host: 'data.example.org', 'content-type': form } });
    expect(answer.status).toBe(421);
    expect(answer.body.toString()).toMatch(
      /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<Error><Code>MisdirectedRequest<\/Code><Message>This server answers on this machine only: use 127\.0\.0\.1 or localhost as the host of the URL\.<\/Message><RequestId>[\w-]{56}<\/RequestId><\/Error>$/,
    );
  });
});

describe.each(['/.sts', '/.sts/'])('what is no form or no POST at %s', (path) => {
  test.each(['application/json', 'text/plain', 'multipart/form-data', `${form};charset=iso-8859-1`, ''])(
    'a body of the type "%s" is refused',
    async (type) => {
      const message = 'The request body must be a form: set content-type to application/x-www-form-urlencoded';
      expectExchangeError(await postTo(path, {}, { headers: { 'content-type': type } }), invalid(message));
    },
  );

  test.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS'])('the method %s is not taken', async (method) => {
    const answer = await postTo(path, {}, { method });
    expectExchangeError(answer, {
      status: 405,
      code: 'MethodNotAllowed',
      message: 'The credential exchange takes POST requests only',
    });
    expect(answer.headers['allow']).toBe('POST');
  });
});

test('a path below the exchange is not it', async () => {
  const answer = await postTo('/.sts/more');
  expect(answer.status).not.toBe(200);
  expect(answer.body.toString()).not.toContain('SessionToken');
});

describe('at /, what is no exchange stays a request for objects', () => {
  const notOffered = {
    status: 501,
    code: 'NotImplemented',
    message: 'This operation is not supported; objects, lists, copies, tags and multipart uploads are.',
  };

  test.each(['application/json', 'text/plain', 'multipart/form-data; boundary=x', ''])(
    'a body of the type "%s"',
    async (type) => {
      expectS3Error(await postTo('/', {}, { headers: { 'content-type': type } }), notOffered, '/');
    },
  );

  test.each([
    ['PUT', '/', 501, 'NotImplemented'],
    ['DELETE', '/', 501, 'NotImplemented'],
    ['POST', '/?delete', 501, 'NotImplemented'],
    ['POST', '/?Action=GetCallerIdentity', 501, 'NotImplemented'],
    ['POST', '//', 501, 'NotImplemented'],
    ['POST', '/%2E', 501, 'NotImplemented'],
  ])('%s %s', async (method, path, status, code) => {
    const answer = await postTo('/', {}, { method, path });
    expect([answer.status, answer.headers['content-type']]).toEqual([status, 'application/xml']);
    expect(answer.body.toString()).toContain(`<Error><Code>${code}</Code>`);
    expect(service.tableRequests).toEqual([]);
  });

  test('a host that is named after an account', async () => {
    const { port } = new URL(service.dataUrl);
    const host = `tide-institute.localhost:${port}`;
    expectS3Error(await postTo('/', {}, { headers: { host } }), notOffered, '/');
  });
});
