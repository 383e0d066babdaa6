import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { EventPublisher } from '../domain/changes/events.ts';

/** The `source` field of all events from this service. */
const source = 'sluice';

/**
 * Publishes events on an EventBridge bus, at most ten at a time. `detail-type` is the type of the event. `detail`
 * contains the event's fields, `event_id`, and `time`. An event can be delivered more than once, so consumers must
 * deduplicate by `event_id`.
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
      // The results have the order of the entries in the request. EventBridge gives each accepted entry an ID.
      const refused = events.filter((_, index) => Entries[index]?.EventId === undefined);
      return new Set(refused.map(({ event_id }) => event_id));
    },
  };
}

/** The publisher for a deployment without an event bus. It publishes nothing. */
export const noPublisher: EventPublisher = { publish: async () => new Set() };
