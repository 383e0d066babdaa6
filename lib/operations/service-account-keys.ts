import * as z from 'zod';
import { accountRules } from '../domain/accounts/permissions.ts';
import { limits } from '../domain/limits.ts';
import { keyExpirySchema, serviceAccountKeySchema } from '../domain/service-accounts/service-accounts.ts';
import { boundedText } from '../domain/text.ts';
import * as values from './example-values.ts';
import { listQuerySchema } from './lists.ts';
import { defineOperation } from './operation.ts';

const ownersPermission = { kind: 'account', rule: accountRules.service_accounts } as const;

const shownKeySchema = serviceAccountKeySchema.omit({ key: true });

export const issueServiceAccountKey = defineOperation({
  name: 'issue-service-account-key',
  group: 'service-accounts',
  summary: 'Issue a key of a service account',
  method: 'POST',
  path: '/service-accounts/{service_account_id}/keys',
  target: 'service_account',
  permission: ownersPermission,
  body: z.strictObject({
    label: boundedText(limits.serviceAccountKeyLabelLengthMax, 1),
    expiry: keyExpirySchema,
  }),
  response: serviceAccountKeySchema,
  status: 201,
  secretFields: ['key'],
  secretOf: 'key_id',
  tableAccess: { actions: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem'], indexes: [] },
  example: {
    path: values.serviceAccountPath,
    body: { label: 'build server', expiry: '90d' },
    response: values.issuedKey,
  },
});

export const listServiceAccountKeys = defineOperation({
  name: 'list-service-account-keys',
  group: 'service-accounts',
  summary: 'List the keys of a service account',
  method: 'GET',
  path: '/service-accounts/{service_account_id}/keys',
  target: 'service_account',
  permission: ownersPermission,
  allowsApiKey: true,
  isList: true,
  query: listQuerySchema,
  response: z.array(shownKeySchema),
  status: 200,
  tableAccess: { actions: ['BatchGetItem', 'Query'], indexes: [] },
  example: { path: values.serviceAccountPath, response: [values.serviceAccountKey] },
});

export const revokeServiceAccountKey = defineOperation({
  name: 'revoke-service-account-key',
  group: 'service-accounts',
  summary: 'Revoke a key of a service account',
  method: 'DELETE',
  path: '/service-accounts/{service_account_id}/keys/{key_id}',
  target: 'service_account',
  permission: ownersPermission,
  response: shownKeySchema,
  status: 200,
  tableAccess: { actions: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem'], indexes: [] },
  example: { path: values.serviceAccountKeyPath, response: { ...values.serviceAccountKey, state: 'revoked' } },
});

export const changeServiceAccountKeyExpiry = defineOperation({
  name: 'change-service-account-key-expiry',
  group: 'service-accounts',
  summary: 'Change the expiry of a key, counted from now',
  method: 'PUT',
  path: '/service-accounts/{service_account_id}/keys/{key_id}/expiry',
  target: 'service_account',
  permission: ownersPermission,
  body: z.strictObject({ expiry: keyExpirySchema }),
  response: shownKeySchema,
  status: 200,
  tableAccess: { actions: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem'], indexes: [] },
  example: { path: values.serviceAccountKeyPath, body: { expiry: 'never' }, response: values.lastingKey },
});
