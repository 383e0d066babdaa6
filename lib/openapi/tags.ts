import type { Operation } from '../operations/operation.ts';

const descriptions: Readonly<Record<Exclude<Operation['group'], 'pages'>, string>> = {
  session: 'The caller and their temporary credentials.',
  accounts: 'Users, organizations and platform logins: profile, flags, audit trail.',
  memberships: 'Invitations to accounts and repositories, and the roles of members.',
  repositories: 'Collections of objects that an account owns.',
  transfers: 'Transfers of repositories to other accounts.',
  'data-connections': 'The storage of repositories.',
  'api-keys':
    'Keys that sign S3 requests at the data proxy. They also authenticate requests to this API in `Authorization`.',
  'service-accounts': 'Accounts for software, with their keys, trusted CI workflows and grants.',
  issuers: 'Issuers of identity tokens that an account registers, such as its own GitLab.',
  public: 'Operations without authentication.',
};

/** Returns the tags in reading order, without groups that have no operation. */
export function tagsOf(operations: readonly Operation[]): { name: string; description: string }[] {
  const groups = new Set<string>(operations.map(({ group }) => group));
  return Object.entries(descriptions)
    .filter(([name]) => groups.has(name))
    .map(([name, description]) => ({ name, description }));
}
