import * as z from 'zod';
import { blockedAccountSchema, listedBlockedAccountSchema } from '../domain/accounts/blocked-accounts.ts';
import { accountRules } from '../domain/accounts/permissions.ts';
import * as values from './example-values.ts';
import { listQuerySchema } from './lists.ts';
import { defineOperation } from './operation.ts';

const ownPermission = { kind: 'account', rule: accountRules.blocked_accounts } as const;
const blockedPath = { account_id: 'ada', blocked_account_id: values.blockedAccount.account_id };

export const listBlockedAccounts = defineOperation({
  name: 'list-blocked-accounts',
  group: 'accounts',
  summary: 'List blocked accounts',
  method: 'GET',
  path: '/accounts/{account_id}/blocked-accounts',
  target: 'account',
  permission: ownPermission,
  allowsApiKey: true,
  isList: true,
  query: listQuerySchema,
  response: z.array(listedBlockedAccountSchema),
  status: 200,
  tableAccess: { actions: [], indexes: ['lists'] },
  example: { path: { account_id: 'ada' }, response: [{ ...values.blockedAccount, account_name: 'Edith' }] },
});

export const blockAccount = defineOperation({
  name: 'block-account',
  group: 'accounts',
  summary: 'Block invitations from an account and its repositories; open invitations stay open',
  method: 'PUT',
  path: '/accounts/{account_id}/blocked-accounts/{blocked_account_id}',
  target: 'account',
  permission: ownPermission,
  isUpsert: true,
  response: blockedAccountSchema,
  status: 200,
  tableAccess: { actions: ['GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem'], indexes: [] },
  example: { path: blockedPath, response: values.blockedAccount },
});

export const unblockAccount = defineOperation({
  name: 'unblock-account',
  group: 'accounts',
  summary: 'Unblock an account',
  method: 'DELETE',
  path: '/accounts/{account_id}/blocked-accounts/{blocked_account_id}',
  target: 'account',
  permission: ownPermission,
  status: 204,
  tableAccess: { actions: ['PutItem', 'UpdateItem', 'DeleteItem'], indexes: [] },
  example: { path: blockedPath },
});
