import type { Schemas } from '../api/client.ts';

type Role = Schemas['MembershipRole'];

/** What a role is to people: the same name wherever they meet it. */
export const roleLabels: Readonly<Record<Role, { name: string; one: string; hint: string }>> = {
  owners: { name: 'Owner', one: 'an owner', hint: 'may do everything, owners too' },
  maintainers: { name: 'Maintainer', one: 'a maintainer', hint: 'reads, writes and manages everything but owners' },
  write_data: { name: 'Writer', one: 'a writer', hint: 'reads and writes data' },
  read_data: { name: 'Reader', one: 'a reader', hint: 'reads data' },
};

/** For a select, the least first; of those that somebody may give. */
export function roleOptions(roles: readonly Role[]): (readonly [Role, string])[] {
  return (Object.keys(roleLabels) as Role[])
    .filter((role) => roles.includes(role))
    .reverse()
    .map((role) => [role, `${roleLabels[role].name}: ${roleLabels[role].hint}`]);
}

/** What ends for `who` that leaves, or is removed from, something. What does not is told by `KeysLeft`. */
export function leavingStops(who: string, of: string): string[] {
  return [`${who} can no longer do anything with ${of} that is not open to everybody, from the next request on.`];
}
