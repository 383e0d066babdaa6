import * as z from 'zod';
import { identifierSchema } from '../domain/identifiers.ts';
import { limits } from '../domain/limits.ts';
import { accountRules } from '../domain/permissions.ts';
import {
  grantAccessSchema,
  grantSchema,
  keyExpirySchema,
  type ServiceAccount,
  serviceAccountKeySchema,
  serviceAccountSchema,
} from '../domain/service-accounts.ts';
import { boundedText } from '../domain/text.ts';
import { trustedWorkflowSchema } from '../domain/trusted-workflows.ts';
import * as values from './example-values.ts';
import { listQuerySchema } from './lists.ts';
import { defineOperation } from './operation.ts';

const ownersPermission = { kind: 'account', rule: accountRules.service_accounts } as const;

export const createServiceAccount = defineOperation({
  name: 'create-service-account',
  group: 'service-accounts',
  summary: 'Create a service account',
  method: 'POST',
  path: '/accounts/{account_id}/service-accounts',
  target: 'account',
  permission: ownersPermission,
  body: z.strictObject({
    name: identifierSchema,
    description: boundedText(limits.serviceAccountDescriptionLengthMax).optional(),
  }),
  response: serviceAccountSchema,
  status: 201,
  location: (created: ServiceAccount) => `/api/v1/service-accounts/${created.service_account_id}`,
  tableAccess: { actions: ['PutItem'], indexes: [] },
  example: { path: { account_id: 'tide-institute' }, body: values.newServiceAccount, response: values.serviceAccount },
});

export const issueServiceAccountKey = defineOperation({
  name: 'issue-service-account-key',
  group: 'service-accounts',
  summary: 'Issue a key of a service account',
  method: 'POST',
  path: '/service-accounts/{service_account_id}/keys',
  target: 'service_account',
  permission: ownersPermission,
  bearerTokenOnly: true,
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

export const putGrant = defineOperation({
  name: 'put-grant',
  group: 'service-accounts',
  summary: 'Grant a service account access to a repository of its owner',
  method: 'PUT',
  path: '/service-accounts/{service_account_id}/grants/{repository_id}',
  target: 'service_account',
  permission: ownersPermission,
  isUpsert: true,
  body: z.strictObject({ access: grantAccessSchema }),
  response: grantSchema,
  status: 200,
  tableAccess: { actions: ['GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem'], indexes: [] },
  example: { path: values.grantPath, body: { access: 'read_write' }, response: values.grant },
});

export const trustWorkflow = defineOperation({
  name: 'trust-workflow',
  group: 'service-accounts',
  summary: 'Trust a CI workflow to sign in as a service account',
  method: 'POST',
  path: '/service-accounts/{service_account_id}/trusted-workflows',
  target: 'service_account',
  permission: ownersPermission,
  bearerTokenOnly: true,
  body: z.strictObject({
    issuer: z.string().max(512).optional(),
    repository: z.string().max(512),
    branch: z.string().max(512).optional(),
    tag: z.string().max(512).optional(),
    environment: z.string().max(512).optional(),
  }),
  response: trustedWorkflowSchema,
  status: 201,
  tableAccess: { actions: ['PutItem', 'UpdateItem'], indexes: [] },
  example: { path: values.serviceAccountPath, body: values.workflow, response: values.trustedWorkflow },
});

const shownKeySchema = serviceAccountKeySchema.omit({ key: true });
const changed = { actions: ['PutItem', 'UpdateItem'], indexes: [] } as const;

export const listServiceAccounts = defineOperation({
  name: 'list-service-accounts',
  group: 'service-accounts',
  summary: 'List the service accounts of an account',
  method: 'GET',
  path: '/accounts/{account_id}/service-accounts',
  target: 'account',
  permission: ownersPermission,
  isList: true,
  query: listQuerySchema,
  response: z.array(serviceAccountSchema),
  status: 200,
  tableAccess: { actions: ['BatchGetItem', 'Query'], indexes: ['lists'] },
  example: { path: { account_id: 'tide-institute' }, response: [values.serviceAccount] },
});

export const getServiceAccount = defineOperation({
  name: 'get-service-account',
  group: 'service-accounts',
  summary: 'Get a service account',
  method: 'GET',
  path: '/service-accounts/{service_account_id}',
  target: 'service_account',
  permission: ownersPermission,
  response: serviceAccountSchema,
  status: 200,
  tableAccess: { actions: ['BatchGetItem'], indexes: ['lists'] },
  example: { path: values.serviceAccountPath, response: values.serviceAccount },
});

export const updateServiceAccount = defineOperation({
  name: 'update-service-account',
  group: 'service-accounts',
  summary: 'Change the description of a service account',
  method: 'PATCH',
  path: '/service-accounts/{service_account_id}',
  target: 'service_account',
  permission: ownersPermission,
  body: z.strictObject({ description: boundedText(limits.serviceAccountDescriptionLengthMax) }),
  response: serviceAccountSchema,
  status: 200,
  tableAccess: changed,
  example: { path: values.serviceAccountPath, body: values.description, response: values.serviceAccount },
});

export const deleteServiceAccount = defineOperation({
  name: 'delete-service-account',
  group: 'service-accounts',
  summary: 'Delete a service account with its keys, trusted workflows and grants',
  method: 'DELETE',
  path: '/service-accounts/{service_account_id}',
  target: 'service_account',
  permission: ownersPermission,
  status: 204,
  tableAccess: { actions: ['PutItem', 'DeleteItem'], indexes: [] },
  example: { path: values.serviceAccountPath },
});

export const disableServiceAccount = defineOperation({
  name: 'disable-service-account',
  group: 'service-accounts',
  summary: 'Disable a service account',
  method: 'POST',
  path: '/service-accounts/{service_account_id}/disable',
  target: 'service_account',
  permission: ownersPermission,
  response: serviceAccountSchema,
  status: 200,
  tableAccess: changed,
  example: { path: values.serviceAccountPath, response: { ...values.serviceAccount, disabled: true } },
});

export const enableServiceAccount = defineOperation({
  name: 'enable-service-account',
  group: 'service-accounts',
  summary: 'Enable a service account again',
  method: 'POST',
  path: '/service-accounts/{service_account_id}/enable',
  target: 'service_account',
  permission: ownersPermission,
  response: serviceAccountSchema,
  status: 200,
  tableAccess: changed,
  example: { path: values.serviceAccountPath, response: values.serviceAccount },
});

export const listServiceAccountKeys = defineOperation({
  name: 'list-service-account-keys',
  group: 'service-accounts',
  summary: 'List the keys of a service account',
  method: 'GET',
  path: '/service-accounts/{service_account_id}/keys',
  target: 'service_account',
  permission: ownersPermission,
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
  bearerTokenOnly: true,
  response: shownKeySchema,
  status: 200,
  tableAccess: { actions: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem'], indexes: [] },
  example: { path: values.serviceAccountKeyPath, response: { ...values.serviceAccountKey, state: 'revoked' } },
});

export const changeServiceAccountKeyExpiry = defineOperation({
  name: 'change-service-account-key-expiry',
  group: 'service-accounts',
  summary: 'Change the expiry of a key; the new one counts from now',
  method: 'PUT',
  path: '/service-accounts/{service_account_id}/keys/{key_id}/expiry',
  target: 'service_account',
  permission: ownersPermission,
  bearerTokenOnly: true,
  body: z.strictObject({ expiry: keyExpirySchema }),
  response: shownKeySchema,
  status: 200,
  tableAccess: { actions: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem'], indexes: [] },
  example: { path: values.serviceAccountKeyPath, body: { expiry: 'never' }, response: values.lastingKey },
});

export const listGrants = defineOperation({
  name: 'list-grants',
  group: 'service-accounts',
  summary: 'List the grants of a service account',
  method: 'GET',
  path: '/service-accounts/{service_account_id}/grants',
  target: 'service_account',
  permission: ownersPermission,
  isList: true,
  query: listQuerySchema,
  response: z.array(grantSchema),
  status: 200,
  tableAccess: { actions: ['Query'], indexes: ['lists'] },
  example: { path: values.serviceAccountPath, response: [values.grant] },
});

export const removeGrant = defineOperation({
  name: 'remove-grant',
  group: 'service-accounts',
  summary: 'Remove a grant of a service account',
  method: 'DELETE',
  path: '/service-accounts/{service_account_id}/grants/{repository_id}',
  target: 'service_account',
  permission: ownersPermission,
  status: 204,
  tableAccess: { actions: ['PutItem', 'UpdateItem', 'DeleteItem'], indexes: [] },
  example: { path: values.grantPath },
});

export const listTrustedWorkflows = defineOperation({
  name: 'list-trusted-workflows',
  group: 'service-accounts',
  summary: 'List the CI workflows that a service account trusts',
  method: 'GET',
  path: '/service-accounts/{service_account_id}/trusted-workflows',
  target: 'service_account',
  permission: ownersPermission,
  isList: true,
  query: listQuerySchema,
  response: z.array(trustedWorkflowSchema),
  status: 200,
  tableAccess: { actions: ['Query'], indexes: ['lists'] },
  example: { path: values.serviceAccountPath, response: [values.trustedWorkflow] },
});

export const removeTrustedWorkflow = defineOperation({
  name: 'remove-trusted-workflow',
  group: 'service-accounts',
  summary: 'Trust a CI workflow no more',
  method: 'DELETE',
  path: '/service-accounts/{service_account_id}/trusted-workflows/{workflow_id}',
  target: 'service_account',
  permission: ownersPermission,
  bearerTokenOnly: true,
  status: 204,
  tableAccess: { actions: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem'], indexes: [] },
  example: { path: values.workflowPath },
});
