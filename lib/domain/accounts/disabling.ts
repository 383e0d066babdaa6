import * as z from 'zod';
import { ServiceError } from '../errors.ts';
import { parseServiceAccountId } from '../identifiers.ts';

/** The role of the user who disabled an account or a repository: an owner or an administrator. */
export const disabledBySchema = z.enum(['owner', 'admin']);
export type DisabledBy = z.infer<typeof disabledBySchema>;

/**
 * The stored field of an account or repository. Service accounts do not have it, because only their owners disable
 * them.
 */
export const disabling = { disabled_by: disabledBySchema.optional() };

export interface Disableable {
  disabled: boolean;
  disabled_by?: DisabledBy | undefined;
}

/** Returns the role of the user who disabled the resource, or undefined if it is enabled. */
export function whoDisabled({ disabled, disabled_by = 'admin' }: Disableable): DisabledBy | undefined {
  return disabled ? disabled_by : undefined;
}

/**
 * Returns true if a request to disable the resource changes its state. An administrator's request also replaces an
 * owner's, but not the reverse.
 */
export function isDisablingNews(thing: Disableable, by: DisabledBy): boolean {
  const before = whoDisabled(thing);
  return before === undefined || (before === 'owner' && by === 'admin');
}

/** Rejects service accounts, because their owners use other routes. @throws ServiceError `wrong_state` */
export function requireNoServiceAccount({ account_id }: { account_id: string }, verb: 'disable' | 'enable'): void {
  if (parseServiceAccountId(account_id) === undefined) return;
  const route = `POST /service-accounts/{service_account_id}/${verb}`;
  throw new ServiceError('wrong_state', `Service accounts have their own routes; ${verb} it with ${route}`);
}
