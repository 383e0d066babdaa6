import { createHash } from 'node:crypto';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { PostOptions } from '../../../lib/lambda/aws/post.ts';
import { createParameterReader } from '../../../lib/lambda/parameters.ts';
import { signWithSmithy } from '../sigv4/signed-request.ts';

beforeEach(() => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  vi.stubEnv('AWS_SESSION_TOKEN', 'token');
});
afterEach(() => vi.unstubAllEnvs());

/** A test server that answers like Systems Manager. */
function answering(status: number, body: unknown) {
  const asked: PostOptions[] = [];
  const post = async (request: PostOptions) => {
    asked.push(request);
    return { status, headers: {}, body: typeof body === 'string' ? body : JSON.stringify(body) };
  };
  const client = { host: 'ssm.eu-west-1.amazonaws.com', post, close: () => undefined };
  return { asked, read: createParameterReader('eu-west-1', client) };
}

test('the request for a parameter has the same signature as that of the SDK', async () => {
  const { asked, read } = answering(200, { Parameter: { Name: '/tides/people-clients', Value: '{}' } });
  expect(await read('/tides/people-clients')).toBe('{}');
  const { body = '', headers = {} } = asked[0] ?? {};
  expect(body).toBe('{"Name":"/tides/people-clients"}');
  expect(headers['x-amz-target']).toBe('AmazonSSM.GetParameter');
  expect(headers['x-amz-content-sha256']).toBe(createHash('sha256').update(body).digest('hex'));
  const { authorization: signature, 'x-amz-date': date, ...sent } = headers;
  const signed = await signWithSmithy(
    { method: 'POST', host: 'ssm.eu-west-1.amazonaws.com', path: '/', headers: sent, body },
    {
      accessKeyId: 'AKIDEXAMPLE',
      secretAccessKey: 'secret',
      sessionToken: 'token',
      region: 'eu-west-1',
      service: 'ssm',
      signedAt: Date.parse(String(date).replace(/(....)(..)(..)T(..)(..)(..)Z/, '$1-$2-$3T$4:$5:$6Z')),
    },
  );
  expect(signature).toBe(signed.headers['authorization']);
});

test('a missing parameter is undefined', async () => {
  const { read } = answering(400, { __type: 'com.amazonaws.ssm#ParameterNotFound' });
  expect(await read('/a')).toBeUndefined();
  expect(await answering(400, { __type: 'ParameterNotFound' }).read('/a')).toBeUndefined();
});

test.each([
  [400, { __type: 'AccessDeniedException' }],
  [400, { __type: 'NotParameterNotFound' }],
  [400, { __type: 'ThrottlingException' }],
  [500, {}],
  [200, {}],
  [200, 'no JSON'],
])('an answer of %d with %j is unreadable', async (status, body) => {
  await expect(answering(status, body).read('/a')).rejects.toThrow();
});
