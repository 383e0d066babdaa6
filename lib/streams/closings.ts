import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import * as z from 'zod';
import {
  type AnswerKeeper,
  type AnswerKeeperName,
  answerKeepers,
  type ClosedPlace,
  invalidationTiming,
} from '../domain/changes/closed-places.ts';

const announced = z.object({
  /** Those of an earlier release name none and are for all: a deployment finds some in the queue. */
  keeper: z.enum(answerKeepers).optional(),
  places: z.array(z.object({ account_id: z.string(), repository_id: z.string().optional() })),
});

/** What keeps answers, and the paths there of what it keeps about places. */
export interface Keeping {
  keeper: AnswerKeeper;
  pathsOf: (places: readonly ClosedPlace[]) => readonly string[];
}

export interface ClosingsServices {
  keepers: Readonly<Record<AnswerKeeperName, Keeping>>;
  log: (entry: { failure: unknown }) => void;
}

export type ClosingsHandler = (event: SQSEvent) => Promise<SQSBatchResponse>;

/**
 * Has what was gathered of closed places forgotten by what keeps answers. While one of them has enough to do, and when it
 * fails, its messages come again until the queue sets them aside, and nothing is said to the others twice. A message that
 * cannot be read comes again alone.
 */
export function createClosingsHandler({ keepers, log }: ClosingsServices): ClosingsHandler {
  const tell = async ({ keeper, pathsOf }: Keeping, places: readonly ClosedPlace[]): Promise<boolean> => {
    try {
      const { inProgress, inLastHour } = await keeper.countInvalidations();
      if (inProgress >= invalidationTiming.inProgressMax) return false;
      await keeper.invalidate(inLastHour >= invalidationTiming.exactPerHourMax ? ['/*'] : pathsOf(places));
      return true;
    } catch (failure) {
      log({ failure });
      return false;
    }
  };
  return async ({ Records }) => {
    const read = Records.map(({ messageId, body }) => ({ messageId, message: messageOf(body, log) }));
    const untold = await Promise.all(
      answerKeepers.map(async (name) => {
        const its = read.filter(({ message }) => message !== undefined && (message.keeper ?? name) === name);
        const places = its.flatMap(({ message }) => message?.places ?? []);
        return places.length === 0 || (await tell(keepers[name], places)) ? [] : its;
      }),
    );
    const again = new Set([...read.filter(({ message }) => message === undefined), ...untold.flat()]);
    return { batchItemFailures: Array.from(again, ({ messageId }) => ({ itemIdentifier: messageId })) };
  };
}

function messageOf(body: string, log: ClosingsServices['log']): z.infer<typeof announced> | undefined {
  try {
    return announced.parse(JSON.parse(body));
  } catch (failure) {
    log({ failure });
    return undefined;
  }
}
