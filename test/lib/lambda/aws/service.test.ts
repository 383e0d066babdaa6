import { hash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createTableRequests } from '../../../../lib/lambda/aws/dynamodb.ts';
import type { AwsServiceOptions } from '../../../../lib/lambda/aws/service.ts';
import { readSignature } from '../../../../lib/sigv4/presented-signature.ts';
import { verifySignature } from '../../../../lib/sigv4/verify.ts';
import { serveInTest } from '../../../service/http-server.ts';

const credentials = { access_key_id: 'AKID', secret_access_key: 'secret', session_token: 'token' };

interface Asked {
  target: string;
  body: Record<string, unknown>;
  isSigned: boolean;
  socket: Socket;
}

/** Behavior of the AWS service for one request. The last entry of a list applies to all later requests. */
type Act = (response: ServerResponse, asked: Asked) => void;

const answer =
  (status: number, document: object | string = {}, headers: Record<string, string> = {}): Act =>
  (response) =>
    void response.writeHead(status, headers).end(typeof document === 'string' ? document : JSON.stringify(document));
const hang: Act = () => undefined;
const breakOff: Act = (response) => void response.socket?.destroy();
const breakOffInBody: Act = (response) => {
  response.writeHead(200, { 'content-length': '100' }).write('{');
  setImmediate(() => response.socket?.destroy());
};

async function serving(acts: readonly Act[], options: Partial<AwsServiceOptions> = {}) {
  const asked: Asked[] = [];
  const endpoint = await serveInTest(async (incoming, response) => {
    let body = '';
    for await (const chunk of incoming) body += chunk;
    const headers = Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
    const request = { method: 'POST', rawPath: incoming.url ?? '', rawQuery: '', headers };
    const presented = readSignature(request);
    if (presented === undefined) throw new Error('not signed');
    const payloadHash = hash('sha256', body, 'hex');
    verifySignature(request, presented, credentials, { now: Date.now(), service: 'dynamodb', payloadHash });
    const one = {
      target: String(incoming.headers['x-amz-target']),
      body: JSON.parse(body),
      isSigned: presented.session_token === credentials.session_token,
      socket: incoming.socket,
    };
    asked.push(one);
    acts[Math.min(asked.length, acts.length) - 1]?.(response, one);
  });
  const { send, close } = createTableRequests({
    region: 'eu-west-1',
    endpoint,
    credentials: () => credentials,
    ...options,
  });
  onTestFinished(close);
  const get = (signal?: AbortSignal) => send('GetItem', { TableName: 't', Key: { pk: 'a', sk: 'b' } }, signal);
  return { asked, send, get };
}

const item = { Item: { pk: { S: 'a' } } };

test('a request is signed for the service, and its answer has plain items', async () => {
  const { asked, get } = await serving([answer(200, item)]);
  expect(await get()).toEqual({ Item: { pk: 'a' } });
  expect(asked).toMatchObject([
    { target: 'DynamoDB_20120810.GetItem', body: { Key: { pk: { S: 'a' }, sk: { S: 'b' } } }, isSigned: true },
  ]);
});

test.each([
  ['an error of the service', answer(500, { __type: 'InternalServerError' })],
  ['an error without a document', answer(503, '<html>')],
  [
    'a throttled request',
    answer(400, { __type: 'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException' }),
  ],
  ['a broken connection', breakOff],
  ['an answer that breaks off', breakOffInBody],
])('%s causes at most two retries', async (_, act) => {
  const lucky = await serving([act, act, answer(200, item)]);
  expect(await lucky.get()).toEqual({ Item: { pk: 'a' } });
  const unlucky = await serving([act]);
  await expect(unlucky.get()).rejects.toThrow();
  expect(unlucky.asked).toHaveLength(3);
});

test('an attempt that exceeds its timeout is retried', async () => {
  // The timeout is long enough for the second response on a busy machine.
  const timeoutMs = 1000;
  const { asked, get } = await serving([hang, answer(200, item)], { timeoutMs });
  expect(await get()).toEqual({ Item: { pk: 'a' } });
  expect(asked).toHaveLength(2);
  const stuck = await serving([hang], { timeoutMs, triesMax: 1 });
  await expect(stuck.get()).rejects.toMatchObject({ name: 'TimeoutError' });
  expect(stuck.asked).toHaveLength(1);
});

test.each([
  ['ConditionalCheckFailedException', 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException'],
  ['ResourceNotFoundException', 'ResourceNotFoundException:http://internal.amazon.com/coral/'],
  ['AccessDeniedException', 'AccessDeniedException'],
])('%s is returned unchanged, without a retry', async (name, type) => {
  const headers = { 'x-amzn-requestid': 'R1' };
  const { asked, get } = await serving([answer(400, { __type: type, message: 'no' }, headers)]);
  await expect(get()).rejects.toMatchObject({
    name,
    message: 'no',
    $metadata: { httpStatusCode: 400, requestId: 'R1' },
  });
  expect(asked).toHaveLength(1);
});

test('the client reuses connections, and does not count a closed one as an attempt', async () => {
  const { asked, get } = await serving([answer(200, item)], { triesMax: 1 });
  await get();
  await get();
  expect(asked[1]?.socket).toBe(asked[0]?.socket);
  const closing = await serving([answer(200, item), breakOff, answer(200, item)], { triesMax: 1 });
  await closing.get();
  expect(await closing.get()).toEqual({ Item: { pk: 'a' } });
  expect(closing.asked[2]?.socket).not.toBe(closing.asked[0]?.socket);
});

test('a retry of a transaction has the same token, and another transaction has another one', async () => {
  const { asked, send } = await serving([breakOff, answer(200)]);
  const put = () => send('TransactWriteItems', { TransactItems: [{ Put: { TableName: 't', Item: { pk: 'a' } } }] });
  await put();
  await put();
  const tokens = asked.map(({ body }) => body['ClientRequestToken']);
  expect(tokens[0]).toBe(tokens[1]);
  expect(tokens[2]).not.toBe(tokens[1]);
  expect(asked[0]?.body['TransactItems']).toEqual([{ Put: { TableName: 't', Item: { pk: { S: 'a' } } } }]);
});

test('a request without time left fails at once, without a retry', async () => {
  const { asked, get } = await serving([hang]);
  await expect(get(AbortSignal.timeout(30))).rejects.toMatchObject({ name: 'TimeoutError' });
  await expect(get(AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late');
  expect(asked.length).toBeLessThanOrEqual(1);
});

test('an instance stops its retries while no request succeeds', async () => {
  // A retry after a timeout would cost more than one after a refusal. On a busy machine, 120 concurrent requests take
  // seconds.
  const { asked, get } = await serving([answer(500)], { timeoutMs: 60_000 });
  const outcomes = await Promise.allSettled(Array.from({ length: 120 }, () => get()));
  expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
  // The retry budget of 500 units allows 100 retries at 5 units each.
  expect(asked).toHaveLength(220);
});
