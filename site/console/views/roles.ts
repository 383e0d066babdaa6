import type { Schemas } from '../api/client.ts';

type Role = Schemas['MembershipRole'];

/** What a role is to people. */
export const roleWords: Readonly<Record<Role, { name: string; are: string; to: string; hint: string }>> = {
  owners: { name: 'Owner', are: 'are an owner', to: 'be an owner', hint: 'everything, owners too' },
  maintainers: {
    name: 'Maintainer',
    are: 'are a maintainer',
    to: 'be a maintainer',
    hint: 'reads, writes and manages everything but owners',
  },
  write_data: { name: 'Writer', are: 'read and write data', to: 'read and write data', hint: 'reads and writes data' },
  read_data: { name: 'Reader', are: 'read data', to: 'read data', hint: 'reads data' },
};

/** For a select. */
export const roleOptions = (Object.keys(roleWords) as Role[])
  .reverse()
  .map((role) => [role, `${roleWords[role].name}: ${roleWords[role].hint}`] as const);
