import { expect, test } from 'vitest';
import { createExchangeHandler } from '../../../lib/edge/exchange-handler.ts';
import { ExchangeSetup, formBody } from '../sts/exchange-setup.ts';
import { requestEvent } from './event-builders.ts';

test('a lookup that takes too long is 503 in XML, before the platform answers with a page of its own', async () => {
  const { dependencies, key } = new ExchangeSetup();
  const logged: unknown[] = [];
  const handler = createExchangeHandler({
    ...dependencies,
    store: { ...dependencies.store, readKeySignIn: () => new Promise(() => undefined) },
    log: ({ failure }) => logged.push(failure),
    answerWithinMs: 50,
  });
  const result = await handler(
    requestEvent({
      method: 'POST',
      uri: '/.sts',
      headers: { host: 'data.example.org', 'content-type': 'application/x-www-form-urlencoded' },
      body: { action: 'read-only', data: formBody({}, key), encoding: 'text', inputTruncated: false },
    }),
  );
  expect(result).toMatchObject({
    status: '503',
    body: expect.stringContaining('<Code>ServiceUnavailable</Code><Message>The exchange timed out; try again'),
  });
  expect(logged).toMatchObject([{ code: 'unavailable' }]);
});
