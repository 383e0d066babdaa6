import type { Operation } from '../operations/operation.ts';

const descriptions: Readonly<Record<Exclude<Operation['group'], 'pages'>, string>> = {
  session: 'Who the caller is.',
  accounts: 'People, organizations and platform service accounts: profile, flags, audit trail.',
  memberships: 'Invitations to accounts and repositories, and the roles that come of them.',
  repositories: 'Collections of objects that an account owns.',
  transfers: 'Offers of repositories to other accounts.',
  'data-connections': 'The storage that repositories are placed on.',
  'api-keys': 'Keys that sign S3 requests at the data proxy, and requests to this API as `Authorization`.',
  'service-accounts':
    'Accounts for software: their keys, the CI workflows they trust, and the repositories they are granted.',
  public: 'For anyone, without an account.',
};

/** Returns the tags in reading order, without groups that have no operation. */
export function tagsOf(operations: readonly Operation[]): { name: string; description: string }[] {
  const groups = new Set<string>(operations.map(({ group }) => group));
  return Object.entries(descriptions)
    .filter(([name]) => groups.has(name))
    .map(([name, description]) => ({ name, description }));
}
