import { describe, expect, test } from 'vitest';
import { expectProblem } from '../service/error-answers.ts';
import { seededService } from '../service/seeded-service.ts';
import type { Client } from '../service/test-service.ts';

const origin = 'https://app.example.org';
const service = await seededService({ corsOrigins: [origin] });
const clients = {
  ada: await service.user('ada'),
  admin: await service.user('admin'),
  newcomer: await service.user('newcomer'),
  anyone: service.anyone,
};
const { ada, admin, newcomer } = clients;

const revocations = '/service-account-keys/revocations';
const keysPath = '/service-accounts/tide-institute--nightly-sync/keys';

/** Checks a refusal with the code `field_invalid`, whose detail has each faulty field. */
async function expectInvalid(answer: ReturnType<Client>, ...errors: [path: string, message: string][]) {
  expectProblem(await answer, {
    status: 400,
    code: 'field_invalid',
    detail: `The request is not valid: ${errors.map(([path, text]) => (path && `${path}: `) + text).join('; ')}`,
    errors: errors.map(([path, message]) => ({ path, message })),
  });
}

describe('a body', () => {
  const tooLarge = { status: 413, code: 'payload_too_large' as const, detail: 'The body must be at most 65536 bytes' };
  const malformed = {
    status: 400,
    code: 'body_malformed' as const,
    detail: 'The body is not valid JSON; check its syntax',
  };
  /** Returns a JSON document with this number of bytes. */
  const bodyOf = (bytes: number) => JSON.stringify({ key: 'x'.repeat(bytes - '{"key":""}'.length) });

  test.each<[string, keyof typeof clients, string, unknown]>([
    ['more than 64 KiB, of an anonymous client', 'anyone', revocations, bodyOf(65_537)],
    ['more than 64 KiB, of a user', 'ada', keysPath, bodyOf(65_537)],
    ['more than the gateway reads', 'anyone', revocations, bodyOf(1_500_000)],
    ['fewer characters, but more bytes', 'ada', keysPath, { label: 'é'.repeat(33_000), expiry: '30d' }],
  ])('of %s is refused', async (_, client, path, body) => {
    expectProblem(await clients[client]('POST', path, body), tooLarge);
  });

  test('of 64 KiB is accepted', async () => {
    const message = 'must have at most 1024 characters';
    await expectInvalid(service.anyone('POST', revocations, bodyOf(65_536)), ['key', message]);
  });

  test('is not read before the caller is authenticated', async () => {
    expectProblem(await service.anyone('POST', keysPath, bodyOf(65_537)), {
      status: 401,
      code: 'unauthenticated',
      detail:
        'This needs an identity; sign in and send "Authorization: Bearer <token>", or an API key as "Authorization: <access_key_id> <secret_access_key>"',
    });
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/xml', 'json', ''])(
    'of the type "%s" is refused',
    async (type) => {
      expectProblem(await ada('POST', keysPath, { label: 'a', expiry: '30d' }, { 'content-type': type }), {
        status: 415,
        code: 'unsupported_media_type',
        detail: 'Send the body as JSON with "content-type: application/json"',
      });
    },
  );

  test.each(['{"label":"a"', '{}{}', '{"label":"a",}', 'label', '  '])(
    'of malformed JSON is refused: %j',
    async (body) => {
      expectProblem(await ada('POST', keysPath, body), malformed);
    },
  );

  test('that is missing is refused', async () => {
    expectProblem(await ada('POST', keysPath, undefined, { 'content-type': 'application/json' }), malformed);
  });

  test('with unknown fields is refused, at every depth', async () => {
    const account = { account_id: 'another', account_type: 'organization', flags: ['admin'], disabled: false };
    await expectInvalid(
      admin('POST', '/accounts', { ...account, profile: { name: 'A', nickname: 'B' } }),
      ['profile', 'has unknown fields: nickname'],
      ['', 'has unknown fields: flags, disabled'],
    );
  });

  test.each(['[]', 'null', '"text"', '7'])('of JSON that is no object is refused: %s', async (body) => {
    expect(await ada('POST', keysPath, body)).toMatchObject({ status: 400, body: { errors: [{ path: '' }] } });
  });
});

describe('an identifier', () => {
  const rule =
    'must be 3 to 40 lower-case letters, digits and single hyphens, starting and ending with a letter or a digit';
  const badIds = ['ab', 'a'.repeat(41), 'Tides', 'ti--des', '-tides', 'tides-', 'ti_des', 'ti.des', 'tïdes', 'ti des'];
  const organization = (account_id: string) => ({ account_id, account_type: 'organization', profile: {} });

  test.each([...badIds, 'tides\n'])('against the pattern is refused: %j', async (id) => {
    await expectInvalid(admin('POST', '/accounts', organization(id)), ['account_id', rule]);
    // In a path, two hyphens name a service account.
    if (id === 'ti--des') return;
    await expectInvalid(ada('GET', `/repositories/tide-institute/${encodeURIComponent(id)}`), ['repository_id', rule]);
  });

  test('of a service account has two hyphens', async () => {
    const answer = ada('POST', '/service-accounts/nightly-sync/keys', { label: 'a', expiry: '30d' });
    await expectInvalid(answer, ['service_account_id', 'must be <owner account ID>--<name>']);
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
    expectProblem(await admin('POST', '/accounts', organization(id)), problem('account_id'));
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
    // Without `Access-Control-Request-Method`, an OPTIONS request is not a preflight.
    ['OPTIONS', '/api/v1/accounts'],
  ])('without an operation is refused: %s %s', async (method, path) => {
    for (const client of [service.anyone, ada])
      expectProblem(await client(method, service.apiUrl + path), {
        status: 404,
        code: 'route_not_found',
        detail: 'No such route; /api/v1/docs lists the routes there are',
      });
  });
});

describe('an Authorization header', () => {
  test.each(['Bearer', 'Bearer x', 'Bearer a.b.c', 'Basic YTpi', 'SCAKAAAAAAAAAAAAAAAA secret', 'x', 'Bearer a b'])(
    'that is not valid is refused: %s',
    async (authorization) => {
      expectProblem(await service.withAuthorization(authorization)('GET', '/whoami'), {
        status: 401,
        code: 'unauthenticated',
        detail:
          'The Authorization header is not valid; sign in and send "Authorization: Bearer <token>", or an API key as "Authorization: <access_key_id> <secret_access_key>"',
      });
    },
  );

  const owner = 'ask an owner of the account for access';
  test.each<[string, string, unknown, string]>([
    // The refusal is the same for an existing and a missing target.
    ['GET', '/repositories/tide-institute/raw-drafts', undefined, owner],
    ['GET', '/repositories/tide-institute/nothing', undefined, owner],
    ['GET', '/accounts/tide-institute', undefined, owner],
    ['GET', '/accounts/nobody', undefined, owner],
    [
      'POST',
      '/accounts',
      { account_id: 'gauges', account_type: 'organization', profile: {} },
      'ask an administrator for the right to create such an account',
    ],
    [
      'DELETE',
      '/data-connections/local-store',
      undefined,
      'ask an owner of its account, or an administrator if it belongs to the site',
    ],
    ['GET', '/data-connections', undefined, 'create your account first'],
  ])('of a user without rights or account names who can help with %s %s', async (method, path, body, whatNext) => {
    expectProblem(await newcomer(method, path, body), {
      status: 403,
      code: 'access_denied',
      detail: `You are not allowed to do this; ${whatNext}`,
    });
  });
});

describe('a page in a browser', () => {
  const preflight = (path: string, from: string) =>
    fetch(`${service.apiUrl}/api/v1${path}`, {
      method: 'OPTIONS',
      headers: {
        origin: from,
        'access-control-request-method': 'PUT',
        'access-control-request-headers': 'authorization,content-type',
      },
    });
  const allowedIn = ({ headers }: Response) =>
    Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control')));

  // The gateway sends preflight requests for unknown paths to the function.
  test.each(['/accounts/ada/profile', '/accounts', '/nothing-here'])(
    'of a configured origin may send its request to %s',
    async (path) => {
      const answer = await preflight(path, origin);
      expect(answer.ok).toBe(true);
      expect(allowedIn(answer)).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-allow-methods': 'GET,POST,PUT,PATCH,DELETE',
        'access-control-allow-headers': 'authorization,content-type,idempotency-key,if-match,if-none-match',
        'access-control-max-age': '3600',
      });
    },
  );

  test('of a configured origin reads the answer, its next page, and the URL of the created resource', async () => {
    expect(allowedIn(await fetch(`${service.apiUrl}/api/v1/repositories`, { headers: { origin } }))).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-expose-headers': 'etag,link,location,retry-after,x-total-count',
    });
  });

  test('of any other origin may send no request and read no answer', async () => {
    const elsewhere = 'https://app.example.org.evil.example';
    const read = fetch(`${service.apiUrl}/api/v1/repositories`, { headers: { origin: elsewhere } });
    for (const answer of [await preflight('/accounts', elsewhere), await read]) expect(allowedIn(answer)).toEqual({});
  });
});
