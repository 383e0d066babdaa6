import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { EventPublisher } from '../domain/changes/events.ts';

/** The `source` of all events from this service. */
const source = 'sluice';

/**
 * Publishes at most ten events at a time on an EventBridge bus. `detail-type` is the event's type. `detail` has its
 * fields with `event_id` and `time`. Delivery is at least once, so consumers deduplicate by `event_id`.
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
      // Results have the order of the request. An accepted entry has an event ID of EventBridge.
      const refused = events.filter((_, index) => Entries[index]?.EventId === undefined);
      return new Set(refused.map(({ event_id }) => event_id));
    },
  };
}

/** The publisher of a deployment without an event bus. */
export const noPublisher: EventPublisher = { publish: async () => new Set() };
