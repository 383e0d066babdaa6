import * as z from 'zod';

/** Who disabled an account or a repository: its owners, or an administrator. */
export const disabledBySchema = z.enum(['owner', 'admin']);
export type DisabledBy = z.infer<typeof disabledBySchema>;

/** The stored part. Service accounts store none: only their owners disable them. */
export const disabling = { disabled_by: disabledBySchema.optional() };

export interface Disableable {
  disabled: boolean;
  disabled_by?: DisabledBy | undefined;
}

/** Returns who disabled it, or undefined when it is enabled. */
export function whoDisabled({ disabled, disabled_by = 'admin' }: Disableable): DisabledBy | undefined {
  return disabled ? disabled_by : undefined;
}

/** Reports whether a disabling changes anything. An administrator's replaces an owner's, never the other way round. */
export function isDisablingNews(thing: Disableable, by: DisabledBy): boolean {
  const before = whoDisabled(thing);
  return before === undefined || (before === 'owner' && by === 'admin');
}
