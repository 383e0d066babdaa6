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
import {
  listedMembershipSchema,
  membershipRoleSchema,
  membershipSchema,
  membershipStateSchema,
} from '../domain/accounts/memberships.ts';
import { auditKindSchema, listedAuditEventSchema } from '../domain/changes/audit.ts';
import { connectionCheckSchema } from '../domain/data/connection-checks.ts';
import { dataConnectionAuthenticationSchema, dataConnectionDetailsSchema } from '../domain/data/data-connections.ts';
import {
  listedRepositorySchema,
  repositoryDataModeSchema,
  repositoryLimitSchema,
  repositoryMetaSchema,
  repositorySchema,
  repositoryStateSchema,
} from '../domain/data/repositories.ts';
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
import { trustedWorkflowSchema } from '../domain/service-accounts/trusted-workflows.ts';
import { timestampSchema } from '../domain/text.ts';
import { createAccountApiKey, revokeApiKey } from '../operations/api-keys.ts';
import { createDataConnection, disableDataConnection, testDataConnection } from '../operations/data-connections.ts';
import { hintedOperationIds } from '../operations/hinted-operations.ts';
import { permissionSchema } from '../operations/permissions.ts';
import { problemCodes } from '../operations/problems.ts';
import { deleteRepository } from '../operations/repositories.ts';
import { getServiceAccount, issueServiceAccountKey, revokeServiceAccountKey } from '../operations/service-accounts.ts';
import { getSession } from '../operations/session.ts';
import {
  apiKeyDescriptions,
  connectionDescriptions,
  membershipDescriptions,
  repositoryDescriptions,
  serviceAccountKeyDescriptions,
  transferDescriptions,
} from './field-descriptions.ts';
import { named } from './schema-writer.ts';

/** The problem document of every refusal (RFC 9457). */
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
  named('AccountType', accountTypeSchema, 'What kind of account it is.'),
  named('AccountFlag', accountFlagSchema, 'A right that an administrator gives to an account.'),
  named('MembershipRole', membershipRoleSchema, 'What a member may do.'),
  named('MembershipState', membershipStateSchema, '`invited`, then `member`; `revoked` is final.'),
  named('RepositoryDataMode', repositoryDataModeSchema, 'Who may read: anyone, or those with access.'),
  named('RepositoryState', repositoryStateSchema, 'Whether it appears in public lists.'),
  named('GrantAccess', grantAccessSchema, 'What a service account may do in a repository.'),
  named('KeyExpiry', keyExpirySchema, 'Counted from now; `1y` is 365 days.'),
  named('KeyState', keyStateSchema, 'Revoked, else expired when its time has passed, else active.'),
  named('Account', accountSchema, 'A person, an organization or a service account.', {
    identity_id:
      'The identity of the person or system behind the account: of an organization `organization:<account_id>`.',
    disabled: 'A disabled account can only read its own session.',
  }),
  named('AccountProfile', accountProfileSchema, 'What an account says about itself. Null clears a field.', {
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
    'An API key with its secret, as only the answer that creates it shows.',
    {
      ...apiKeyDescriptions,
      secret_access_key: 'Shown once; the service cannot show it again.',
    },
  ),
  named('CreatedKey', createdKeySchema, 'A key of an account, of a repository of it, or of a service account.', {
    access_key_id: 'Of an API key.',
    repository_id: 'Set for the key of one repository.',
    service_account_id: 'Of a key of a service account.',
    key_id: 'Of a key of a service account.',
    name: 'The label that it was given.',
    expires_at: 'Null when it never expires.',
  }),
  named(
    'Permission',
    permissionSchema,
    'The `operationId` of an operation that the caller may carry out. More are added in time: leave out those you do not know.',
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
    account_name: 'What the member calls itself in its public profile; null without a name.',
    membership_account_name: 'The same of the account that the membership belongs to.',
  }),
  named('RepositoryLimit', repositoryLimitSchema, 'How many repositories an account may have, and has.'),
  named('BlockedAccount', blockedAccountSchema, 'An account whose invitations a person does not take.', {
    account_id: 'The account that is blocked, with all its repositories.',
    blocked_at: 'Since when.',
  }),
  named('ListedBlockedAccount', listedBlockedAccountSchema, 'A blocked account with its name.', {
    account_id: 'The account that is blocked, with all its repositories.',
    account_name: 'What it calls itself in its public profile; null without a name.',
    blocked_at: 'Since when.',
  }),
  named('DataConnectionDetails', dataConnectionDetailsSchema, 'Where the storage is.', {
    base_prefix: 'Empty, or path segments that each end in `/`.',
    endpoint: 'The https URL of an S3-compatible store; absent for Amazon S3.',
  }),
  named(
    'DataConnectionAuthentication',
    dataConnectionAuthenticationSchema,
    'Credentials for the storage, or a role that the data proxy assumes; shown to administrators only.',
  ),
  named(
    'DataConnection',
    disableDataConnection.response,
    'Storage that repositories are placed on.',
    connectionDescriptions,
  ),
  named(
    'DataConnectionWithCredentials',
    createDataConnection.response,
    'A data connection as an administrator sees it.',
    {
      ...connectionDescriptions,
      authentication: 'Without it the connection is read-only.',
    },
  ),
  named('DataConnectionCheck', connectionCheckSchema, 'One look at the storage of a data connection.', {
    check: 'What was looked at.',
    state: '`not_tried` where it could not or was not to be looked at.',
    code: '`ok`, or why it failed or was not tried. Sentences may change, codes do not.',
    message: 'The same in words, with what to do.',
  }),
  named(
    'DataConnectionTest',
    testDataConnection.response,
    'What the storage of a data connection answers and allows.',
    {
      tested_at: 'When the test began.',
      checks: 'In the order in which they were made.',
    },
  ),
  named('RepositoryMeta', repositoryMetaSchema, 'What a repository is about.', {
    title: { maxLength: limits.repositoryMetaLengthMax },
    description: { maxLength: limits.repositoryMetaLengthMax },
    tags: { description: 'Words to find it by.', maxLength: limits.repositoryMetaLengthMax },
    license: 'SPDX license expression.',
    homepage: 'URL of a page about it.',
    documentation: 'URL of its documentation.',
    doi: 'Digital object identifier, without a URL before it.',
    citation: 'How to cite it.',
    contact: 'Whom to ask: a name, a mailbox or a URL.',
    keywords: `Further words to find it by, at most ${limits.keywordsMax}.`,
  }),
  named('Repository', repositorySchema, 'A collection of objects that an account owns.', repositoryDescriptions),
  named('ListedRepository', listedRepositorySchema, 'A repository with the name of its account.', {
    ...repositoryDescriptions,
    account_name: 'What the owner calls itself in its public profile; null without a name.',
  }),
  named('DeletedRepository', deleteRepository.response, 'A repository that is gone, and where its objects are.', {
    places: 'The bucket of each data connection and the prefix in it, for whoever may look at connections.',
  }),
  named('Transfer', transferSchema, 'An offer of a repository to another account.', transferDescriptions),
  named('ListedTransfer', listedTransferSchema, 'An offer with the names of both accounts.', {
    ...transferDescriptions,
    account_name: 'What the account that offers calls itself in its public profile; null without a name.',
    to_name: 'The same of the account that it is offered to.',
  }),
  named('ServiceAccount', serviceAccountSchema, 'An account for software, owned by one account.', {
    owner_account_id: 'The account it belongs to; it reaches only repositories of that account.',
    description: { maxLength: limits.serviceAccountDescriptionLengthMax },
  }),
  named('ServiceAccountView', getServiceAccount.response, 'A service account, with what the caller may do to it.', {
    owner_account_id: 'The account it belongs to; it reaches only repositories of that account.',
    description: { maxLength: limits.serviceAccountDescriptionLengthMax },
    permissions: 'What the caller may do to it.',
  }),
  named(
    'ServiceAccountKey',
    revokeServiceAccountKey.response,
    'A key that software signs in with, without the key itself.',
    serviceAccountKeyDescriptions,
  ),
  named('NewServiceAccountKey', issueServiceAccountKey.response, 'A key as only the answer that issues it shows it.', {
    ...serviceAccountKeyDescriptions,
    key: 'The key itself. Shown once; only its hash is stored.',
  }),
  named('ClientSettings', clientSettingsSchema, 'With what clients sign in as the service account. Holds no key.', {
    environment: 'The settings by their names. The last is where to put the file with a key.',
    shell: 'The same, to be sourced by a shell.',
    aws_config: 'A profile for the AWS configuration file.',
    github_actions_job: 'What a job of GitHub Actions needs whose workflow is trusted. It needs no key.',
    ci_issuers:
      'The CI systems whose workflows can be trusted, the one first that is meant where none is named: what a workflow can be trusted by (`origins`), and what a job needs (`job`).',
  }),
  named('Grant', grantSchema, 'The access of a service account to one repository of its owner.'),
  named('ListedGrant', listedGrantSchema, 'A grant with the title of its repository.', {
    repository_title: 'Null for a moment after the repository was deleted.',
  }),
  named(
    'TrustedWorkflow',
    trustedWorkflowSchema,
    'A CI workflow whose runs may sign in; it has one of branch, tag and environment.',
    {
      issuer: 'The CI system, by the `iss` of its tokens.',
      pinned:
        "The CI system's numeric ids of the repository and its owner, and when the first sign-in pinned them. Null before that, and where the subject carries the ids.",
      repository: 'The repository in the CI system.',
      subject: 'The one `sub` that a token must have.',
    },
  ),
  named('AuditKind', auditKindSchema, 'A thing and what happened to it. Kinds are added, and none is taken away.'),
  named('AuditEvent', listedAuditEventSchema, 'Who did what to which. Stored for 400 days; never holds a secret.', {
    account_id: 'The account whose trail this is.',
    actor: 'The account or the credential that acted, with the name that the account has now.',
    subject: 'What was changed, by the names of its path parameters.',
  }),
  named('Session', getSession.response, 'Who the caller is.', {
    account:
      'Null when the person has created no account yet. Of the key of a repository the account that owns it, without identity and flags.',
    memberships:
      'All memberships of the caller: accepted ones, then invitations, then revoked ones, each newest first.',
    identity_id: 'Of the key of a repository, which is nobody’s own, its ID.',
  }),
  named('Problem', problemSchema, 'A refusal (RFC 9457).', {
    type: 'Where the reference explains the code, relative to this service.',
    code: 'What happened: a closed list. Codes stay; sentences may change.',
    detail: 'What to do about it.',
    request_id: 'Name it when you ask for help.',
    errors: 'For invalid input: every fault with the path of its field.',
    made_id: 'With `secret_shown_once`: the ID of the key that the first request made.',
  }),
];
