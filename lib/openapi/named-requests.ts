import { leakReportSchema, leakVerdictSchema } from '../domain/changes/leaked-key-reports.ts';
import { limits } from '../domain/limits.ts';
import { createAccount, deleteAccount, setRepositoryLimit } from '../operations/accounts.ts';
import { createAccountApiKey } from '../operations/api-keys.ts';
import {
  createAccountDataConnection,
  createDataConnection,
  testDataConnection,
  updateDataConnection,
} from '../operations/data-connections.ts';
import { registerIssuer } from '../operations/issuers.ts';
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
  updateServiceAccountSettings,
} from '../operations/service-accounts.ts';
import { createDataCredentials } from '../operations/session.ts';
import { offerTransfer } from '../operations/transfers.ts';
import { createVersion, updateVersionDoi, withdrawVersion } from '../operations/versions.ts';
import type { JsonSchema } from './document-types.ts';
import { connectionDescriptions, serviceAccountSettingsDescriptions } from './field-descriptions.ts';
import { named } from './schema-writer.ts';

export const namedRequests = [
  named('AccountRequest', createAccount.body, 'An account to create.', {
    account_id: 'The ID of the account. It never changes. Some IDs are reserved (`id_reserved`).',
    identity_id:
      'The identity at the configured sign-in provider. Only administrators can send it, and not for organizations.',
  }),
  named('AccountDeletion', deleteAccount.body, 'A confirmation of the deletion.', {
    confirm: 'The account ID.',
  }),
  named('ApiKeyRequest', createAccountApiKey.body, 'An API key to create.', {
    name: { description: 'The label of the key.', minLength: 1, maxLength: limits.apiKeyNameLengthMax },
    expires: 'A future date and time with a time zone, before the year 10000.',
  }),
  named('InvitationRequest', inviteAccountMember.body, 'An invitation.', {
    account_id: 'The enabled account of another user.',
  }),
  named('DataConnectionRequest', createDataConnection.body, 'A data connection to create.', {
    ...connectionDescriptions,
    authentication: 'Stored encrypted. Without it `read_only` must be true.',
  }),
  named('AccountDataConnectionRequest', createAccountDataConnection.body, 'Storage of an account to connect.', {
    ...connectionDescriptions,
    authentication: 'Stored encrypted. Without it `read_only` must be true.',
  }),
  named('DataConnectionUpdate', updateDataConnection.body, 'The new state of a data connection.', {
    ...connectionDescriptions,
    owner_account_id: 'Ignored, so that a client can send back what it read.',
    state: 'Ignored, for the same reason.',
    data_connection_id: 'The ID in the path.',
    details:
      'The location of the storage. Bucket, base prefix and endpoint cannot change while a repository uses the connection.',
    authentication: 'The new credentials. Without this field, the stored credentials stay.',
  }),
  named('DataConnectionTestRequest', testDataConnection.body, 'The access that the test uses.', {
    access:
      '`read` changes nothing; `read_write` also writes a small object directly below the base prefix, reads it and deletes it.',
  }),
  named('RepositoryRequest', createRepository.body, 'A repository to create.', {
    data_connection_id: 'A data connection that you may use and that allows the data mode.',
    adopt_objects:
      'Required when a deleted repository had this ID and the new one is not private, because its remaining objects become readable.',
  }),
  named('RepositoryUpdate', updateRepository.body, 'The fields of a repository that can change.'),
  named('DataModeRequest', changeDataMode.body, 'The new data mode.', {
    adopt_objects:
      'Required to open a private repository when a deleted repository had its ID, because the remaining objects become readable.',
  }),
  named('RepositoryDeletion', deleteRepository.body, 'A confirmation of the deletion.', {
    confirm: '`<account_id>/<repository_id>`.',
    withdraw_versions:
      'Deletes the repository also if it has versions, after 7 days. Nobody can read the versions from then on.',
  }),
  named('TransferRequest', offerTransfer.body, 'The receiver of a repository.', {
    to: 'An enabled account of a user or an organization.',
  }),
  named('ServiceAccountRequest', createServiceAccount.body, 'A service account to create.', {
    name: 'The part of its ID after the two hyphens.',
    description: { maxLength: limits.serviceAccountDescriptionLengthMax },
  }),
  named('ServiceAccountKeyRequest', issueServiceAccountKey.body, 'A key to issue.', {
    label: {
      description: 'The label of the key, such as the computer that uses it.',
      minLength: 1,
      maxLength: limits.serviceAccountKeyLabelLengthMax,
    },
  }),
  named('ServiceAccountUpdate', updateServiceAccount.body, 'The new description of a service account.', {
    description: { maxLength: limits.serviceAccountDescriptionLengthMax },
  }),
  named('ServiceAccountSettings', updateServiceAccountSettings.body, 'The settings of a service account to change.', {
    ...serviceAccountSettingsDescriptions,
  }),
  named(
    'KeyExpiryRequest',
    changeServiceAccountKeyExpiry.body,
    'The new expiry of a key. It may be earlier or later than the current one.',
  ),
  named('RepositoryLimitRequest', setRepositoryLimit.body, 'The new repository limit of an account.'),
  named(
    'DataCredentialsRequest',
    createDataCredentials.body,
    'The role, the duration and the repository of temporary credentials.',
    {
      repository:
        '`<account_id>/<repository_id>`. The credentials give access to this repository and to public data only.',
    },
  ),
  named('GrantRequest', putGrant.body, 'The access of a new grant.'),
  named(
    'TrustedWorkflowRequest',
    trustWorkflow.body,
    'A CI workflow to trust: a repository and exactly one of branch, tag and environment. Wildcards are not allowed.',
    {
      issuer: 'The `iss` claim of the tokens of the CI system. The default is the first CI system of the deployment.',
      repository: '`<owner>/<repository>`, also with `@<id>` after each name.',
    },
    exactlyOneOf(['branch'], ['tag'], ['environment']),
  ),
  named('IssuerRequest', registerIssuer.body, 'An issuer to register.', {
    issuer:
      'The exact `iss` claim of its tokens: `https://`, a public host, and optionally a port and a path. Its discovery document must be public.',
    kind: 'The kind of its tokens.',
  }),
  named('VersionRequest', createVersion.body, 'A version to freeze.', {
    name: 'The name of the version. Once the version was ready, the name is never given to another one.',
    notes: 'Text for readers of the version.',
  }),
  named('VersionWithdrawalRequest', withdrawVersion.body, 'The withdrawal of a version.', {
    reason: 'The reason, which readers of the version see.',
  }),
  named('VersionDoiRequest', updateVersionDoi.body, 'The DOI of a version, which was registered elsewhere.', {
    doi: 'A DOI without a URL before it. An empty text removes it.',
  }),
  named(
    'FoundKey',
    revokeFoundKey.body,
    'A leaked key.',
    {
      key: 'The complete service-account key.',
      access_key_id: 'The ID of an API key. Send it with `secret_access_key` in place of `key`.',
      secret_access_key: 'The secret of the API key.',
    },
    exactlyOneOf(['key'], ['access_key_id', 'secret_access_key']),
  ),
  named('FoundKeys', revokeFoundKeys.body, 'Leaked keys.'),
  named(
    'FoundKeysAnswer',
    revokeFoundKeys.response,
    'The malformed keys. The response does not tell which of the others exist.',
    {
      malformed: 'Positions in `keys`, counted from 0.',
    },
  ),
  named('FoundKeyMatch', leakReportSchema.element, 'A leaked key that the partner reports.', {
    token: 'The complete secret.',
    type: 'The kind of secret, as agreed with the partner.',
    url: 'The URL of the leak.',
    source: 'The kind of source that contains the leak, such as `content`.',
  }),
  named('FoundKeyVerdict', leakVerdictSchema, 'The result for one reported key.', {
    token_hash: 'SHA-256 of the reported secret, in base64.',
  }),
];

function exactlyOneOf(...groups: readonly string[][]): Pick<JsonSchema, 'oneOf'> {
  return { oneOf: groups.map((required) => ({ required })) };
}
