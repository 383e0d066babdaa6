import * as z from 'zod';
import { parseServiceAccountId } from '../identifiers.ts';
import { parseTimestamp } from '../time.ts';
import type { TableChange } from './table-changes.ts';

/** A change that decides about the next fetch of an issuer, if the account has registered it. */
export type IssuerChange = { account_id: string; issuer: string } & (
  | { kind: 'keys_missed' }
  | { kind: 'used'; time: number }
);

const missSchema = z.object({ entity: z.literal('issuer_kid_miss'), account_id: z.string(), issuer: z.string() });
const trustSchema = z.object({
  entity: z.literal('trusted_workflow'),
  service_account_id: z.string(),
  issuer: z.string(),
  last_used_at: z.string().nullable(),
});

/**
 * Returns the effect of a change on a registered issuer. An exchange missed a key, or a trusted workflow signed in for
 * the first time on a day. A new trust also needs keys, because the service fetches none for an issuer without trusts.
 */
export function issuerChangeOf({ before, after }: TableChange): IssuerChange | undefined {
  const miss = missSchema.safeParse(after).data;
  if (miss !== undefined) return { kind: 'keys_missed', account_id: miss.account_id, issuer: miss.issuer };
  const trust = trustSchema.safeParse(after).data;
  if (trust === undefined) return undefined;
  const { issuer, last_used_at } = trust;
  const account_id = parseServiceAccountId(trust.service_account_id)?.owner_account_id;
  if (account_id === undefined) return undefined;
  if (before === undefined) return { kind: 'keys_missed', account_id, issuer };
  const earlier = trustSchema.safeParse(before).data?.last_used_at;
  if (last_used_at === null || dayOf(last_used_at) === dayOf(earlier ?? '')) return undefined;
  return { kind: 'used', account_id, issuer, time: parseTimestamp(last_used_at) };
}

function dayOf(timestamp: string): string {
  return timestamp.slice(0, 10);
}
