import * as z from 'zod';
import { limits } from '../../domain/limits.ts';
import { keyExpirySchema, serviceAccountKeySchema } from '../../domain/service-accounts/service-accounts.ts';
import { boundedText } from '../../domain/text.ts';
import * as values from '../example-values.ts';
import { listQuerySchema } from '../lists.ts';
import { ownersOperation } from '../operation.ts';

const shownKeySchema = serviceAccountKeySchema.omit({ key: true });

export const issueServiceAccountKey = ownersOperation({
  name: 'issue-service-account-key',
  summary: 'Issue a key of a service account',
  method: 'POST',
  path: '/service-accounts/{service_account_id}/keys',
  target: 'service_account',
  body: z.strictObject({
    label: boundedText(limits.serviceAccountKeyLabelLengthMax, 1),
    expiry: keyExpirySchema,
  }),
  response: serviceAccountKeySchema.required({ key: true }),
  status: 201,
  secretFields: ['key'],
  secretOf: 'key_id',
  tableAccess: {
    actions: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'],
    indexes: [],
  },
  example: {
    path: values.serviceAccountPath,
    body: { label: 'build server', expiry: '90d' },
    response: values.issuedKey,
  },
});

export const listServiceAccountKeys = ownersOperation({
  name: 'list-service-account-keys',
  summary: 'List the keys of a service account',
  method: 'GET',
  path: '/service-accounts/{service_account_id}/keys',
  target: 'service_account',
  allowsApiKey: true,
  isList: true,
  query: listQuerySchema,
  response: z.array(shownKeySchema),
  status: 200,
  tableAccess: { actions: ['BatchGetItem', 'Query'], indexes: [] },
  example: { path: values.serviceAccountPath, response: [values.serviceAccountKey] },
});

export const revokeServiceAccountKey = ownersOperation({
  name: 'revoke-service-account-key',
  summary: 'Revoke a key of a service account',
  method: 'DELETE',
  path: '/service-accounts/{service_account_id}/keys/{key_id}',
  target: 'service_account',
  response: shownKeySchema,
  status: 200,
  tableAccess: { actions: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem'], indexes: [] },
  example: { path: values.serviceAccountKeyPath, response: { ...values.serviceAccountKey, state: 'revoked' } },
});

export const changeServiceAccountKeyExpiry = ownersOperation({
  name: 'change-service-account-key-expiry',
  summary: 'Change the expiry of a key, counted from now',
  method: 'PUT',
  path: '/service-accounts/{service_account_id}/keys/{key_id}/expiry',
  target: 'service_account',
  body: z.strictObject({ expiry: keyExpirySchema }),
  response: shownKeySchema,
  status: 200,
  tableAccess: { actions: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem'], indexes: [] },
  example: { path: values.serviceAccountKeyPath, body: { expiry: 'never' }, response: values.lastingKey },
});
