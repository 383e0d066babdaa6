import type { SQSRecord } from 'aws-lambda';
import { type InvalidationQueue, invalidationMessages, invalidationTiming } from '../domain/changes/invalidations.ts';
import type { Clock } from '../domain/time.ts';
import type { InvalidationsHandler } from '../streams/invalidations.ts';

export interface LocalInvalidationQueue extends InvalidationQueue {
  /** Delivers the messages that are due, once the oldest has waited for the batching window. */
  deliverDue(): Promise<void>;
  close(): void;
}

const deliverEveryMs = 1000;

/** An emulator of the SQS queue and its batching: messages wait their delay, and come again while they fail. */
export function startInvalidationQueue(handler: InvalidationsHandler, clock: Clock): LocalInvalidationQueue {
  let waiting: { id: number; sentAt: number; dueAt: number; body: string }[] = [];
  let sent = 0;
  let delivering: Promise<void> | undefined;

  async function deliver(): Promise<void> {
    const now = clock();
    const gathered = waiting.some(({ dueAt }) => dueAt + invalidationTiming.gatherSeconds * 1000 <= now);
    if (!gathered) return;
    const due = waiting.filter(({ dueAt }) => dueAt <= now);
    const Records = due.map(({ id, sentAt, body }) => {
      return { messageId: String(id), body, attributes: { SentTimestamp: String(sentAt) } } as SQSRecord;
    });
    const { batchItemFailures } = await handler({ Records });
    const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    waiting = waiting.filter((message) => !due.includes(message) || failed.has(String(message.id)));
  }

  const queue: LocalInvalidationQueue = {
    async send(targets) {
      const sentAt = clock();
      for (const delaySeconds of [0, invalidationTiming.againAfterSeconds]) {
        for (const body of invalidationMessages(targets)) {
          sent += 1;
          waiting.push({ id: sent, sentAt, dueAt: sentAt + delaySeconds * 1000, body });
        }
      }
    },
    async deliverDue() {
      delivering ??= deliver().finally(() => {
        delivering = undefined;
      });
      await delivering;
    },
    close: () => clearInterval(timer),
  };
  const timer = setInterval(() => void queue.deliverDue(), deliverEveryMs);
  timer.unref();
  return queue;
}
