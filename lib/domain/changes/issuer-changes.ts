import * as z from 'zod';
import { parseServiceAccountId } from '../identifiers.ts';
import { parseTimestamp } from '../time.ts';
import { signInSchema } from './sign-ins.ts';
import type { TableChange } from './table-changes.ts';

/** A change that decides about the next fetch of a registered issuer, if the account has registered it. */
export type IssuerChange = { account_id: string; issuer: string } & (
  | { kind: 'keys_missed' }
  | { kind: 'used'; time: number }
);

const missSchema = z.object({ entity: z.literal('issuer_kid_miss'), account_id: z.string(), issuer: z.string() });
const trustSchema = z.object({
  entity: z.literal('trusted_workflow'),
  service_account_id: z.string(),
  issuer: z.string(),
});
const useSchema = signInSchema.extend({ entity: z.literal('sign_in'), registered_issuer: z.string() });

/**
 * Returns the effect of a change on a registered issuer: an exchange missed a key, a workload signed in, or a first
 * trust needs keys, which were not fetched while the issuer had none.
 */
export function issuerChangeOf({ before, after }: TableChange): IssuerChange | undefined {
  const miss = missSchema.safeParse(after).data;
  if (miss !== undefined) return { kind: 'keys_missed', account_id: miss.account_id, issuer: miss.issuer };
  if (before !== undefined) return undefined;
  const trust = trustSchema.safeParse(after).data;
  const account_id = trust && parseServiceAccountId(trust.service_account_id)?.owner_account_id;
  if (account_id !== undefined) return { kind: 'keys_missed', account_id, issuer: trust?.issuer ?? '' };
  const use = useSchema.safeParse(after).data;
  if (use === undefined) return undefined;
  return { kind: 'used', account_id: use.account_id, issuer: use.registered_issuer, time: parseTimestamp(use.time) };
}
