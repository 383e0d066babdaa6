import { randomBytes, randomUUID } from 'node:crypto';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type GatewayCors, startGateway } from '../../../../lib/local/api-gateway/server.ts';
import { send, sendRaw } from '../http-client.ts';

const routes = [
  { method: 'GET', path: '/accounts/{account_id}', name: 'get-account' },
  { method: 'POST', path: '/accounts', name: 'create-account' },
];

interface Setup {
  more?: readonly { method: string; path: string; name: string }[];
  result?: (event: APIGatewayProxyEventV2) => Promise<APIGatewayProxyStructuredResultV2>;
  cors?: GatewayCors;
  timeoutMs?: number;
}

async function start({ result = async () => ({ statusCode: 200 }), cors, timeoutMs, more = [] }: Setup = {}) {
  const invoked: { name: string; event: APIGatewayProxyEventV2 }[] = [];
  const errors: unknown[] = [];
  const gateway = await startGateway({
    port: 0,
    routes: [...routes, ...more],
    invoke: async (name, event) => {
      invoked.push({ name, event });
      return result(event);
    },
    clock: () => Date.UTC(2026, 2, 5, 7, 8, 9),
    random: { uuid: randomUUID, bytes: randomBytes },
    onError: (_name, error) => errors.push(error),
    ...(cors === undefined ? {} : { cors }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  onTestFinished(() => gateway.close());
  return { ...gateway, invoked, errors };
}

test('sends a function an event in payload format 2.0', async () => {
  const { port, invoked } = await start();
  await send(port, {
    path: '/accounts/a%20b?x=1&x=2&y=%C3%A9+z&empty',
    headers: { 'X-Twice': ['a', 'b'], cookie: 'c=1; d=2', 'user-agent': 'tide/1', connection: 'close' },
  });
  expect(invoked).toEqual([
    {
      name: 'get-account',
      event: {
        version: '2.0',
        routeKey: 'GET /accounts/{account_id}',
        rawPath: '/accounts/a b',
        rawQueryString: 'x=1&x=2&y=%C3%A9+z&empty',
        cookies: ['c=1', 'd=2'],
        headers: {
          host: `127.0.0.1:${port}`,
          'x-twice': 'a,b',
          'user-agent': 'tide/1',
          connection: 'close',
          'x-forwarded-for': '127.0.0.1',
          'x-forwarded-port': String(port),
          'x-forwarded-proto': 'http',
        },
        queryStringParameters: { x: '1,2', y: 'é z', empty: '' },
        pathParameters: { account_id: 'a b' },
        requestContext: {
          accountId: '000000000000',
          apiId: 'local',
          domainName: '127.0.0.1',
          domainPrefix: 'local',
          http: {
            method: 'GET',
            path: '/accounts/a b',
            protocol: 'HTTP/1.1',
            sourceIp: '127.0.0.1',
            userAgent: 'tide/1',
          },
          requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
          routeKey: 'GET /accounts/{account_id}',
          stage: '$default',
          time: '05/Mar/2026:07:08:09 +0000',
          timeEpoch: Date.UTC(2026, 2, 5, 7, 8, 9),
        },
        isBase64Encoded: false,
      },
    },
  ]);
});

describe('a body arrives', () => {
  test.each([
    ['as text', 'application/json', 'é', 'é', false],
    ['as text', 'Application/JSON; charset=utf-8', '{}', '{}', false],
    ['as text', 'text/csv', 'a,b', 'a,b', false],
    ['as base64', 'application/octet-stream', Uint8Array.of(255, 0), '/wA=', true],
    ['as base64', 'application/x-www-form-urlencoded', 'a=b', 'YT1i', true],
    ['as base64', undefined, '{}', 'e30=', true],
  ])('%s with the type %s', async (_form, contentType, body, shown, isBase64Encoded) => {
    const { port, invoked } = await start();
    const headers = contentType === undefined ? {} : { 'content-type': contentType };
    await send(port, { method: 'POST', path: '/accounts', headers, body });
    expect(invoked[0]?.event).toMatchObject({ body: shown, isBase64Encoded });
  });
});

describe('a result becomes a response', () => {
  test('with status, headers, cookies and body', async () => {
    const { port } = await start({
      result: async () => ({
        statusCode: 201,
        headers: { Location: '/accounts/ada', 'x-count': 3 },
        cookies: ['a=1', 'b=2'],
        body: 'é',
      }),
    });
    const { status, headers, body } = await send(port, { method: 'POST', path: '/accounts' });
    expect(status).toBe(201);
    expect(headers).toMatchObject({ location: '/accounts/ada', 'x-count': '3', 'content-length': '2' });
    expect(headers['set-cookie']).toEqual(['a=1', 'b=2']);
    expect(headers['apigw-requestid']).toMatch(/./);
    expect(body.toString()).toBe('é');
  });

  test('of bytes from base64', async () => {
    const { port } = await start({ result: async () => ({ statusCode: 200, body: '/wA=', isBase64Encoded: true }) });
    expect([...(await send(port, { path: '/accounts/ada' })).body]).toEqual([255, 0]);
  });

  test('without a body or length for 204', async () => {
    const { port } = await start({ result: async () => ({ statusCode: 204 }) });
    const { status, headers } = await send(port, { path: '/accounts/ada' });
    expect([status, headers['content-length']]).toEqual([204, undefined]);
  });
});

describe('the gateway itself answers', () => {
  const answers = {
    notFound: [404, { message: 'Not Found' }],
    badRequest: [400, { message: 'Bad Request' }],
    tooLarge: [413, { message: 'Request Entity Too Large' }],
    failed: [500, { message: 'Internal Server Error' }],
    late: [503, { message: 'Service Unavailable' }],
  } as const;

  async function answered(gateway: { port: number }, request: Parameters<typeof send>[1]) {
    const { status, body } = await send(gateway.port, request);
    return [status, JSON.parse(body.toString())];
  }

  test('404 for an unknown path or method', async () => {
    const gateway = await start();
    expect(await answered(gateway, { path: '/nothing' })).toEqual(answers.notFound);
    expect(await answered(gateway, { method: 'DELETE', path: '/accounts' })).toEqual(answers.notFound);
    expect((await send(gateway.port, { method: 'HEAD', path: '/accounts/ada' })).status).toBe(404);
    expect(gateway.invoked).toEqual([]);
  });

  test.each(['/accounts/%zz', '/accounts/ada?x=%', '/accounts/%ff'])(
    '400 for the broken escape in %s',
    async (path) => {
      const gateway = await start();
      expect(await answered(gateway, { path })).toEqual(answers.badRequest);
      expect(gateway.invoked).toEqual([]);
    },
  );

  test('413 for a body over 10 MB', async () => {
    const gateway = await start();
    const request = { method: 'POST', path: '/accounts' };
    expect(await answered(gateway, { ...request, body: Buffer.alloc(10 * 1024 * 1024 + 1) })).toEqual(answers.tooLarge);
    expect(gateway.invoked).toEqual([]);
    expect((await send(gateway.port, { ...request, body: Buffer.alloc(10 * 1024 * 1024) })).status).toBe(200);
  });

  test('431 for headers over 10,240 bytes', async () => {
    const gateway = await start();
    expect((await send(gateway.port, { headers: { 'x-long': 'a'.repeat(10_240) } })).status).toBe(431);
  });

  test('500 without details for a function that throws', async () => {
    const gateway = await start({ result: () => Promise.reject(new Error('secret of the table')) });
    expect(await answered(gateway, { path: '/accounts/ada' })).toEqual(answers.failed);
    expect(gateway.errors).toHaveLength(1);
  });

  test('500 for a header that cannot be sent', async () => {
    const gateway = await start({
      result: async () => ({ statusCode: 200, headers: { location: 'a\r\nset-cookie: b' } }),
    });
    expect(await answered(gateway, { path: '/accounts/ada' })).toEqual(answers.failed);
  });

  test('503 for a function that exceeds its timeout', async () => {
    const gateway = await start({ result: () => new Promise(() => {}), timeoutMs: 10 });
    expect(await answered(gateway, { path: '/accounts/ada' })).toEqual(answers.late);
  });

  test('421 for a host that is not this machine', async () => {
    const gateway = await start();
    const [status] = await answered(gateway, { path: '/accounts/ada', headers: { host: 'rebound.example:80' } });
    expect(status).toBe(421);
    expect(gateway.invoked).toEqual([]);
  });

  test('421 for a request without a host', async () => {
    const { port } = await start();
    expect(await sendRaw(port, 'GET /accounts/ada HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1.1 421 /);
  });
});

describe('with CORS configured,', () => {
  const cors: GatewayCors = {
    origins: ['https://app.example'],
    methods: ['GET', 'POST'],
    headers: ['authorization'],
    exposedHeaders: ['link'],
    maxAgeSeconds: 600,
  };

  test('the configured headers replace those of the function', async () => {
    const { port } = await start({
      cors,
      result: async () => ({ statusCode: 200, headers: { 'Access-Control-Allow-Origin': '*' } }),
    });
    const allowed = await send(port, { path: '/accounts/ada', headers: { origin: 'https://app.example' } });
    expect(allowed.headers['access-control-allow-origin']).toBe('https://app.example');
    expect(allowed.headers['access-control-expose-headers']).toBe('link');
    const other = await send(port, { path: '/accounts/ada', headers: { origin: 'https://other.example' } });
    expect(other.headers['access-control-allow-origin']).toBeUndefined();
  });
});

test('close ends idle connections', async () => {
  const gateway = await start();
  const received = sendRaw(gateway.port, 'GET /accounts/ada HTTP/1.1\r\nHost: localhost\r\n\r\n');
  while (gateway.invoked.length === 0) await new Promise(setImmediate);
  await gateway.close();
  expect(await received).toMatch(/^HTTP\/1.1 200 /);
});
