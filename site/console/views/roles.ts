import type { Schemas } from '../api/client.ts';

type Role = Schemas['MembershipRole'];

/** Labels of the roles, the same in all views. */
export const roleLabels: Readonly<Record<Role, { name: string; one: string; hint: string }>> = {
  owners: { name: 'Owner', one: 'an owner', hint: 'all rights, including owners' },
  maintainers: { name: 'Maintainer', one: 'a maintainer', hint: 'reads, writes and manages everything except owners' },
  write_data: { name: 'Writer', one: 'a writer', hint: 'reads and writes data' },
  read_data: { name: 'Reader', one: 'a reader', hint: 'reads data' },
};

/** Returns the given roles as options for a select. The role with the fewest permissions is first. */
export function roleOptions(roles: readonly Role[]): (readonly [Role, string])[] {
  return (Object.keys(roleLabels) as Role[])
    .filter((role) => roles.includes(role))
    .reverse()
    .map((role) => [role, `${roleLabels[role].name}: ${roleLabels[role].hint}`]);
}

/** Describes the access that a user loses by leaving or by removal. `KeysLeft` shows the keys that stay valid. */
export function leavingStops(who: string, of: string): string[] {
  return [`${who} can no longer use ${of}, except for open data, from the next request on.`];
}
