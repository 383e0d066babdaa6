import * as z from 'zod';
import { ServiceError } from '../errors.ts';
import { parseServiceAccountId } from '../identifiers.ts';
import { limits } from '../limits.ts';
import { boundedText, timestampSchema } from '../text.ts';

/** The role of the user who disabled an account or a repository: an owner or an administrator. */
export const disabledBySchema = z.enum(['owner', 'admin']);
export type DisabledBy = z.infer<typeof disabledBySchema>;

/** The fields of a disabled account or repository. An enabled one has none of them. */
export const disabling = {
  disabled_by: disabledBySchema.optional(),
  disabled_at: timestampSchema.optional(),
  disabled_reason: z.string().optional(),
};

/** The role of the user who disables a resource, and the reason that the members of the resource see. */
export interface Disabling {
  by: DisabledBy;
  reason?: string | undefined;
}

/** The optional body of a request that disables an account or a repository. */
export const disablingRequestSchema = z
  .strictObject({ reason: boundedText(limits.disabledReasonLengthMax).optional() })
  .optional();

/**
 * Returns the role and the reason of a request to disable an account or a repository. Ignores a reason that contains
 * only spaces.
 */
export function disablingOf({
  actsAsAdmin,
  body,
}: {
  actsAsAdmin: boolean;
  body: z.output<typeof disablingRequestSchema>;
}): Disabling {
  return { by: actsAsAdmin ? 'admin' : 'owner', reason: body?.reason?.trim() || undefined };
}

/** Returns the fields of an audit event that describe who disabled a resource, and why. */
export function disabledSubject({ by, reason }: Disabling): Record<string, string> {
  return { disabled_by: by, ...(reason === undefined ? {} : { reason }) };
}

/**
 * Returns the fields that a disabled resource stores. Returns the fields of an enabled resource if `disabling` is
 * undefined.
 */
export function disablingFields(disabling: Disabling | undefined, time: string) {
  return {
    disabled: disabling !== undefined,
    disabled_by: disabling?.by,
    disabled_at: disabling && time,
    disabled_reason: disabling?.reason,
  };
}

export interface Disableable {
  disabled: boolean;
  disabled_by?: DisabledBy | undefined;
  disabled_reason?: string | undefined;
}

/** Returns the role of the user who disabled a resource, or undefined if the resource is enabled. */
export function whoDisabled({ disabled, disabled_by = 'admin' }: Disableable): DisabledBy | undefined {
  return disabled ? disabled_by : undefined;
}

/**
 * Returns true if a request to disable the resource changes its state. An administrator's request replaces an owner's,
 * but an owner's request never replaces an administrator's. A second request with the same role can change the reason.
 */
export function isDisablingNews(thing: Disableable, { by, reason }: Disabling): boolean {
  const before = whoDisabled(thing);
  if (before === by) return reason !== undefined && reason !== thing.disabled_reason;
  return before === undefined || by === 'admin';
}

/**
 * Rejects service accounts, because separate routes disable and enable them.
 * @throws ServiceError `wrong_state`
 */
export function requireNoServiceAccount({ account_id }: { account_id: string }, verb: 'disable' | 'enable'): void {
  if (parseServiceAccountId(account_id) === undefined) return;
  const route = `POST /service-accounts/{service_account_id}/${verb}`;
  throw new ServiceError('wrong_state', `Service accounts have their own routes; ${verb} it with ${route}`);
}
