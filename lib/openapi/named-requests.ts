import { foundKeyReportSchema, foundKeyVerdictSchema } from '../domain/changes/leaked-key-reports.ts';
import { limits } from '../domain/limits.ts';
import { createAccount, deleteAccount, setRepositoryLimit } from '../operations/accounts.ts';
import { createAccountApiKey } from '../operations/api-keys.ts';
import { createDataConnection, testDataConnection, updateDataConnection } from '../operations/data-connections.ts';
import { inviteAccountMember } from '../operations/memberships.ts';
import { revokeFoundKey, revokeFoundKeys } from '../operations/public.ts';
import { changeDataMode, createRepository, deleteRepository, updateRepository } from '../operations/repositories.ts';
import {
  changeServiceAccountKeyExpiry,
  createServiceAccount,
  issueServiceAccountKey,
  putGrant,
  trustWorkflow,
  updateServiceAccount,
} from '../operations/service-accounts.ts';
import { createDataCredentials } from '../operations/session.ts';
import { offerTransfer } from '../operations/transfers.ts';
import type { JsonSchema } from './document-types.ts';
import { connectionDescriptions } from './field-descriptions.ts';
import { named } from './schema-writer.ts';

export const namedRequests = [
  named('AccountRequest', createAccount.body, 'An account to create.', {
    account_id: 'It cannot be changed later. Some IDs are reserved (`id_reserved`).',
    identity_id:
      'For administrators: whose account it is, of the sign-in provider that is configured. Not for organizations.',
  }),
  named('AccountDeletion', deleteAccount.body, 'What is to be deleted, written out.', {
    confirm: 'The account ID.',
  }),
  named('ApiKeyRequest', createAccountApiKey.body, 'An API key to create.', {
    name: { description: 'Your label.', minLength: 1, maxLength: limits.apiKeyNameLengthMax },
    expires: 'A date and time with its zone, in the future and before the year 10000.',
  }),
  named('InvitationRequest', inviteAccountMember.body, 'Whom to invite.', {
    account_id: 'The enabled user account of someone else.',
  }),
  named('DataConnectionRequest', createDataConnection.body, 'A data connection to create.', {
    ...connectionDescriptions,
    authentication: 'Stored encrypted. Without it `read_only` must be true.',
  }),
  named('DataConnectionUpdate', updateDataConnection.body, 'A data connection as it shall be.', {
    ...connectionDescriptions,
    data_connection_id: 'The ID in the path.',
    details: 'Bucket, base prefix and endpoint stay as they are once a repository is placed here.',
    authentication: 'Left out, the stored credentials are kept.',
  }),
  named('DataConnectionTestRequest', testDataConnection.body, 'What the test may do.', {
    access:
      '`read` changes nothing; `read_write` also writes a small object directly below the base prefix, reads it and deletes it.',
  }),
  named('RepositoryRequest', createRepository.body, 'A repository to create.', {
    data_connection_id: 'A connection that you may use and that allows the data mode.',
    adopt_objects:
      'Needed where a repository of this ID was deleted and the new one is not private: its objects are still there, and would be published.',
  }),
  named('RepositoryUpdate', updateRepository.body, 'What of a repository can be changed.'),
  named('DataModeRequest', changeDataMode.body, 'Who is to read the objects.', {
    adopt_objects:
      'Needed to open a repository that was made private where a deleted one of its name was: its objects would be published.',
  }),
  named('RepositoryDeletion', deleteRepository.body, 'What is to be deleted, written out.', {
    confirm: '`<account_id>/<repository_id>`.',
  }),
  named('TransferRequest', offerTransfer.body, 'To whom a repository is offered.', {
    to: 'An enabled account of a person or an organization.',
  }),
  named('ServiceAccountRequest', createServiceAccount.body, 'A service account to create.', {
    name: 'The part of its ID after the two hyphens.',
    description: { maxLength: limits.serviceAccountDescriptionLengthMax },
  }),
  named('ServiceAccountKeyRequest', issueServiceAccountKey.body, 'A key to issue.', {
    label: { description: 'Where the key will live.', minLength: 1, maxLength: limits.serviceAccountKeyLabelLengthMax },
  }),
  named('ServiceAccountUpdate', updateServiceAccount.body, 'What of a service account can be changed.', {
    description: { maxLength: limits.serviceAccountDescriptionLengthMax },
  }),
  named(
    'KeyExpiryRequest',
    changeServiceAccountKeyExpiry.body,
    'The new expiry of a key, sooner or later than before.',
  ),
  named('RepositoryLimitRequest', setRepositoryLimit.body, 'How many repositories the account may have.'),
  named('DataCredentialsRequest', createDataCredentials.body, 'For which role, for how long, and for what.', {
    repository: 'As `<account_id>/<repository_id>`: the credentials reach nothing beyond it but what anyone may read.',
  }),
  named('GrantRequest', putGrant.body, 'The access to give.'),
  named(
    'TrustedWorkflowRequest',
    trustWorkflow.body,
    'Which runs to trust: a repository and one of branch, tag and environment. No wildcards.',
    {
      issuer: 'The CI system, by the `iss` of its tokens; the first that the deployment knows when left out.',
      repository: '`<owner>/<repository>`, also with `@<id>` after each name.',
    },
    exactlyOneOf(['branch'], ['tag'], ['environment']),
  ),
  named(
    'FoundKey',
    revokeFoundKey.body,
    'A key that was found where it should not be.',
    {
      key: 'The whole key of a service account.',
      access_key_id: 'Instead of `key`, of an API key: its ID,',
      secret_access_key: 'and its secret.',
    },
    exactlyOneOf(['key'], ['access_key_id', 'secret_access_key']),
  ),
  named('FoundKeys', revokeFoundKeys.body, 'Keys that were found where they should not be.'),
  named('FoundKeysAnswer', revokeFoundKeys.response, 'Which of them were no keys. Of the others it says nothing.', {
    malformed: 'Positions in `keys`, counted from 0.',
  }),
  named('FoundKeyMatch', foundKeyReportSchema.element, 'A key that the partner found.', {
    token: 'What was found, whole.',
    type: 'The kind of secret, as agreed with the partner.',
    url: 'Where.',
    source: 'In what.',
  }),
  named('FoundKeyVerdict', foundKeyVerdictSchema, 'What became of a match.', {
    token_hash: 'SHA-256 of what was found, base64.',
  }),
];

function exactlyOneOf(...groups: readonly string[][]): Pick<JsonSchema, 'oneOf'> {
  return { oneOf: groups.map((required) => ({ required })) };
}
