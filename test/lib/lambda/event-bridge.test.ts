import { json } from 'node:stream/consumers';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { expect, onTestFinished, test } from 'vitest';
import type { ServiceEvent } from '../../../lib/domain/changes/events.ts';
import { createEventBridgePublisher } from '../../../lib/lambda/event-bridge.ts';
import { serveInTest } from '../../service/http-server.ts';

const disabled = (name: string): ServiceEvent => ({
  event_id: `id of ${name}`,
  type: 'account.disabled',
  time: '2026-11-21T10:00:00.000Z',
  detail: { account_id: name, account_type: 'organization' },
});

/** Connects the real client to a server that answers as the event bus does. */
async function busThatAnswers(status: number, answer: object) {
  const received: unknown[] = [];
  const endpoint = await serveInTest(async (request, response) => {
    received.push(await json(request));
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(answer));
  });
  const client = new EventBridgeClient({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'AK', secretAccessKey: 'secret' },
    maxAttempts: 1,
  });
  onTestFinished(() => client.destroy());
  return { received, publisher: createEventBridgePublisher(client, 'sluice-events') };
}

test('an event arrives on the named bus with its type, time, and fields', async () => {
  const { received, publisher } = await busThatAnswers(200, { FailedEntryCount: 0, Entries: [{ EventId: '1' }] });
  expect(await publisher.publish([disabled('tide-institute')])).toEqual(new Set());
  expect(received).toEqual([
    {
      Entries: [
        {
          EventBusName: 'sluice-events',
          Source: 'sluice',
          DetailType: 'account.disabled',
          Time: Date.UTC(2026, 10, 21, 10) / 1000,
          Detail: JSON.stringify({
            event_id: 'id of tide-institute',
            time: '2026-11-21T10:00:00.000Z',
            account_id: 'tide-institute',
            account_type: 'organization',
          }),
        },
      ],
    },
  ]);
});

test('the error names the events that the bus refuses', async () => {
  const { publisher } = await busThatAnswers(200, {
    FailedEntryCount: 1,
    Entries: [{ EventId: '1' }, { ErrorCode: 'InternalFailure', ErrorMessage: 'busy' }, { EventId: '3' }],
  });
  const refused = await publisher.publish(['a', 'b', 'c'].map(disabled));
  expect(refused).toEqual(new Set(['id of b']));
});

test('a failure of the whole bus throws', async () => {
  const { publisher } = await busThatAnswers(500, { __type: 'InternalException' });
  await expect(publisher.publish([disabled('a')])).rejects.toMatchObject({ name: 'InternalException' });
});
