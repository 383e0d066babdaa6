import type { Schemas } from '../api/client.ts';

type Access = Schemas['GrantAccess'];

/** The access levels of a grant, as options of a select. */
export const accessOptions = [
  ['read', 'Read'],
  ['read_write', 'Read and write'],
] as const satisfies readonly (readonly [Access, string])[];

export const accessLabels = Object.fromEntries(accessOptions) as Readonly<Record<Access, string>>;
