import { answerKeepers, type ClosingAnnouncer, invalidationTiming } from '../../domain/changes/closed-places.ts';
import { createMessageSender, type SendMessage } from '../aws/sqs.ts';

/** Puts what closed into the queue for each that keeps answers, twice: to be received at once, and later once more. */
export function createClosingAnnouncer(queueUrl: string, region: string, send?: SendMessage): ClosingAnnouncer {
  const sendMessage = send ?? createMessageSender(queueUrl, region);
  return {
    async announce(places) {
      const bodies = answerKeepers.map((keeper) => JSON.stringify({ keeper, places }));
      await Promise.all(
        [0, invalidationTiming.againAfterSeconds].flatMap((delaySeconds) =>
          bodies.map((body) => sendMessage(body, delaySeconds)),
        ),
      );
    },
  };
}
