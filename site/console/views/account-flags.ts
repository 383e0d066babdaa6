import type { Schemas } from '../api/client.ts';

type Flag = Schemas['AccountFlag'];

/** The rights that the flags of an account give, in words. */
export const flagNames: Readonly<Record<Flag, string>> = {
  create_repositories: 'Can create repositories on restricted storage',
  create_organizations: 'Can create organizations',
  create_data_connections: 'Can connect storage',
  admin: 'Administrator',
};

/** Returns the rights as one text, such as “Administrator, can connect storage”. */
export function listedFlags(flags: readonly Flag[]): string {
  const names = flags.map((flag) => flagNames[flag]).join(', ');
  return names.charAt(0) + names.slice(1).toLowerCase();
}
