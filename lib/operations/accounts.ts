import * as z from 'zod';
import {
  type Account,
  accountFlagSchema,
  accountProfileSchema,
  accountSchema,
  accountTypeSchema,
} from '../domain/accounts/accounts.ts';
import { accountRules } from '../domain/accounts/permissions.ts';
import { auditKindSchema, listedAuditEventSchema } from '../domain/changes/audit.ts';
import { repositoryLimitSchema } from '../domain/data/repositories.ts';
import { identifierSchema, scopeSchema, serviceAccountIdSchema } from '../domain/identifiers.ts';
import { limits } from '../domain/limits.ts';
import { codePointLength, foldPhrase } from '../domain/text.ts';
import * as values from './example-values.ts';
import { listQuerySchema } from './lists.ts';
import { defineOperation } from './operation.ts';
import { givenRolesSchema, permissionsSchema } from './permissions.ts';

export const createAccount = defineOperation({
  name: 'create-account',
  group: 'accounts',
  specNumber: 14,
  summary: 'Create an account',
  method: 'POST',
  path: '/accounts',
  target: 'nothing',
  permission: { kind: 'account_creation' },
  body: z.strictObject({
    account_id: identifierSchema,
    account_type: accountTypeSchema,
    profile: accountProfileSchema,
    /** The identity of the new account's user. Only administrators can set it. */
    identity_id: z.string().min(1).max(256).optional(),
  }),
  response: accountSchema,
  status: 201,
  location: (account: Account) => `/accounts/${account.account_id}`,
  tableAccess: { actions: ['PutItem', 'UpdateItem', 'ConditionCheckItem'], indexes: [] },
  example: {
    body: { account_id: 'tide-institute', account_type: 'organization', profile: values.profile },
    response: values.organization,
  },
});

export const getAccount = defineOperation({
  name: 'get-account',
  group: 'accounts',
  specNumber: 8,
  summary: 'Get an account',
  method: 'GET',
  path: '/accounts/{account_id}',
  target: 'account',
  permission: { kind: 'account', rule: accountRules.read_account },
  allowsApiKey: true,
  response: accountSchema,
  shows: 'record',
  status: 200,
  tableAccess: { actions: [], indexes: [] },
  example: { path: { account_id: 'tide-institute' }, response: values.organization },
});

const flagsSchema = z.array(accountFlagSchema);

export const getAccountFlags = defineOperation({
  name: 'get-account-flags',
  group: 'accounts',
  specNumber: 6,
  summary: 'Get the flags of an account',
  method: 'GET',
  path: '/accounts/{account_id}/flags',
  target: 'account',
  permission: { kind: 'account', rule: accountRules.read_account },
  allowsApiKey: true,
  response: flagsSchema,
  shows: 'record',
  isRecordAlone: true,
  status: 200,
  tableAccess: { actions: [], indexes: [] },
  example: { path: { account_id: 'ada' }, response: ['create_organizations'] },
});

export const updateAccountFlags = defineOperation({
  name: 'update-account-flags',
  group: 'accounts',
  specNumber: 7,
  summary: 'Update the flags of an account',
  method: 'PUT',
  path: '/accounts/{account_id}/flags',
  target: 'account',
  permission: { kind: 'account', rule: accountRules.update_flags },
  body: flagsSchema.max(16).transform((flags) => [...new Set(flags)]),
  response: flagsSchema,
  changesTarget: true,
  status: 200,
  tableAccess: { actions: ['PutItem', 'UpdateItem'], indexes: [] },
  example: { path: { account_id: 'ada' }, body: ['create_organizations'], response: ['create_organizations'] },
});

export const setRepositoryLimit = defineOperation({
  name: 'set-repository-limit',
  group: 'accounts',
  summary: 'Set how many repositories an account may have',
  method: 'PUT',
  path: '/accounts/{account_id}/repository-limit',
  target: 'account',
  permission: { kind: 'account', rule: accountRules.update_flags },
  body: z.strictObject({ repositories_max: z.int().min(1).max(limits.repositoriesEverMax) }),
  response: repositoryLimitSchema,
  status: 200,
  tableAccess: { actions: ['GetItem', 'PutItem', 'UpdateItem'], indexes: [] },
  example: {
    path: { account_id: 'tide-institute' },
    body: { repositories_max: 2000 },
    response: { repositories_max: 2000, repositories: 1 },
  },
});

export const disableAccount = defineOperation({
  name: 'disable-account',
  group: 'accounts',
  specNumber: 9,
  summary: 'Disable an account',
  method: 'DELETE',
  path: '/accounts/{account_id}',
  target: 'account',
  permission: { kind: 'account', rule: accountRules.disable_account },
  response: accountSchema,
  changesTarget: true,
  status: 200,
  tableAccess: { actions: ['PutItem', 'UpdateItem'], indexes: [] },
  example: { path: { account_id: 'tide-institute' }, response: { ...values.organization, disabled: true } },
});

export const enableAccount = defineOperation({
  name: 'enable-account',
  group: 'accounts',
  summary: 'Enable an account',
  method: 'POST',
  path: '/accounts/{account_id}/enable',
  target: 'account',
  permission: { kind: 'enabling', rule: accountRules.disable_account },
  response: accountSchema,
  changesTarget: true,
  status: 200,
  tableAccess: { actions: ['PutItem', 'UpdateItem'], indexes: [] },
  example: { path: { account_id: 'tide-institute' }, response: values.organization },
});

export const deleteAccount = defineOperation({
  name: 'delete-account',
  group: 'accounts',
  summary: 'Delete an empty account for good; its ID is never given out again',
  method: 'POST',
  path: '/accounts/{account_id}/delete',
  target: 'account',
  permission: { kind: 'deleting', rule: accountRules.delete_account },
  body: z.strictObject({ confirm: z.string().max(128) }),
  changesTarget: true,
  status: 204,
  tableAccess: {
    actions: ['BatchGetItem', 'GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'],
    indexes: [],
  },
  example: { path: { account_id: 'edith' }, body: { confirm: 'edith' } },
});

export const getProfile = defineOperation({
  name: 'get-profile',
  group: 'accounts',
  specNumber: 12,
  summary: 'Get the profile of an account',
  method: 'GET',
  path: '/accounts/{account_id}/profile',
  target: 'account',
  permission: { kind: 'anyone' },
  ignoresAuthorization: true,
  response: accountProfileSchema,
  shows: 'profile',
  isRecordAlone: true,
  status: 200,
  tableAccess: { actions: [], indexes: [], partitions: ['ACCOUNT#'] },
  example: { path: { account_id: 'tide-institute' }, response: values.profile },
});

/** The public data of an account. */
export const publicAccountSchema = accountSchema.pick({ account_id: true, account_type: true, profile: true });

export const listAccountPermissions = defineOperation({
  name: 'list-account-permissions',
  group: 'accounts',
  summary: 'List what the caller may do to an account',
  method: 'GET',
  path: '/accounts/{account_id}/permissions',
  target: 'account_if_any',
  permission: { kind: 'anyone' },
  allowsApiKey: true,
  response: z.object({ permissions: permissionsSchema, roles: givenRolesSchema }),
  status: 200,
  tableAccess: { actions: [], indexes: [] },
  example: {
    path: { account_id: 'tide-institute' },
    response: {
      permissions: ['getAccount', 'createRepository', 'inviteAccountMember'],
      roles: ['maintainers', 'read_data', 'write_data'],
    },
  },
});

/** The length is that of the folded text. Otherwise, a prefix of spaces or accents only would match all accounts. */
const searchedPrefixSchema = z
  .string()
  .min(limits.searchedPrefixLengthMin, { abort: true })
  .max(limits.profileNameLengthMax)
  .refine((text) => text.isWellFormed(), 'must be whole Unicode characters')
  .refine(
    (text) => codePointLength(foldPhrase(text)) >= limits.searchedPrefixLengthMin,
    `must have at least ${limits.searchedPrefixLengthMin} characters, spaces around them not counted`,
  );

export const searchAccounts = defineOperation({
  name: 'search-accounts',
  group: 'accounts',
  summary: "Find people's accounts to invite",
  method: 'GET',
  path: '/accounts',
  target: 'scope',
  permission: { kind: 'inviter' },
  allowsApiKey: true,
  query: z.strictObject({
    prefix: searchedPrefixSchema,
    scope: scopeSchema,
  }),
  response: z.array(publicAccountSchema).max(limits.foundAccountsMax),
  status: 200,
  tableAccess: { actions: ['UpdateItem'], indexes: ['lists', 'sublists'] },
  example: {
    query: { prefix: 'ada', scope: 'tide-institute' },
    response: [{ account_id: 'ada', account_type: 'user', profile: values.person.profile }],
  },
});

export const updateProfile = defineOperation({
  name: 'update-profile',
  group: 'accounts',
  specNumber: 13,
  summary: 'Update the profile of an account',
  method: 'PUT',
  path: '/accounts/{account_id}/profile',
  target: 'account',
  permission: { kind: 'account', rule: accountRules.update_profile },
  allowsApiKey: true,
  body: accountProfileSchema,
  response: accountProfileSchema,
  changesTarget: true,
  status: 200,
  tableAccess: { actions: ['PutItem', 'UpdateItem'], indexes: [] },
  example: {
    path: { account_id: 'tide-institute' },
    body: { location: 'Bergen', bio: null },
    response: { ...values.profile, bio: null },
  },
});

export const listAuditEvents = defineOperation({
  name: 'list-audit-events',
  group: 'accounts',
  summary: 'List the audit events of an account, newest first',
  method: 'GET',
  path: '/accounts/{account_id}/audit-events',
  target: 'account',
  permission: { kind: 'account', rule: accountRules.audit_events },
  allowsApiKey: true,
  isList: true,
  query: listQuerySchema.extend({
    service_account_id: serviceAccountIdSchema.optional(),
    kind: auditKindSchema.optional(),
  }),
  response: z.array(listedAuditEventSchema),
  status: 200,
  tableAccess: { actions: ['Query'], indexes: [] },
  example: { path: { account_id: 'tide-institute' }, response: [values.listedAuditEvent] },
});
