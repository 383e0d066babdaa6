import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { EventPublisher } from '../domain/changes/events.ts';

/** The `source` of everything that this service puts on a bus. */
const source = 'sluice';

/**
 * Puts events on an EventBridge bus, at most ten at once: `detail-type` is the event's type, `detail` its own fields
 * with `event_id` and `time`. Consumers tell repetitions by `event_id`, since delivery is at least once.
 */
export function createEventBridgePublisher(client: EventBridgeClient, busName: string): EventPublisher {
  return {
    async publish(events) {
      const { Entries = [] } = await client.send(
        new PutEventsCommand({
          Entries: events.map(({ event_id, type, time, detail }) => ({
            EventBusName: busName,
            Source: source,
            DetailType: type,
            Time: new Date(time),
            Detail: JSON.stringify({ event_id, time, ...detail }),
          })),
        }),
      );
      // In the order of the request; an entry that was taken has an ID of its own.
      const refused = events.filter((_, index) => Entries[index]?.EventId === undefined);
      return new Set(refused.map(({ event_id }) => event_id));
    },
  };
}

/** For a deployment that has no bus: nobody wants to be told. */
export const noPublisher: EventPublisher = { publish: async () => new Set() };
