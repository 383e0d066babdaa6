import { describe, expect, test } from 'vitest';
import { send } from '../lib/local/http-client.ts';
import { expectProblem } from '../service/error-answers.ts';
import { seededService } from '../service/seeded-service.ts';
import type { Client } from '../service/test-service.ts';

let ada: Client;
let admin: Client;
const service = await seededService();
[ada, admin] = await Promise.all([service.person('ada'), service.person('admin')]);

const revocations = '/service-account-keys/revocations';
const keysPath = '/service-accounts/tide-institute--nightly-sync/keys';

describe('a body', () => {
  const tooLarge = { status: 413, code: 'payload_too_large' as const, detail: 'The body must be at most 65536 bytes' };
  /** Returns a JSON document with this number of bytes. */
  const bodyOf = (bytes: number) => JSON.stringify({ key: 'x'.repeat(bytes - '{"key":""}'.length) });

  test('of more than 64 KiB is refused, for anyone and for whoever is signed in', async () => {
    expectProblem(await service.anyone('POST', revocations, bodyOf(65_537)), tooLarge);
    expectProblem(await ada('POST', keysPath, bodyOf(65_537)), tooLarge);
    expectProblem(await service.anyone('POST', revocations, bodyOf(1_500_000)), tooLarge);
  });

  test('is measured in bytes', async () => {
    const label = 'é'.repeat(33_000);
    expectProblem(await ada('POST', keysPath, { label, expiry: '30d' }), tooLarge);
  });

  test('of 64 KiB is read', async () => {
    const message = 'must have at most 1024 characters';
    expectProblem(await service.anyone('POST', revocations, bodyOf(65_536)), {
      status: 400,
      code: 'field_invalid',
      detail: `The request is not valid: key: ${message}`,
      errors: [{ path: 'key', message }],
    });
  });

  test('is not looked at before there is an identity', async () => {
    expectProblem(await service.anyone('POST', keysPath, bodyOf(65_537)), {
      status: 401,
      code: 'unauthenticated',
      detail:
        'This needs an identity; sign in and send "Authorization: Bearer <token>", or an API key as ' +
        '"Authorization: <access_key_id> <secret_access_key>"',
    });
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/xml', 'json', ''])(
    'of the type "%s" is refused',
    async (type) => {
      const answer = await ada('POST', keysPath, { label: 'a', expiry: '30d' }, { 'content-type': type });
      expectProblem(answer, {
        status: 415,
        code: 'unsupported_media_type',
        detail: 'Send the body as JSON with "content-type: application/json"',
      });
    },
  );

  test.each([
    ['cut short', '{"label":"a"'],
    ['of two documents', '{}{}'],
    ['with a comma too many', '{"label":"a",}'],
    ['of a bare word', 'label'],
    ['of spaces', '  '],
  ])('of JSON that is %s is refused', async (_, body) => {
    expectProblem(await ada('POST', keysPath, body), {
      status: 400,
      code: 'body_malformed',
      detail: 'The body is not valid JSON; check its syntax',
    });
  });

  test('that is missing is refused', async () => {
    const headers = { 'content-type': 'application/json' };
    expectProblem(await ada('POST', keysPath, undefined, headers), {
      status: 400,
      code: 'body_malformed',
      detail: 'The body is not valid JSON; check its syntax',
    });
  });

  test('with unknown fields is refused, at every depth', async () => {
    const answer = await admin('POST', '/accounts', {
      account_id: 'another',
      account_type: 'organization',
      profile: { name: 'A', nickname: 'B' },
      flags: ['admin'],
      disabled: false,
    });
    expectProblem(answer, {
      status: 400,
      code: 'field_invalid',
      detail: 'The request is not valid: profile: has unknown fields: nickname; has unknown fields: flags, disabled',
      errors: [
        { path: 'profile', message: 'has unknown fields: nickname' },
        { path: '', message: 'has unknown fields: flags, disabled' },
      ],
    });
  });

  test.each(['[]', 'null', '"text"', '7'])('of JSON that is no object is refused: %s', async (body) => {
    const answer = await ada('POST', keysPath, body);
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ path: '' }] } });
  });
});

describe('an identifier', () => {
  const rule =
    'must be 3 to 40 lower-case letters, digits and single hyphens, starting and ending with a letter or a digit';
  const badIds = [
    'ab',
    'a'.repeat(41),
    'Tides',
    'ti--des',
    '-tides',
    'tides-',
    'ti_des',
    'ti.des',
    'tïdes',
    'ti des',
    'tides\n',
  ];

  test.each(badIds)('against the pattern is refused in a body: %j', async (account_id) => {
    const answer = await admin('POST', '/accounts', { account_id, account_type: 'organization', profile: {} });
    expectProblem(answer, {
      status: 400,
      code: 'field_invalid',
      detail: `The request is not valid: account_id: ${rule}`,
      errors: [{ path: 'account_id', message: rule }],
    });
  });

  test.each(badIds.filter((id) => id !== 'ti--des'))('against the pattern is refused in a path: %j', async (id) => {
    expectProblem(await ada('GET', `/repositories/tide-institute/${encodeURIComponent(id)}`), {
      status: 400,
      code: 'field_invalid',
      detail: `The request is not valid: repository_id: ${rule}`,
      errors: [{ path: 'repository_id', message: rule }],
    });
  });

  test('of a service account has two hyphens', async () => {
    const message = 'must be <owner account ID>--<name>';
    expectProblem(await ada('POST', '/service-accounts/nightly-sync/keys', { label: 'a', expiry: '30d' }), {
      status: 400,
      code: 'field_invalid',
      detail: `The request is not valid: service_account_id: ${message}`,
      errors: [{ path: 'service_account_id', message }],
    });
  });

  test('that is reserved is refused for accounts and connections', async () => {
    const id = 'available';
    const message = 'is reserved, since it is part of a URL of this site; choose another';
    const problem = (path: string) => ({
      status: 400,
      code: 'id_reserved' as const,
      detail: `The ID ${id} ${message}`,
      errors: [{ path, message }],
    });
    const account = { account_id: id, account_type: 'organization', profile: {} };
    expectProblem(await admin('POST', '/accounts', account), problem('account_id'));
    const connection = {
      data_connection_id: id,
      name: 'A connection',
      read_only: true,
      allowed_data_modes: ['open'],
      details: { provider: 's3', bucket: 'bucket', base_prefix: '', region: 'us-east-1' },
    };
    expectProblem(await admin('POST', '/data-connections', connection), problem('data_connection_id'));
  });
});

describe('a path', () => {
  const unknown = {
    status: 404,
    code: 'route_not_found' as const,
    detail: 'No such route; /api/v1/docs lists the routes there are',
  };

  test.each([
    ['GET', '/api/v1'],
    ['GET', '/api/v1/'],
    ['GET', '/api/v2/whoami'],
    ['GET', '/api/v1/whoami/'],
    ['GET', '/api/v1//whoami'],
    ['POST', '/whoami'],
    ['POST', '/'],
    ['POST', '/api/v1/accounts/tide-institute/nothing'],
    ['DELETE', '/api/v1/whoami'],
    ['POST', '/api/v1/whoami'],
    ['GET', '/api/v1/service-account-keys/revocations'],
    ['PATCH', '/health'],
  ])('that no operation takes is told so: %s %s', async (method, path) => {
    expectProblem(await service.anyone(method, service.apiUrl + path), unknown);
    expectProblem(await ada(method, service.apiUrl + path), unknown);
  });

  test('under another host is misdirected', async () => {
    const { port } = new URL(service.apiUrl);
    for (const host of ['sluice.example.org', 'localhost.example.org', '127.0.0.1.example.org', '10.0.0.1']) {
      const { status, body } = await send(Number(port), { path: '/api/v1/whoami', headers: { host } });
      expect(status).toBe(421);
      expect(JSON.parse(body.toString())).toEqual({
        message: 'This server answers on this machine only: use 127.0.0.1 or localhost as the host of the URL.',
      });
    }
  });
});

describe('an Authorization header', () => {
  test.each(['Bearer', 'Bearer x', 'Bearer a.b.c', 'Basic YTpi', 'SCAKAAAAAAAAAAAAAAAA secret', 'x', 'Bearer a b'])(
    'that is not valid is refused: %s',
    async (authorization) => {
      const answer = await service.withAuthorization(authorization)('GET', '/whoami');
      expectProblem(answer, {
        status: 401,
        code: 'unauthenticated',
        detail:
          'The Authorization header is not valid; sign in and send "Authorization: Bearer <token>", or an API key as ' +
          '"Authorization: <access_key_id> <secret_access_key>"',
      });
    },
  );

  test('of a person without rights learns nothing about what is there', async () => {
    const stranger = await service.person('stranger');
    const answers = await Promise.all(
      [
        '/repositories/tide-institute/raw-drafts',
        '/repositories/tide-institute/nothing',
        '/accounts/tide-institute',
        '/accounts/nobody',
      ].map((path) => stranger('GET', path)),
    );
    for (const answer of answers) {
      expectProblem(answer, {
        status: 403,
        code: 'access_denied',
        detail: 'You are not allowed to do this; ask an owner of the account for access',
      });
    }
  });

  test.each([
    [
      'POST',
      '/accounts',
      { account_id: 'gauges', account_type: 'organization', profile: {} },
      'ask an administrator for the right to create such an account',
    ],
    ['DELETE', '/data-connections/local-store', undefined, 'it is for administrators, ask one of them'],
    ['GET', '/data-connections', undefined, 'create your account first'],
  ])('of a person without rights or account is told who can help with %s %s', async (method, path, body, whatNext) => {
    const answer = await (await service.person('newcomer'))(method, path, body);
    expectProblem(answer, {
      status: 403,
      code: 'access_denied',
      detail: `You are not allowed to do this; ${whatNext}`,
    });
  });
});
