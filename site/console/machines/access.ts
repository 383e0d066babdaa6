import type { Schemas } from '../api/client.ts';

type Access = Schemas['GrantAccess'];

/** Options of a grant's access level, for a select. */
export const accessOptions = [
  ['read', 'Read'],
  ['read_write', 'Read and write'],
] as const satisfies readonly (readonly [Access, string])[];

export const accessLabels = Object.fromEntries(accessOptions) as Readonly<Record<Access, string>>;
