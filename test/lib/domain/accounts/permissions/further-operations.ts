import type { Matrix } from './matrix-shape.ts';

const Y = 'allowed';
const n = 'denied';
const u = 'unauthenticated';

/**
 * Rights for operations that the specification does not number: revocation of leaked keys, service accounts, lists, and
 * health.
 */
// biome-ignore format: a table is read by its columns
export const furtherOperations = {
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
  // Of what is enabled, to which nothing happens; enabling.test.ts has what is disabled.
  'enable-account': {
    user:         [u,n,  n,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
    organization: [u,n,  n,n,  Y,Y,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
    service:      [u,n,  n,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
  },
  // Rows for an enabled account. account-deletion.test.ts covers disabled accounts.
  'delete-account': {
    user:         [u,n,  Y,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
    organization: [u,n,  n,n,  Y,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
    service:      [u,n,  n,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
  },
  'list-audit-events': {
    user:         [u,n,  Y,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  Y,n,n,  n,n,n,  n],
    organization: [u,n,  n,n,  Y,Y,n,n,  n,n,n,n,  n,n,  n,n,  n,Y,n,  n,n,n,  n],
    service:      [u,n,  n,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
  },
  'set-repository-limit': {
    user:         [u,n,  n,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
    organization: [u,n,  n,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
    service:      [u,n,  n,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
  },
  'list-made-keys': {
    user:         [u,n,  Y,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  Y,n,n,  n,n,n,  n],
    organization: [u,n,  n,n,  Y,Y,n,n,  n,n,n,n,  n,n,  n,n,  n,Y,n,  n,n,n,  n],
    service:      [u,n,  n,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
  },
  'list-blocked-accounts': {
    user:         [u,n,  Y,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  Y,n,n,  n,n,n,  n],
    organization: [u,n,  n,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
    service:      [u,n,  n,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
  },
  'block-account': {
    user:         [u,n,  Y,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
    organization: [u,n,  n,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
    service:      [u,n,  n,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
  },
  'unblock-account': {
    user:         [u,n,  Y,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
    organization: [u,n,  n,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
    service:      [u,n,  n,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
  },
  // Rows for an enabled private repository. An admin without other rights reads no data.
  'get-repository-overview': {
    user:         [u,n,  Y,n,  Y,Y,Y,Y,  Y,Y,Y,Y,  n,n,  n,n,  Y,Y,n,  n,n,n,  n],
    organization: [u,n,  n,n,  Y,Y,Y,Y,  Y,Y,Y,Y,  n,n,  n,n,  n,Y,n,  n,n,n,  n],
    service:      [u,n,  n,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
  },
  'list-account-permissions': {
    user:         [Y,Y,  Y,Y,  Y,Y,Y,Y,  Y,Y,Y,Y,  Y,Y,  Y,Y,  Y,Y,Y,  Y,Y,Y,  Y],
    organization: [Y,Y,  Y,Y,  Y,Y,Y,Y,  Y,Y,Y,Y,  Y,Y,  Y,Y,  Y,Y,Y,  Y,Y,Y,  Y],
    service:      [Y,Y,  Y,Y,  Y,Y,Y,Y,  Y,Y,Y,Y,  Y,Y,  Y,Y,  Y,Y,Y,  Y,Y,Y,  Y],
  },
  'list-repository-permissions': {
    user:         [Y,Y,  Y,Y,  Y,Y,Y,Y,  Y,Y,Y,Y,  Y,Y,  Y,Y,  Y,Y,Y,  Y,Y,Y,  Y],
    organization: [Y,Y,  Y,Y,  Y,Y,Y,Y,  Y,Y,Y,Y,  Y,Y,  Y,Y,  Y,Y,Y,  Y,Y,Y,  Y],
    service:      [Y,Y,  Y,Y,  Y,Y,Y,Y,  Y,Y,Y,Y,  Y,Y,  Y,Y,  Y,Y,Y,  Y,Y,Y,  Y],
  },
  // The rights of an invitation. In addition, API keys are allowed, although they may not invite.
  'search-accounts': {
    user:         [u,n,  Y,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  Y,n,n,  n,n,n,  n],
    organization: [u,n,  n,n,  Y,Y,n,n,  n,n,n,n,  n,n,  n,n,  n,Y,n,  n,n,n,  n],
    service:      [u,n,  n,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
  },
  'search-accounts of a repository': {
    user:         [u,n,  Y,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  Y,n,n,  n,n,n,  Y],
    organization: [u,n,  n,n,  Y,Y,n,n,  Y,Y,n,n,  n,n,  n,n,  n,Y,n,  n,n,n,  Y],
  },
  'test-data-connection': {
    any:          [u,n,  n,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
  },
  'list-account-repositories': {
    user:         [Y,Y,  Y,Y,  Y,Y,Y,Y,  Y,Y,Y,Y,  Y,Y,  Y,Y,  Y,Y,Y,  Y,Y,Y,  Y],
    organization: [Y,Y,  Y,Y,  Y,Y,Y,Y,  Y,Y,Y,Y,  Y,Y,  Y,Y,  Y,Y,Y,  Y,Y,Y,  Y],
    service:      [Y,Y,  Y,Y,  Y,Y,Y,Y,  Y,Y,Y,Y,  Y,Y,  Y,Y,  Y,Y,Y,  Y,Y,Y,  Y],
  },
  'enable-repository': {
    user:         [u,n,  Y,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
    organization: [u,n,  n,n,  Y,Y,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
    service:      [u,n,  n,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  Y],
  },
  // Rows for an enabled repository, which no caller may delete. repository-lives.test.ts covers disabled ones.
  'delete-repository': {
    user:         [u,n,  Y,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
    organization: [u,n,  n,n,  Y,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
    service:      [u,n,  n,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
  },
  'change-data-mode': {
    user:         [u,n,  Y,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
    organization: [u,n,  n,n,  Y,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
    service:      [u,n,  n,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
  },
  'offer-transfer': {
    user:         [u,n,  Y,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
    organization: [u,n,  n,n,  Y,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
    service:      [u,n,  n,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
  },
  'list-transfers': {
    user:         [u,n,  Y,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  Y,n,n,  n,n,n,  n],
    organization: [u,n,  n,n,  Y,n,n,n,  n,n,n,n,  n,n,  n,n,  n,Y,n,  n,n,n,  n],
    service:      [u,n,  n,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
  },
  'accept-transfer': {
    user:         [u,n,  Y,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
    organization: [u,n,  n,n,  Y,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
  },
  'decline-transfer': {
    user:         [u,n,  Y,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
    organization: [u,n,  n,n,  Y,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
  },
  'withdraw-transfer': {
    user:         [u,n,  Y,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
    organization: [u,n,  n,n,  Y,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
  },
  'list-catalogue': {
    any:          [Y,Y,  Y,Y,  Y,Y,Y,Y,  Y,Y,Y,Y,  Y,Y,  Y,Y,  Y,Y,Y,  Y,Y,Y,  Y],
  },
  'create-service-account': {
    user:         [u,n,  Y,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
    organization: [u,n,  n,n,  Y,Y,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
    service:      [u,n,  n,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
  },
  'list-service-accounts': {
    user:         [u,n,  Y,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  Y,n,n,  n,n,n,  n],
    organization: [u,n,  n,n,  Y,Y,n,n,  n,n,n,n,  n,n,  n,n,  n,Y,n,  n,n,n,  n],
    service:      [u,n,  n,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
  },
  'get-service-account': {
    user:         [u,n,  Y,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  Y,n,n,  n,n,n,  n],
    organization: [u,n,  n,n,  Y,Y,n,n,  n,n,n,n,  n,n,  n,n,  n,Y,n,  n,n,n,  n],
  },
  'get-client-settings': {
    user:         [u,n,  Y,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  Y,n,n,  n,n,n,  n],
    organization: [u,n,  n,n,  Y,Y,n,n,  n,n,n,n,  n,n,  n,n,  n,Y,n,  n,n,n,  n],
  },
  'update-service-account': {
    user:         [u,n,  Y,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
    organization: [u,n,  n,n,  Y,Y,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
  },
  'delete-service-account': {
    user:         [u,n,  Y,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
    organization: [u,n,  n,n,  Y,Y,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
  },
  'disable-service-account': {
    user:         [u,n,  Y,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
    organization: [u,n,  n,n,  Y,Y,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
  },
  'enable-service-account': {
    user:         [u,n,  Y,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
    organization: [u,n,  n,n,  Y,Y,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
  },
  'issue-service-account-key': {
    user:         [u,n,  Y,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
    organization: [u,n,  n,n,  Y,Y,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
  },
  'list-service-account-keys': {
    user:         [u,n,  Y,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  Y,n,n,  n,n,n,  n],
    organization: [u,n,  n,n,  Y,Y,n,n,  n,n,n,n,  n,n,  n,n,  n,Y,n,  n,n,n,  n],
  },
  'revoke-service-account-key': {
    user:         [u,n,  Y,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
    organization: [u,n,  n,n,  Y,Y,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
  },
  'change-service-account-key-expiry': {
    user:         [u,n,  Y,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
    organization: [u,n,  n,n,  Y,Y,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
  },
  'put-grant': {
    user:         [u,n,  Y,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
    organization: [u,n,  n,n,  Y,Y,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
  },
  'list-grants': {
    user:         [u,n,  Y,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  Y,n,n,  n,n,n,  n],
    organization: [u,n,  n,n,  Y,Y,n,n,  n,n,n,n,  n,n,  n,n,  n,Y,n,  n,n,n,  n],
  },
  'remove-grant': {
    user:         [u,n,  Y,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
    organization: [u,n,  n,n,  Y,Y,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
  },
  'trust-workflow': {
    user:         [u,n,  Y,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
    organization: [u,n,  n,n,  Y,Y,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
  },
  'list-trusted-workflows': {
    user:         [u,n,  Y,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  Y,n,n,  n,n,n,  n],
    organization: [u,n,  n,n,  Y,Y,n,n,  n,n,n,n,  n,n,  n,n,  n,Y,n,  n,n,n,  n],
  },
  'remove-trusted-workflow': {
    user:         [u,n,  Y,n,  n,n,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
    organization: [u,n,  n,n,  Y,Y,n,n,  n,n,n,n,  n,n,  n,n,  n,n,n,  n,n,n,  n],
  },
  'create-data-credentials': {
    any:          [u,n,  Y,Y,  Y,Y,Y,Y,  Y,Y,Y,Y,  Y,Y,  n,n,  n,n,n,  n,n,n,  Y],
  },
  'revoke-found-key': {
    any:          [Y,Y,  Y,Y,  Y,Y,Y,Y,  Y,Y,Y,Y,  Y,Y,  Y,Y,  Y,Y,Y,  Y,Y,Y,  Y],
  },
  'revoke-found-keys': {
    any:          [Y,Y,  Y,Y,  Y,Y,Y,Y,  Y,Y,Y,Y,  Y,Y,  Y,Y,  Y,Y,Y,  Y,Y,Y,  Y],
  },
  'report-found-keys': {
    any:          [Y,Y,  Y,Y,  Y,Y,Y,Y,  Y,Y,Y,Y,  Y,Y,  Y,Y,  Y,Y,Y,  Y,Y,Y,  Y],
  },
  'get-health': {
    any:          [Y,Y,  Y,Y,  Y,Y,Y,Y,  Y,Y,Y,Y,  Y,Y,  Y,Y,  Y,Y,Y,  Y,Y,Y,  Y],
  },
  'get-openapi': {
    any:          [Y,Y,  Y,Y,  Y,Y,Y,Y,  Y,Y,Y,Y,  Y,Y,  Y,Y,  Y,Y,Y,  Y,Y,Y,  Y],
  },
  'get-docs': {
    any:          [Y,Y,  Y,Y,  Y,Y,Y,Y,  Y,Y,Y,Y,  Y,Y,  Y,Y,  Y,Y,Y,  Y,Y,Y,  Y],
  },
  'answer-unknown-route': {
    any:          [Y,Y,  Y,Y,  Y,Y,Y,Y,  Y,Y,Y,Y,  Y,Y,  Y,Y,  Y,Y,Y,  Y,Y,Y,  Y],
  },
} as const satisfies Partial<Matrix>;
