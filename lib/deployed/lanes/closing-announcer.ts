import { type ClosingAnnouncer, invalidationTiming } from '../../domain/changes/closed-places.ts';
import { createMessageSender, type SendMessage } from '../aws/sqs.ts';

/** Puts what closed into the queue twice: to be received at once, and later once more. */
export function createClosingAnnouncer(queueUrl: string, region: string, send?: SendMessage): ClosingAnnouncer {
  const sendMessage = send ?? createMessageSender(queueUrl, region);
  return {
    async announce(places) {
      const body = JSON.stringify({ places });
      await Promise.all(
        [0, invalidationTiming.againAfterSeconds].map((delaySeconds) => sendMessage(body, delaySeconds)),
      );
    },
  };
}
