import { describe, expect, test } from 'vitest';
import { signIn } from '../service/data-clients.ts';
import { expectS3Error } from '../service/error-answers.ts';
import { seededService } from '../service/seeded-service.ts';
import { sendSigned } from '../service/signed-requests.ts';

const path = '/tide-institute/raw-drafts/headers';
const body = 'tide';

const service = await seededService();
const credentials = await signIn(service, service.key);

const sendWith = (method: string, headers: Record<string, string>, query: Record<string, string> = {}) =>
  sendSigned(service, credentials, { method, path, query, headers, ...(method === 'PUT' ? { body } : {}) });

describe('what SDKs send by themselves', () => {
  test.each([
    ['the AWS SDK for Java', { 'x-amz-te': 'append-md5' }],
    ['the AWS SDK for C++', { 'x-amz-api-version': '2006-03-01' }],
    ['a retry', { 'x-amz-sdk-retry': '1/100/', 'x-amz-sdk-request': 'attempt=2', 'x-amz-sdk-invocation-id': 'a' }],
    ['a traced program', { 'x-amz-trace-id': 'Root=1-2', 'x-amzn-trace-id': 'Root=1-2', 'x-amz-user-agent': 'b' }],
    ['a list with restore states', { 'x-amz-optional-object-attributes': 'RestoreStatus' }],
  ])('refuses nothing and adds nothing: %s', async (_, headers) => {
    const put = await sendWith('PUT', headers);
    expect(put.status).toBe(200);
    const get = await sendWith('GET', headers);
    expect([get.status, get.body.toString()]).toEqual([200, body]);
    expect(get.headers).not.toHaveProperty('x-amz-transfer-encoding');
    expect((await sendWith('HEAD', headers)).status).toBe(200);
    expect((await sendWith('DELETE', headers)).status).toBe(204);
  });
});

describe('a header that nobody here knows', () => {
  const headers = { 'x-amz-something-new': 'value' };
  const refusal = {
    status: 501,
    code: 'NotImplemented',
    message: 'The header x-amz-something-new is not supported; send the request without it.',
  };

  test('is dropped from what reads', async () => {
    expect((await sendWith('PUT', {})).status).toBe(200);
    expect((await sendWith('GET', headers)).body.toString()).toBe(body);
    expect((await sendWith('HEAD', headers)).status).toBe(200);
    expect((await sendWith('GET', headers, { tagging: '' })).status).toBe(200);
  });

  test.each([
    ['PUT', {}],
    ['PUT', { tagging: '' }],
    ['POST', { uploads: '' }],
    ['DELETE', {}],
  ])('refuses what writes: %s %j', async (method, query) => {
    expectS3Error(await sendWith(method, headers, query), refusal, path);
  });
});

describe('an expected owner', () => {
  test.each(['GET', 'PUT', 'DELETE'])('is compared with the account: %s', async (method) => {
    const ours = await sendWith(method, { 'x-amz-expected-bucket-owner': 'tide-institute' });
    expect(ours.status).toBeLessThan(300);
    const refusal = {
      status: 403,
      code: 'AccessDenied',
      message:
        'The header x-amz-expected-bucket-owner names another owner; a bucket belongs to the account of the same name. Send that name, or leave the header out.',
    };
    for (const owner of ['111122223333', '', 'Tide-Institute', 'tide-institute,tide-institute']) {
      expectS3Error(await sendWith(method, { 'x-amz-expected-bucket-owner': owner }), refusal, path);
    }
  });

  test("of a copy's source is compared with the account of that", async () => {
    await sendSigned(service, credentials, { method: 'PUT', path: `${path}-source`, body });
    const copy = (owner: string) =>
      sendWith('PUT', {
        'x-amz-copy-source': `${path}-source`,
        'x-amz-source-expected-bucket-owner': owner,
      });
    expect((await copy('111122223333')).status).toBe(403);
    expect((await copy('tide-institute')).status).toBe(200);
  });
});
