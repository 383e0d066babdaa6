import type { SQSRecord } from 'aws-lambda';
import { answerKeepers, type ClosingAnnouncer, invalidationTiming } from '../domain/changes/closed-places.ts';
import type { Clock } from '../domain/time.ts';
import type { ClosingsHandler } from '../streams/closings.ts';

export interface InvalidationQueue extends ClosingAnnouncer {
  /** Delivers the messages that are due, once they have been gathered long enough. */
  deliverDue(): Promise<void>;
  close(): void;
}

const pollEveryMs = 1000;

/** Stands for an SQS queue with a batching window. Messages wait for their delay, and come again while they fail. */
export function startInvalidationQueue(handler: ClosingsHandler, clock: Clock): InvalidationQueue {
  let waiting: { id: number; dueAt: number; body: string }[] = [];
  let sent = 0;
  let delivering: Promise<void> | undefined;

  async function deliver(): Promise<void> {
    const now = clock();
    const gathered = waiting.some(({ dueAt }) => dueAt + invalidationTiming.gatherSeconds * 1000 <= now);
    if (!gathered) return;
    const due = waiting.filter(({ dueAt }) => dueAt <= now);
    const Records = due.map(({ id, body }) => ({ messageId: String(id), body }) as SQSRecord);
    const { batchItemFailures } = await handler({ Records });
    const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    waiting = waiting.filter((message) => !due.includes(message) || failed.has(String(message.id)));
  }

  const queue: InvalidationQueue = {
    async announce(places) {
      for (const delaySeconds of [0, invalidationTiming.againAfterSeconds]) {
        for (const keeper of answerKeepers) {
          sent += 1;
          const body = JSON.stringify({ keeper, places });
          waiting.push({ id: sent, dueAt: clock() + delaySeconds * 1000, body });
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
  const timer = setInterval(() => void queue.deliverDue(), pollEveryMs);
  timer.unref();
  return queue;
}
