import type { Schemas } from '../api/client.ts';

type Access = Schemas['GrantAccess'];

/** Options of a grant's access level, for a select. */
export const accessOptions = [
  ['read', 'Reads'],
  ['read_write', 'Reads and writes'],
] as const satisfies readonly (readonly [Access, string])[];

export const accessLabels = Object.fromEntries(accessOptions) as Readonly<Record<Access, string>>;
