import * as z from 'zod';
import { parseServiceAccountId } from '../identifiers.ts';
import { parseTimestamp } from '../time.ts';
import type { TableChange } from './table-changes.ts';

/**
 * A table change after which the service may have to fetch the signing keys of an issuer that an account registered.
 */
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
 * Returns the effect of a table change on a registered issuer, or undefined if it has none.
 *
 * Three changes have an effect: an exchange did not find a signing key, a trusted workflow signed in for the first time
 * on a day, or an owner trusted a workflow. The first trusted workflow makes the service fetch the signing keys, which
 * an issuer without workflows does not need.
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
