import * as z from 'zod';

/** Who disabled an account or a repository: its own people, or the platform. */
export const disabledBySchema = z.enum(['owner', 'admin']);
export type DisabledBy = z.infer<typeof disabledBySchema>;

/** What the table keeps of it. Items that an older release disabled do not say who did, and count as an administrator's. */
export const disabling = { disabled_by: disabledBySchema.optional() };

export interface Disableable {
  disabled: boolean;
  disabled_by?: DisabledBy | undefined;
}

/** Undefined for what is not disabled. */
export function whoDisabled({ disabled, disabled_by = 'admin' }: Disableable): DisabledBy | undefined {
  return disabled ? disabled_by : undefined;
}

/** Whether a disabling changes anything: an administrator takes over what its owner had disabled, never the other way. */
export function isDisablingNews(thing: Disableable, by: DisabledBy): boolean {
  const before = whoDisabled(thing);
  return before === undefined || (before === 'owner' && by === 'admin');
}
