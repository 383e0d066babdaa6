import * as z from 'zod';
import { shownNameSchema } from '../accounts/accounts.ts';
import { ServiceError } from '../errors.ts';
import { identifierSchema, uuidSchema } from '../identifiers.ts';
import { limits } from '../limits.ts';
import { timestampSchema } from '../text.ts';
import { dayMs, parseTimestamp, toTimestamp } from '../time.ts';

/**
 * The states of a transfer offer. `ended`: the offer expired, or the repository or the receiving account no longer
 * exists.
 */
const transferStates = ['offered', 'accepted', 'declined', 'withdrawn', 'ended'] as const;
export const transferStateSchema = z.enum(transferStates);
export type TransferState = z.infer<typeof transferStateSchema>;

/** An offer of a repository to another account. */
export const transferSchema = z.object({
  transfer_id: uuidSchema,
  /** The path of the repository at the time of the offer. */
  account_id: identifierSchema,
  repository_id: identifierSchema,
  to: identifierSchema,
  state: transferStateSchema,
  state_changed: timestampSchema,
  created_at: timestampSchema,
  expires_at: timestampSchema,
});
export type Transfer = z.infer<typeof transferSchema>;

/** A transfer in list responses. */
export const listedTransferSchema = transferSchema.extend({ account_name: shownNameSchema, to_name: shownNameSchema });

/**
 * The stored transfer. The internal ID of the repository distinguishes it from another repository with the same name.
 */
export const transferRecord = transferSchema.extend({ repository_uid: z.string(), data_connection_id: z.string() });
export type TransferRecord = z.infer<typeof transferRecord>;

export function endOfOffer(offeredAt: number): number {
  return offeredAt + limits.transferOfferLifeDays * dayMs;
}

/**
 * Returns the transfer offer with its state at the given time. An expired offer counts as ended, even if the stored
 * state is still `offered`.
 */
export function transferAt<Stored extends Transfer>(transfer: Stored, now: number): Stored {
  if (transfer.state !== 'offered' || now < parseTimestamp(transfer.expires_at)) return transfer;
  return { ...transfer, state: 'ended', state_changed: transfer.expires_at };
}

/** Throws `wrong_state` for a transfer offer that was answered or has ended. */
export function requireOffered({ state }: Pick<Transfer, 'state'>): void {
  if (state === 'offered') return;
  const why = state === 'ended' ? 'its time is over' : `it was ${state}`;
  throw new ServiceError('wrong_state', `This offer is no longer open: ${why}; create a new one`);
}

/** Returns the transfer offer with its final state and the time of the answer. */
export function closedTransfer<Stored extends Transfer>(
  transfer: Stored,
  state: Exclude<TransferState, 'offered'>,
  now: number,
): Stored {
  return { ...transfer, state, state_changed: toTimestamp(now) };
}
