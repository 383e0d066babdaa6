import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import * as z from 'zod';
import { type AnswerKeeper, invalidationPaths, invalidationTiming } from '../domain/changes/closed-places.ts';

const announced = z.object({
  places: z.array(z.object({ account_id: z.string(), repository_id: z.string().optional() })),
});

export interface ClosingsServices {
  keeper: AnswerKeeper;
  /** Whether account names are host labels somewhere. */
  hasVirtualHosts: boolean;
  log: (entry: { failure: unknown }) => void;
}

export type ClosingsHandler = (event: SQSEvent) => Promise<SQSBatchResponse>;

/**
 * Has what was gathered of closed places forgotten at once by what keeps answers. While it has enough to do, and when it
 * fails, the messages come again, until the queue sets them aside.
 */
export function createClosingsHandler({ keeper, hasVirtualHosts, log }: ClosingsServices): ClosingsHandler {
  return async ({ Records }) => {
    const again = { batchItemFailures: Records.map(({ messageId }) => ({ itemIdentifier: messageId })) };
    try {
      const places = Records.flatMap(({ body }) => announced.parse(JSON.parse(body)).places);
      if (places.length === 0) return { batchItemFailures: [] };
      if ((await keeper.countInvalidationsInProgress()) >= invalidationTiming.inProgressMax) return again;
      await keeper.invalidate(invalidationPaths(places, hasVirtualHosts));
      return { batchItemFailures: [] };
    } catch (failure) {
      log({ failure });
      return again;
    }
  };
}
