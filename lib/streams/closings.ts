import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import * as z from 'zod';
import { type AnswerKeeper, type ClosedPlace, invalidationTiming } from '../domain/changes/closed-places.ts';

const announced = z.object({
  places: z.array(z.object({ account_id: z.string(), repository_id: z.string().optional() })),
});

/** What keeps answers, and the paths there of what it keeps about places. */
export interface Keeping {
  keeper: AnswerKeeper;
  pathsOf: (places: readonly ClosedPlace[]) => readonly string[];
}

export interface ClosingsServices {
  keepers: readonly Keeping[];
  log: (entry: { failure: unknown }) => void;
}

export type ClosingsHandler = (event: SQSEvent) => Promise<SQSBatchResponse>;

/**
 * Has what was gathered of closed places forgotten at once by everything that keeps answers. While one of them has enough
 * to do, and when one fails, the messages come again, until the queue sets them aside; the others are told all the same. A
 * message that cannot be read comes again alone.
 */
export function createClosingsHandler({ keepers, log }: ClosingsServices): ClosingsHandler {
  const tell = async ({ keeper, pathsOf }: Keeping, places: readonly ClosedPlace[]): Promise<boolean> => {
    try {
      if ((await keeper.countInvalidationsInProgress()) >= invalidationTiming.inProgressMax) return false;
      await keeper.invalidate(pathsOf(places));
      return true;
    } catch (failure) {
      log({ failure });
      return false;
    }
  };
  return async ({ Records }) => {
    const read = Records.map(({ messageId, body }) => ({ messageId, places: placesOf(body, log) }));
    const places = read.flatMap((message) => message.places ?? []);
    const told = places.length === 0 ? [] : await Promise.all(keepers.map((one) => tell(one, places)));
    const again = told.every(Boolean) ? read.filter((message) => message.places === undefined) : read;
    return { batchItemFailures: again.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };
}

function placesOf(body: string, log: ClosingsServices['log']): readonly ClosedPlace[] | undefined {
  try {
    return announced.parse(JSON.parse(body)).places;
  } catch (failure) {
    log({ failure });
    return undefined;
  }
}
