import {
  type InvalidationQueue,
  invalidationMessages,
  invalidationTiming,
} from '../../domain/changes/invalidations.ts';
import { createMessageSender, type SendMessage } from '../aws/sqs.ts';

/** Sends each message twice: once without a delay, and once with a delay. */
export function createInvalidationQueue(queueUrl: string, region: string, send?: SendMessage): InvalidationQueue {
  const sendMessage = send ?? createMessageSender(queueUrl, region);
  return {
    async send(targets) {
      const bodies = invalidationMessages(targets);
      await Promise.all(
        [0, invalidationTiming.againAfterSeconds].flatMap((delaySeconds) =>
          bodies.map((body) => sendMessage(body, delaySeconds)),
        ),
      );
    },
  };
}
