import type { NumberedRows } from './matrix-shape.ts';

const Y = 'allowed';
const n = 'denied';
const u = 'unauthenticated';

/**
 * The table of section "Authentication" of the specification, for the operations that section 4.1 numbers. A kind of
 * caller that the specification omits has `n` here, even an admin. Three rules are not in that table. The user of a
 * personal account counts as an owner of its repositories. A user's API key may read what its user may read, create and
 * update repositories, and update profiles. Row 9 leaves platform service accounts to admins.
 */
// biome-ignore format: a table is read by its columns
export const specifiedOperations = {
  //               anonymous, newcomer
  //               |     self, stranger
  //               |     |     owners, maintainers, read_data, write_data of the account
  //               |     |     |         the same of the repository
  //               |     |     |         |         invited, revoked
  //               |     |     |         |         |     disabled: user, admin
  //               |     |     |         |         |     |     keys: of self, of owners, of an admin
  //               |     |     |         |         |     |     |       keys: of a service account, organization, repository
  //               |     |     |         |         |     |     |       |       admin
  //               |     |     |         |         |     |     |       |       |
  'create-account-api-key': {
    number: 1,
    user:         [u,n,  Y,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
    organization: [u,n,  n,n,  Y,Y,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
    service:      [u,n,  n,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
  },
  'list-account-api-keys': {
    number: 2,
    user:         [u,n,  Y,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  Y,n,n,  n,n,n,  n],
    organization: [u,n,  n,n,  Y,Y,n,n,  n,n,n,n,  n,n,  n,n,  n,Y,n,  n,n,n,  n],
    service:      [u,n,  n,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
  },
  'revoke-api-key': {
    number: 3,
    user:         [u,n,  Y,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
    organization: [u,n,  n,n,  Y,Y,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
    service:      [u,n,  n,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
  },
  'revoke-api-key of a repository': {
    number: 3,
    user:         [u,n,  Y,n,  n,n,n,n,  Y,Y,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
    organization: [u,n,  n,n,  Y,Y,n,n,  Y,Y,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
  },
  'create-repository-api-key': {
    number: 4,
    user:         [u,n,  Y,n,  n,n,n,n,  Y,Y,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
    organization: [u,n,  n,n,  Y,Y,n,n,  Y,Y,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
    service:      [u,n,  n,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
  },
  'list-repository-api-keys': {
    number: 5,
    user:         [u,n,  Y,n,  n,n,n,n,  Y,Y,n,n,  n,n,  n,n,  Y,n,n,  n,n,n,  Y],
    organization: [u,n,  n,n,  Y,Y,n,n,  Y,Y,n,n,  n,n,  n,n,  n,Y,n,  n,n,n,  Y],
    service:      [u,n,  n,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
  },
  'get-account-flags': {
    number: 6,
    user:         [u,n,  Y,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  Y,n,n,  n,n,n,  Y],
    organization: [u,n,  n,n,  Y,Y,n,n,  n,n,n,n,  n,n,  n,n,  n,Y,n,  n,n,n,  Y],
    service:      [u,n,  n,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
  },
  'update-account-flags': {
    number: 7,
    user:         [u,n,  n,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
    organization: [u,n,  n,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
    service:      [u,n,  n,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
  },
  'get-account': {
    number: 8,
    user:         [u,n,  Y,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  Y,n,n,  n,n,n,  Y],
    organization: [u,n,  n,n,  Y,Y,n,n,  n,n,n,n,  n,n,  n,n,  n,Y,n,  n,n,n,  Y],
    service:      [u,n,  n,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
  },
  'disable-account': {
    number: 9,
    user:         [u,n,  n,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
    organization: [u,n,  n,n,  Y,Y,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
    service:      [u,n,  n,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
  },
  'invite-account-member': {
    number: 10,
    user:         [u,n,  Y,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
    organization: [u,n,  n,n,  Y,Y,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
    service:      [u,n,  n,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
  },
  'list-account-members': {
    number: 11,
    user:         [u,n,  Y,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  Y,n,n,  n,n,n,  n],
    organization: [u,n,  n,n,  Y,Y,n,n,  n,n,n,n,  n,n,  n,n,  n,Y,n,  n,n,n,  n],
    service:      [u,n,  n,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
  },
  'get-profile': {
    number: 12,
    user:         [Y,Y,  Y,Y,  Y,Y,Y,Y,  Y,Y,Y,Y,  Y,Y,  Y,Y,  Y,Y,Y,  Y,Y,Y,  Y],
    organization: [Y,Y,  Y,Y,  Y,Y,Y,Y,  Y,Y,Y,Y,  Y,Y,  Y,Y,  Y,Y,Y,  Y,Y,Y,  Y],
    service:      [Y,Y,  Y,Y,  Y,Y,Y,Y,  Y,Y,Y,Y,  Y,Y,  Y,Y,  Y,Y,Y,  Y,Y,Y,  Y],
  },
  'update-profile': {
    number: 13,
    user:         [u,n,  Y,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  Y,n,n,  n,n,n,  Y],
    organization: [u,n,  n,n,  Y,n,n,n,  n,n,n,n,  n,n,  n,n,  n,Y,n,  n,n,n,  Y],
    service:      [u,n,  n,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
  },
  'create-account': {
    number: 14,
    user:         [u,Y,  n,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
    organization: [u,n,  Y,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
    service:      [u,n,  n,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
  },
  'accept-membership': {
    number: 15,
    user:         [u,n,  n,n,  n,n,n,n,  n,n,n,n,  Y,n,  n,n,  n,n,n,  n,n,n,  Y],
    organization: [u,n,  n,n,  n,n,n,n,  n,n,n,n,  Y,n,  n,n,  n,n,n,  n,n,n,  Y],
    service:      [u,n,  n,n,  n,n,n,n,  n,n,n,n,  Y,n,  n,n,  n,n,n,  n,n,n,  Y],
  },
  'accept-membership of a repository': {
    number: 15,
    user:         [u,n,  n,n,  n,n,n,n,  n,n,n,n,  Y,n,  n,n,  n,n,n,  n,n,n,  Y],
    organization: [u,n,  n,n,  n,n,n,n,  n,n,n,n,  Y,n,  n,n,  n,n,n,  n,n,n,  Y],
  },
  'reject-membership': {
    number: 16,
    user:         [u,n,  n,n,  n,n,n,n,  n,n,n,n,  Y,n,  n,n,  n,n,n,  n,n,n,  Y],
    organization: [u,n,  n,n,  n,n,n,n,  n,n,n,n,  Y,n,  n,n,  n,n,n,  n,n,n,  Y],
    service:      [u,n,  n,n,  n,n,n,n,  n,n,n,n,  Y,n,  n,n,  n,n,n,  n,n,n,  Y],
  },
  'reject-membership of a repository': {
    number: 16,
    user:         [u,n,  n,n,  n,n,n,n,  n,n,n,n,  Y,n,  n,n,  n,n,n,  n,n,n,  Y],
    organization: [u,n,  n,n,  n,n,n,n,  n,n,n,n,  Y,n,  n,n,  n,n,n,  n,n,n,  Y],
  },
  'revoke-membership': {
    number: 17,
    user:         [u,n,  Y,n,  n,n,n,n,  n,n,n,n,  Y,n,  n,n,  n,n,n,  n,n,n,  Y],
    organization: [u,n,  n,n,  Y,Y,n,n,  n,n,n,n,  Y,n,  n,n,  n,n,n,  n,n,n,  Y],
    service:      [u,n,  n,n,  n,n,n,n,  n,n,n,n,  Y,n,  n,n,  n,n,n,  n,n,n,  Y],
  },
  'revoke-membership of a repository': {
    number: 17,
    user:         [u,n,  Y,n,  n,n,n,n,  n,n,n,n,  Y,n,  n,n,  n,n,n,  n,n,n,  Y],
    organization: [u,n,  n,n,  Y,Y,n,n,  Y,Y,n,n,  Y,n,  n,n,  n,n,n,  n,n,n,  Y],
  },
  'update-membership-role': {
    number: 18,
    user:         [u,n,  Y,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
    organization: [u,n,  n,n,  Y,Y,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
    service:      [u,n,  n,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
  },
  'update-membership-role of a repository': {
    number: 18,
    user:         [u,n,  Y,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
    organization: [u,n,  n,n,  Y,Y,n,n,  Y,Y,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
  },
  'invite-repository-member': {
    number: 19,
    user:         [u,n,  Y,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
    organization: [u,n,  n,n,  Y,Y,n,n,  Y,Y,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
    service:      [u,n,  n,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
  },
  'list-repository-members': {
    number: 20,
    user:         [u,n,  Y,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  Y,n,n,  n,n,n,  Y],
    organization: [u,n,  n,n,  Y,Y,n,n,  Y,Y,n,n,  n,n,  n,n,  n,Y,n,  n,n,n,  Y],
    service:      [u,n,  n,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
  },
  'get-data-connection': {
    number: 21,
    any:          [u,n,  Y,Y,  Y,Y,Y,Y,  Y,Y,Y,Y,  Y,Y,  n,n,  Y,Y,Y,  n,n,n,  Y],
  },
  'update-data-connection': {
    number: 22,
    any:          [u,n,  n,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
  },
  'disable-data-connection': {
    number: 23,
    any:          [u,n,  n,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
  },
  'list-available-data-connections': {
    number: 24,
    any:          [u,n,  Y,Y,  Y,Y,Y,Y,  Y,Y,Y,Y,  Y,Y,  n,n,  Y,Y,Y,  n,n,n,  Y],
  },
  'list-data-connections': {
    number: 25,
    any:          [u,n,  Y,Y,  Y,Y,Y,Y,  Y,Y,Y,Y,  Y,Y,  n,n,  Y,Y,Y,  n,n,n,  Y],
  },
  'create-data-connection': {
    number: 26,
    any:          [u,n,  n,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
  },
  'update-repository': {
    number: 27,
    user:         [u,n,  Y,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  Y,n,n,  n,n,n,  Y],
    organization: [u,n,  n,n,  Y,Y,n,n,  n,n,n,n,  n,n,  n,n,  n,Y,n,  n,n,n,  Y],
    service:      [u,n,  n,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
  },
  'disable-repository': {
    number: 28,
    user:         [u,n,  Y,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
    organization: [u,n,  n,n,  Y,Y,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
    service:      [u,n,  n,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
  },
  'get-repository': {
    number: 29,
    user:         [u,n,  Y,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  Y,n,n,  n,n,n,  Y],
    organization: [u,n,  n,n,  Y,Y,n,n,  n,n,n,n,  n,n,  n,n,  n,Y,n,  n,n,n,  Y],
    service:      [u,n,  n,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
  },
  'create-repository': {
    number: 30,
    user:         [u,n,  Y,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  Y,n,n,  n,n,n,  Y],
    organization: [u,n,  n,n,  Y,Y,n,n,  n,n,n,n,  n,n,  n,n,  n,Y,n,  n,n,n,  Y],
    service:      [u,n,  n,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
  },
  'get-session': {
    number: 31,
    any:          [u,Y,  Y,Y,  Y,Y,Y,Y,  Y,Y,Y,Y,  Y,Y,  Y,Y,  Y,Y,Y,  Y,Y,Y,  Y],
  },
} as const satisfies NumberedRows;
