import * as z from 'zod';
import {
  type Account,
  accountFlagSchema,
  accountProfileSchema,
  accountSchema,
  accountTypeSchema,
  blockedAccountSchema,
  listedBlockedAccountSchema,
} from '../domain/accounts/accounts.ts';
import { disablingRequestSchema } from '../domain/accounts/disabling.ts';
import { accountRules } from '../domain/accounts/permissions.ts';
import { auditKindSchema, listedAuditEventSchema } from '../domain/changes/audit.ts';
import { repositoryLimitSchema } from '../domain/data/repositories.ts';
import { anyAccountIdSchema, identifierSchema, scopeSchema, serviceAccountIdSchema } from '../domain/identifiers.ts';
import { limits } from '../domain/limits.ts';
import { codePointLength, foldPhrase } from '../domain/text.ts';
import * as values from './example-values.ts';
import { listQuerySchema } from './lists.ts';
import { declarators } from './operation.ts';
import { givenRolesSchema, permissionsSchema } from './permissions.ts';

const define = declarators({ group: 'accounts', target: 'account' });
export const accountOperations = define.all;

export const createAccount = define.create({
  name: 'create-account',
  summary: 'Create an account',
  path: '/accounts',
  target: 'nothing',
  permission: { kind: 'account_creation' },
  body: z.strictObject({
    account_id: identifierSchema,
    account_type: accountTypeSchema,
    profile: accountProfileSchema,
    /** The identity of the user to whom the new account belongs. Only administrators can set it. */
    identity_id: z.string().min(1).max(256).optional(),
  }),
  response: accountSchema,
  location: (account: Account) => `/accounts/${account.account_id}`,
  tableAccess: { actions: ['PutItem', 'UpdateItem', 'ConditionCheckItem'] },
  example: {
    body: { account_id: 'tide-institute', account_type: 'organization', profile: values.profile },
    response: values.organization,
  },
});

export const getAccount = define.read({
  name: 'get-account',
  summary: 'Get an account',
  path: '/accounts/{account_id}',
  permission: { kind: 'account', rule: accountRules.read_account },
  response: accountSchema,
  etag: 'target',
  example: { response: values.organization },
});

const flagsSchema = z.array(accountFlagSchema);

export const getAccountFlags = define.read({
  name: 'get-account-flags',
  summary: 'Get the flags of an account',
  path: '/accounts/{account_id}/flags',
  permission: { kind: 'account', rule: accountRules.read_account },
  response: flagsSchema,
  etag: 'target_only',
  example: { path: { account_id: 'ada' }, response: ['create_organizations'] },
});

export const updateAccountFlags = define.change({
  name: 'update-account-flags',
  summary: 'Update the flags of an account',
  method: 'PUT',
  path: '/accounts/{account_id}/flags',
  permission: { kind: 'account', rule: accountRules.update_flags },
  body: flagsSchema.max(16).transform((flags) => [...new Set(flags)]),
  response: flagsSchema,
  example: { path: { account_id: 'ada' }, body: ['create_organizations'], response: ['create_organizations'] },
});

export const setRepositoryLimit = define.action({
  name: 'set-repository-limit',
  summary: 'Set the repository limit of an account',
  method: 'PUT',
  path: '/accounts/{account_id}/repository-limit',
  permission: { kind: 'account', rule: accountRules.update_flags },
  body: z.strictObject({ repositories_max: z.int().min(1).max(limits.repositoriesEverMax) }),
  response: repositoryLimitSchema,
  tableAccess: { actions: ['GetItem', 'PutItem', 'UpdateItem'] },
  example: { body: { repositories_max: 2000 }, response: { repositories_max: 2000, repositories: 1 } },
});

export const disableAccount = define.change({
  name: 'disable-account',
  summary: 'Disable an account',
  method: 'POST',
  path: '/accounts/{account_id}/disable',
  permission: { kind: 'account', rule: accountRules.disable_account },
  body: disablingRequestSchema,
  response: accountSchema,
  example: {
    body: { reason: values.disabled.disabled_reason },
    response: { ...values.organization, ...values.disabled },
  },
});

export const enableAccount = define.change({
  name: 'enable-account',
  summary: 'Enable an account',
  method: 'POST',
  path: '/accounts/{account_id}/enable',
  permission: { kind: 'enabling', rule: accountRules.disable_account },
  response: accountSchema,
  example: { response: values.organization },
});

export const deleteAccount = define.change({
  name: 'delete-account',
  summary: 'Delete an empty account permanently; its ID is never reused',
  method: 'POST',
  path: '/accounts/{account_id}/delete',
  permission: { kind: 'deleting', rule: accountRules.delete_account },
  body: z.strictObject({ confirm: z.string().max(128) }),
  tableAccess: { actions: ['BatchGetItem', 'GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'] },
  example: { path: { account_id: 'edith' }, body: { confirm: 'edith' } },
});

export const getProfile = define.read({
  name: 'get-profile',
  summary: 'Get the profile of an account',
  path: '/accounts/{account_id}/profile',
  permission: { kind: 'anyone' },
  ignoresAuthorization: true,
  response: accountProfileSchema,
  etag: 'target_only',
  tableAccess: { indexes: [], partitions: ['ACCOUNT#'] },
  example: { response: values.profile },
});

/** The public data of an account. */
export const publicAccountSchema = accountSchema.pick({ account_id: true, account_type: true, profile: true });

export const listAccountPermissions = define.read({
  name: 'list-account-permissions',
  summary: 'List the permissions of the caller on an account',
  path: '/accounts/{account_id}/permissions',
  target: 'account_if_any',
  permission: { kind: 'anyone' },
  response: z.object({ permissions: permissionsSchema, roles: givenRolesSchema }),
  example: {
    response: {
      permissions: ['getAccount', 'createRepository', 'inviteAccountMember'],
      roles: ['maintainers', 'read_data', 'write_data'],
    },
  },
});

/**
 * The schema checks the length after normalization (lower case, without accents and spaces). Without this, a prefix of
 * only spaces or accents would match all accounts.
 */
const searchedPrefixSchema = z
  .string()
  .min(limits.searchedPrefixLengthMin, { abort: true })
  .max(limits.profileNameLengthMax)
  .refine((text) => text.isWellFormed(), 'must be whole Unicode characters')
  .refine(
    (text) => codePointLength(foldPhrase(text)) >= limits.searchedPrefixLengthMin,
    `must have at least ${limits.searchedPrefixLengthMin} characters, spaces around them not counted`,
  );

export const searchAccounts = define.read({
  name: 'search-accounts',
  summary: 'Find user accounts to invite',
  path: '/accounts',
  target: 'scope',
  permission: { kind: 'inviter' },
  query: z.strictObject({
    prefix: searchedPrefixSchema,
    scope: scopeSchema,
  }),
  response: z.array(publicAccountSchema).max(limits.foundAccountsMax),
  tableAccess: { actions: ['UpdateItem'], indexes: ['lists', 'sublists'] },
  example: {
    query: { prefix: 'ada', scope: 'tide-institute' },
    response: [{ account_id: 'ada', account_type: 'user', profile: values.user.profile }],
  },
});

export const updateProfile = define.change({
  name: 'update-profile',
  summary: 'Update the profile of an account',
  method: 'PUT',
  path: '/accounts/{account_id}/profile',
  permission: { kind: 'account', rule: accountRules.update_profile },
  allowsApiKey: true,
  body: accountProfileSchema,
  response: accountProfileSchema,
  example: { body: { location: 'Bergen', bio: null }, response: { ...values.profile, bio: null } },
});

export const listAuditEvents = define.list({
  name: 'list-audit-events',
  summary: 'List the audit events of an account, newest first',
  path: '/accounts/{account_id}/audit-events',
  permission: { kind: 'account', rule: accountRules.audit_events },
  query: listQuerySchema.extend({
    service_account_id: serviceAccountIdSchema.optional(),
    actor_account_id: anyAccountIdSchema.optional(),
    from: z.iso.date().optional(),
    to: z.iso.date().optional(),
    kind: auditKindSchema.optional(),
  }),
  response: z.array(listedAuditEventSchema),
  tableAccess: { actions: ['Query'] },
  example: { response: [values.listedAuditEvent] },
});

const ownPermission = { kind: 'account', rule: accountRules.blocked_accounts } as const;
const blockedPath = { account_id: 'ada', blocked_account_id: values.blockedAccount.account_id };

export const listBlockedAccounts = define.list({
  name: 'list-blocked-accounts',
  summary: 'List blocked accounts',
  path: '/accounts/{account_id}/blocked-accounts',
  permission: ownPermission,
  response: z.array(listedBlockedAccountSchema),
  example: { path: { account_id: 'ada' }, response: [{ ...values.blockedAccount, account_name: 'Edith' }] },
});

export const blockAccount = define.put({
  name: 'block-account',
  summary: 'Block invitations from an account and its repositories; open invitations stay open',
  path: '/accounts/{account_id}/blocked-accounts/{blocked_account_id}',
  permission: ownPermission,
  response: blockedAccountSchema,
  tableAccess: { actions: ['GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem'] },
  example: { path: blockedPath, response: values.blockedAccount },
});

export const unblockAccount = define.action({
  name: 'unblock-account',
  summary: 'Unblock an account',
  method: 'DELETE',
  path: '/accounts/{account_id}/blocked-accounts/{blocked_account_id}',
  permission: ownPermission,
  tableAccess: { actions: ['PutItem', 'UpdateItem', 'DeleteItem'] },
  example: { path: blockedPath },
});
