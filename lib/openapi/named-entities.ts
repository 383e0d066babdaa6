import * as z from 'zod';
import {
  accountFlagSchema,
  accountProfileSchema,
  accountSchema,
  accountTypeSchema,
  blockedAccountSchema,
  listedBlockedAccountSchema,
} from '../domain/accounts/accounts.ts';
import { createdKeySchema } from '../domain/accounts/api-keys.ts';
import { invitationLinkSchema, listedInvitationLinkSchema } from '../domain/accounts/invitation-links.ts';
import {
  listedMembershipSchema,
  membershipRoleSchema,
  membershipSchema,
  membershipStateSchema,
} from '../domain/accounts/memberships.ts';
import { auditKindSchema, listedAuditEventSchema } from '../domain/changes/audit.ts';
import { issuerFailureSchema, listedIssuerSchema, registeredIssuerSchema } from '../domain/ci/registered-issuers.ts';
import { connectionCheckSchema } from '../domain/data/connection-checks.ts';
import { dataConnectionAuthenticationSchema, dataConnectionDetailsSchema } from '../domain/data/data-connections.ts';
import { fileDeletionSchema } from '../domain/data/file-deletions.ts';
import { inventorySchema } from '../domain/data/inventory.ts';
import { linkSchema, listedLinkSchema } from '../domain/data/links.ts';
import {
  listedRepositorySchema,
  repositoryDataModeSchema,
  repositoryLimitSchema,
  repositoryMetaSchema,
  repositorySchema,
  repositoryStateSchema,
} from '../domain/data/repositories.ts';
import {
  freezeFailureSchema,
  freezeProgressSchema,
  repositoryVersionSchema,
  verificationSchema,
  versionDoiSchema,
  versionWithdrawalSchema,
} from '../domain/data/repository-versions.ts';
import { listedTransferSchema, transferSchema } from '../domain/data/transfers.ts';
import { anyAccountIdSchema, identifierSchema, serviceAccountIdSchema, uuidSchema } from '../domain/identifiers.ts';
import { limits } from '../domain/limits.ts';
import { clientSettingsSchema } from '../domain/service-accounts/client-settings.ts';
import {
  grantAccessSchema,
  grantSchema,
  keyExpirySchema,
  keyStateSchema,
  listedGrantSchema,
  serviceAccountSchema,
} from '../domain/service-accounts/service-accounts.ts';
import {
  listedTrustedWorkflowSchema,
  missingPartSchema,
  trustedWorkflowSchema,
} from '../domain/service-accounts/trusted-workflows.ts';
import { timestampSchema } from '../domain/text.ts';
import { disabledRepositorySchema, siteAccountSchema } from '../operations/administration.ts';
import { createAccountApiKey, revokeApiKey } from '../operations/api-keys.ts';
import { createDataConnection, disableDataConnection, testDataConnection } from '../operations/data-connections.ts';
import { hintedOperationIds } from '../operations/hinted-operations.ts';
import { permissionSchema } from '../operations/permissions.ts';
import { problemCodes } from '../operations/problems.ts';
import { deleteRepository, getRepositorySettings, updateRepositorySettings } from '../operations/repositories.ts';
import {
  getServiceAccount,
  issueServiceAccountKey,
  removeTrustedWorkflow,
  revokeServiceAccountKey,
} from '../operations/service-accounts.ts';
import { getSession } from '../operations/session.ts';
import { getVersion, getVersionCitation } from '../operations/versions.ts';
import {
  apiKeyDescriptions,
  disablingDescriptions,
  endingDescriptions,
  invitationLinkDescriptions,
  issuerDescriptions,
  linkDescriptions,
  membershipDescriptions,
  repositoryDescriptions,
  serviceAccountDescriptions,
  serviceAccountKeyDescriptions,
  settingsDescriptions,
  shownConnectionDescriptions,
  transferDescriptions,
  versionDescriptions,
  workflowDescriptions,
} from './field-descriptions.ts';
import { named } from './schema-writer.ts';

/** The problem document that every error response contains (RFC 9457). */
export const problemSchema = z.object({
  type: z.string(),
  code: z.enum(problemCodes),
  title: z.string(),
  status: z.int(),
  detail: z.string().optional(),
  request_id: z.string(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  made_id: z.string().optional(),
});

export const namedEntities = [
  named('Identifier', identifierSchema, 'Lower-case letters, digits and single hyphens.'),
  named('ServiceAccountId', serviceAccountIdSchema, '`<owner account ID>--<name>`.'),
  named('AccountId', anyAccountIdSchema, 'The ID of an account of any type.'),
  named('Uuid', uuidSchema, 'A random UUID.'),
  named('Timestamp', timestampSchema, 'RFC 3339, UTC, with milliseconds.'),
  named('AccountType', accountTypeSchema, 'The type of an account.'),
  named('AccountFlag', accountFlagSchema, 'A right that an administrator gives to an account.'),
  named('MembershipRole', membershipRoleSchema, 'The role of a member.'),
  named('MembershipState', membershipStateSchema, '`invited`, then `member`; `revoked` is final.'),
  named(
    'RepositoryDataMode',
    repositoryDataModeSchema,
    'The audience that can read the objects: everyone, or only callers with access.',
  ),
  named('RepositoryState', repositoryStateSchema, '`listed` repositories appear in public lists.'),
  named('GrantAccess', grantAccessSchema, 'The access of a service account to a repository.'),
  named('KeyExpiry', keyExpirySchema, 'A duration from now; `1y` is 365 days.'),
  named('KeyState', keyStateSchema, 'The state of a key. A key that is both revoked and expired is `revoked`.'),
  named('Account', accountSchema, 'A user, an organization or a service account.', {
    identity_id:
      'The identity of the person or system behind the account. For an organization it is `organization:<account_id>`.',
    ...disablingDescriptions,
    disabled: 'A disabled account can only read its own session.',
  }),
  named('SiteAccount', siteAccountSchema, 'An account in the list of administrators.', {
    ...disablingDescriptions,
    created_at: 'The time of creation.',
  }),
  named('AccountProfile', accountProfileSchema, 'The public profile of an account. Null clears a field.', {
    name: { maxLength: limits.profileNameLengthMax },
    bio: { maxLength: limits.profileBioLengthMax },
    location: { maxLength: limits.profileLocationLengthMax },
    url: 'An http or https URL.',
  }),
  named(
    'ApiKey',
    revokeApiKey.response,
    'An API key of an account or of a repository, without its secret.',
    apiKeyDescriptions,
  ),
  named(
    'NewApiKey',
    createAccountApiKey.response,
    'An API key with its secret. Only the response to its creation contains the secret.',
    {
      ...apiKeyDescriptions,
      secret_access_key: 'Shown once; the service cannot show it again.',
    },
  ),
  named('CreatedKey', createdKeySchema, 'A key of an account, of one of its repositories, or of a service account.', {
    access_key_id: 'Set for an API key.',
    repository_id: 'Set for the key of one repository.',
    service_account_id: 'Set for a service-account key.',
    key_id: 'Set for a service-account key.',
    name: 'The label of the key.',
    expires_at: 'Null when it never expires.',
  }),
  named(
    'Permission',
    permissionSchema,
    'The `operationId` of an operation that the caller may use. Ignore values that you do not know, because new ones are added.',
    undefined,
    { enum: hintedOperationIds },
  ),
  named(
    'Membership',
    membershipSchema,
    'The role of an account in another account or in a repository.',
    membershipDescriptions,
  ),
  named('ListedMembership', listedMembershipSchema, 'A membership with the names of both accounts.', {
    ...membershipDescriptions,
    account_name: 'The display name of the member; null without one.',
    membership_account_name: 'The display name of the account that the membership belongs to; null without one.',
  }),
  named(
    'InvitationLink',
    invitationLinkSchema,
    'A link with which one user becomes a member.',
    invitationLinkDescriptions,
  ),
  named('ListedInvitationLink', listedInvitationLinkSchema, 'An invitation link with the name of its creator.', {
    ...invitationLinkDescriptions,
    created_by_name: 'The display name of the creator; null without one.',
  }),
  named('Link', linkSchema, 'A link to private data.', linkDescriptions),
  named('ListedLink', listedLinkSchema, 'A link to private data with the name of its creator.', {
    ...linkDescriptions,
    created_by_name: 'The display name of the creator; null without one.',
  }),
  named(
    'RepositoryLimit',
    repositoryLimitSchema,
    'The repository limit of an account, and the number of its repositories.',
  ),
  named('BlockedAccount', blockedAccountSchema, 'An account that a user has blocked. Its invitations are rejected.', {
    account_id: 'The blocked account. Invitations to its repositories are blocked too.',
    blocked_at: 'The time of the block.',
  }),
  named('ListedBlockedAccount', listedBlockedAccountSchema, 'A blocked account with its name.', {
    account_id: 'The blocked account. Invitations to its repositories are blocked too.',
    account_name: 'The display name of the account; null without one.',
    blocked_at: 'The time of the block.',
  }),
  named('DataConnectionDetails', dataConnectionDetailsSchema, 'The location of the storage.', {
    base_prefix: 'Empty, or path segments that each end in `/`.',
    endpoint: 'The https URL of an S3-compatible store; absent for Amazon S3.',
  }),
  named(
    'DataConnectionAuthentication',
    dataConnectionAuthenticationSchema,
    'Credentials for the storage, or a role that the data proxy assumes; shown to callers who may change the connection.',
  ),
  named(
    'DataConnection',
    disableDataConnection.response,
    'Storage that can hold repositories.',
    shownConnectionDescriptions,
  ),
  named(
    'DataConnectionWithCredentials',
    createDataConnection.response,
    'A data connection as callers who may change it see it.',
    {
      ...shownConnectionDescriptions,
      authentication: 'Without it the connection is read-only.',
      health: 'The last failure of the storage in 30 days, with its remedy.',
    },
  ),
  named('DataConnectionCheck', connectionCheckSchema, 'One check of the storage of a data connection.', {
    check: 'The subject of the check.',
    state: '`not_tried` when an earlier check failed, or when the request or the connection excludes this check.',
    code: '`ok`, or the reason for a failed or omitted check. Codes are stable.',
    message: 'An explanation of the code, with the next step. The wording may change.',
  }),
  named('DataConnectionTest', testDataConnection.response, 'The results of a test of a data connection.', {
    tested_at: 'The start of the test.',
    checks: 'The checks in the order of their execution.',
  }),
  named('RepositoryMeta', repositoryMetaSchema, 'The metadata of a repository.', {
    title: { maxLength: limits.repositoryMetaLengthMax },
    description: { maxLength: limits.repositoryMetaLengthMax },
    tags: { description: 'Search words.', maxLength: limits.repositoryMetaLengthMax },
    license: 'SPDX license expression.',
    homepage: 'URL of a page about it.',
    documentation: 'URL of its documentation.',
    doi: 'Digital object identifier (DOI), without a URL prefix.',
    citation: 'How to cite it.',
    contact: 'The contact for questions: a name, an e-mail address or a URL.',
    keywords: `More search words, at most ${limits.keywordsMax}.`,
  }),
  named('Repository', repositorySchema, 'A collection of objects that an account owns.', repositoryDescriptions),
  named('ListedRepository', listedRepositorySchema, 'A repository with the name of its account.', {
    ...repositoryDescriptions,
    account_name: 'The display name of the owner; null without one.',
  }),
  named('DisabledRepository', disabledRepositorySchema, 'A disabled repository in the list of administrators.', {
    ...repositoryDescriptions,
    account_name: 'The display name of the owner; null without one.',
  }),
  named('RepositorySettings', updateRepositorySettings.response, 'The settings of a repository.', settingsDescriptions),
  named(
    'RepositorySettingsView',
    getRepositorySettings.response,
    'The settings of a repository, and the keys whose writes `federated_only` stops.',
    {
      ...settingsDescriptions,
      writing_keys:
        "Active keys of service accounts with a grant to write, and API keys of the repository and its account. Members' own API keys are not shown. `last_used_at` is always null for API keys.",
      has_more: 'True if there may be more keys.',
    },
  ),
  named(
    'DeletedRepository',
    deleteRepository.response,
    'A deleted repository, with the locations of its remaining objects.',
    {
      delete_at:
        'The time of the deletion. Present if the repository has versions; its owners can restore it until then.',
      message: 'What can be done until the deletion, and what remains. Present with `delete_at` or `file_deletion`.',
      file_deletion: 'The deletion of the files. Absent if they stay, and until the time `delete_at`.',
      places: 'The bucket and prefix in each data connection. Only callers who can read data connections see them.',
    },
  ),
  named('Inventory', inventorySchema, 'The number and the size of the files of a repository, at one time.', {
    state: '`none` before the first count, `running`, `ready`, or `failed`.',
    counted_at: 'The time at which the last complete count began.',
    is_complete: 'False if the repository has more files than the service counts. The numbers are then minimums.',
    newest_change: 'The time of the newest change of a file, by the clock of the storage.',
    formats: 'The numbers for each format, largest first.',
    folders: 'The numbers for folders of the first two levels, in the order of their names.',
    progress: 'The files that the running count has found until now.',
    failure: 'The reason for which the last count failed, and what to do.',
  }),
  named('FileDeletion', fileDeletionSchema, 'The deletion of the files of a deleted repository.', {
    state: '`waiting` until the writers of the repository are refused, then `running`, and `ended` or `stopped`.',
    files_deleted: 'The files that were deleted until now.',
    files_left: 'Files that the service cannot name to the storage safely. They remain.',
    stored_versions_remain: 'True if the bucket keeps the stored versions of the files.',
    problem: 'The problem that delays the deletion, and what to do.',
  }),
  named('Version', repositoryVersionSchema, 'The objects of a repository at one instant.', versionDescriptions),
  named('VersionView', getVersion.response, 'A version, with the progress of its freeze or its last verification.', {
    ...versionDescriptions,
    progress: 'What the freeze has read until now. Present while the state is `freezing`.',
    verification: 'The last comparison with the storage. Present if the version is ready and was verified.',
  }),
  named('FreezeProgress', freezeProgressSchema, 'The progress of a freeze.', {
    keys: 'The keys of the version until now.',
    bytes: 'The size of their objects.',
    stored_versions: 'The stored versions and delete markers that were read.',
    seconds_left: 'An estimate from the version before. Absent for the first version.',
  }),
  named('FreezeFailure', freezeFailureSchema, 'The reason for which a freeze failed, and what to do.'),
  named('VersionDoi', versionDoiSchema, 'The DOI of a version.', {
    source: '`typed` by an owner, or registered with `datacite`.',
    state: '`draft` until DataCite has published the DOI, which then leads to the page of the version (`findable`).',
  }),
  named('VersionCitation', getVersionCitation.response, 'The citation of a version.', {
    content: 'The text of the file.',
  }),
  named('VersionVerification', verificationSchema, 'A comparison of a version with its storage.', {
    state: '`done` when all objects were checked. `failed` if this is not possible.',
    started_at: 'The time of the request.',
    finished_at: 'The time of the result.',
    checked: 'The objects that were checked until now.',
    missing: 'The checked objects that the storage does not have.',
    changed: 'The checked objects with another size or ETag in the storage.',
    problems: `The first ${limits.verificationProblemsMax} missing or changed objects.`,
    message: 'The reason of the failure, and what to do.',
  }),
  named('VersionWithdrawal', versionWithdrawalSchema, 'The reason and the time of a withdrawal.'),
  named('Transfer', transferSchema, 'A request to transfer a repository to another account.', transferDescriptions),
  named('ListedTransfer', listedTransferSchema, 'A transfer request with the display names of both accounts.', {
    ...transferDescriptions,
    account_name: 'The display name of the current owner; null without one.',
    to_name: 'The display name of the receiving account; null without one.',
  }),
  named('ServiceAccount', serviceAccountSchema, 'An account for software, owned by one account.', {
    owner_account_id: 'The owner. The service account can access only repositories of this account.',
    ...serviceAccountDescriptions,
  }),
  named('ServiceAccountView', getServiceAccount.response, 'A service account, with the permissions of the caller.', {
    owner_account_id: 'The owner. The service account can access only repositories of this account.',
    ...serviceAccountDescriptions,
    permissions: 'The operations on it that the caller may use.',
  }),
  named(
    'ServiceAccountKey',
    revokeServiceAccountKey.response,
    'A key of a service account, without its secret.',
    serviceAccountKeyDescriptions,
  ),
  named(
    'NewServiceAccountKey',
    issueServiceAccountKey.response,
    'A new key with its secret. Only the response to its creation contains the secret.',
    {
      ...serviceAccountKeyDescriptions,
      key: 'The key itself. Shown once; only its hash is stored.',
    },
  ),
  named('ClientSettings', clientSettingsSchema, 'The client settings for a service account. They contain no key.', {
    environment: 'The environment variables by name. The last one is the path of the file with the key.',
    shell: 'The same settings as a shell script.',
    aws_config: 'A profile for the AWS configuration file.',
    github_actions_job: 'The settings of a GitHub Actions job of a trusted workflow. The job needs no key.',
    ci_issuers:
      'The CI systems whose workflows can be trusted. The first one is the default. `origins` lists the origins that a trust can name, and `job` the settings of a job.',
  }),
  named('Grant', grantSchema, 'The access of a service account to one repository of its owner.'),
  named('ListedGrant', listedGrantSchema, 'A grant with the title of its repository.', {
    repository_title: 'Null for a short time after the deletion of the repository.',
  }),
  named(
    'RemovedTrustedWorkflow',
    removeTrustedWorkflow.response,
    'The effect of the removal on credentials that the workflow issued.',
    endingDescriptions,
  ),
  named(
    'TrustedWorkflow',
    trustedWorkflowSchema,
    'A CI workflow whose runs may sign in. It has exactly one of branch, tag and environment.',
    workflowDescriptions,
  ),
  named(
    'ListedTrustedWorkflow',
    listedTrustedWorkflowSchema,
    'A trusted CI workflow, with the parts that its first sign-in still needs.',
    {
      ...workflowDescriptions,
      missing: 'Empty if nothing is known to prevent a sign-in. A missing grant leaves only open data to read.',
    },
  ),
  named(
    'MissingPart',
    missingPartSchema,
    'A part that a sign-in needs: the account or the service account is disabled (`account`, `service_account`), the issuer is neither configured nor registered under the kind of the workflow (`issuer`), it has no current keys (`issuer_keys`), or the service account has no grant (`grant`).',
  ),
  named('IssuerFailure', issuerFailureSchema, 'The reason why the keys of an issuer could not be fetched.'),
  named('RegisteredIssuer', registeredIssuerSchema, 'An issuer that an account registered.', issuerDescriptions),
  named('ListedIssuer', listedIssuerSchema, 'A registered issuer with the name of the account that registered it.', {
    ...issuerDescriptions,
    created_by_name: 'The display name of that account; null without one.',
    trust_count: `The number of trusted workflows that name the issuer; ${limits.countedTrustsMax} stands for this number and more. None of them can sign in after the deletion of the issuer.`,
  }),
  named('AuditKind', auditKindSchema, 'The kind of an event. New kinds are added, and existing ones stay.'),
  named(
    'AuditEvent',
    listedAuditEventSchema,
    'An audit event: its actor, its kind and its subject. It is stored for 400 days and contains no secret.',
    {
      account_id: 'The account of this audit trail.',
      actor: 'The account or credential that acted, with the current display name of the account.',
      subject: 'The changed resource, as its path parameters.',
    },
  ),
  named('Session', getSession.response, 'The caller: account, memberships and identity.', {
    account:
      'The account of the caller; null when the user has created none yet. For the API key of a repository: the account of the owner, without identity and flags.',
    memberships:
      'All memberships of the caller: accepted ones, then invitations, then revoked ones, each newest first.',
    identity_id: 'The identity of the caller. For the API key of a repository: the ID of the key.',
  }),
  named('Problem', problemSchema, 'An error (RFC 9457).', {
    type: 'The URL of the explanation of the code, relative to this service.',
    code: 'The cause of the error, from a closed list. Codes are stable; the wording of other fields may change.',
    detail: 'An explanation with the next step.',
    request_id: 'The ID of the request, for support.',
    errors: 'Each invalid field, by its path. Set for invalid input.',
    made_id: 'The ID of the key that the first request created. Set for `secret_shown_once`.',
  }),
];
