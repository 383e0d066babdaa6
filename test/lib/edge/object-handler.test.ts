import { expect, test } from 'vitest';
import { createObjectHandler } from '../../../lib/edge/object-handler.ts';
import { dataWorld, signed } from '../s3/data-world.ts';
import { requestEvent } from './event-builders.ts';

test('signed chunks are refused where nobody holds the body, in a sentence that names the setting of the client', async () => {
  const handler = createObjectHandler({ ...dataWorld().deps, log: () => undefined });
  const headers = { 'x-amz-content-sha256': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD', 'x-amz-decoded-content-length': '4' };
  const request = await signed({ method: 'PUT', path: '/tide-institute/raw-drafts/a.csv', headers });
  const { method, rawPath, rawQuery } = request;
  const result = await handler(requestEvent({ method, uri: rawPath, querystring: rawQuery, headers: request.headers }));
  expect(result).toMatchObject({
    status: '501',
    body: expect.stringContaining('chunkedEncodingEnabled(false)'),
    headers: { 'access-control-allow-origin': [{ value: '*' }] },
  });
});

test('facts that cannot be had in time are 503 in XML, before the platform answers with a page of its own', async () => {
  const { deps } = dataWorld();
  const logged: unknown[] = [];
  const handler = createObjectHandler({
    ...deps,
    access: { ...deps.access, readAccess: () => new Promise(() => undefined) },
    log: ({ failure }) => logged.push(failure),
    answerWithinMs: 50,
  });
  const result = await handler(requestEvent({ headers: { host: 'data.example.org' } }));
  expect(result).toMatchObject({ status: '503', body: expect.stringContaining('<Code>ServiceUnavailable</Code>') });
  expect(logged).toMatchObject([{ code: 'unavailable' }]);
});
