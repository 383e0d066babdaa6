import * as z from 'zod';
import { accountRules } from '../domain/accounts/permissions.ts';
import { identifierSchema, uuidSchema } from '../domain/identifiers.ts';
import { limits } from '../domain/limits.ts';
import { clientSettingsSchema } from '../domain/service-accounts/client-settings.ts';
import { endingQuerySchema, endingShape } from '../domain/service-accounts/ended-sessions.ts';
import {
  grantAccessSchema,
  grantSchema,
  keyExpirySchema,
  listedGrantSchema,
  type ServiceAccount,
  serviceAccountKeySchema,
  serviceAccountSchema,
} from '../domain/service-accounts/service-accounts.ts';
import { listedTrustedWorkflowSchema, trustedWorkflowSchema } from '../domain/service-accounts/trusted-workflows.ts';
import { boundedText } from '../domain/text.ts';
import * as values from './example-values.ts';
import { declarators, exampleIds } from './operation.ts';
import { permissionsSchema } from './permissions.ts';

const define = declarators({
  group: 'service-accounts',
  target: 'service_account',
  permission: { kind: 'account', rule: accountRules.service_accounts },
});
export const serviceAccountOperations = define.all;

const shownKeySchema = serviceAccountKeySchema.omit({ key: true });

export const createServiceAccount = define.create({
  name: 'create-service-account',
  summary: 'Create a service account',
  path: '/accounts/{account_id}/service-accounts',
  target: 'account',
  body: z.strictObject({
    name: identifierSchema,
    description: boundedText(limits.serviceAccountDescriptionLengthMax).optional(),
  }),
  response: serviceAccountSchema,
  location: (created: ServiceAccount) => `/service-accounts/${created.service_account_id}`,
  tableAccess: { actions: ['PutItem', 'UpdateItem', 'ConditionCheckItem'] },
  example: { body: values.newServiceAccount, response: values.serviceAccount },
});

export const issueServiceAccountKey = define.create({
  name: 'issue-service-account-key',
  summary: 'Issue a key of a service account',
  path: '/service-accounts/{service_account_id}/keys',
  body: z.strictObject({
    label: boundedText(limits.serviceAccountKeyLabelLengthMax, 1),
    expiry: keyExpirySchema,
  }),
  response: serviceAccountKeySchema.required({ key: true }),
  secretFields: ['key'],
  secretOf: 'key_id',
  tableAccess: { actions: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'] },
  example: { body: { label: 'build server', expiry: '90d' }, response: values.issuedKey },
});

export const putGrant = define.put({
  name: 'put-grant',
  summary: 'Grant a service account access to a repository of its owner',
  path: '/service-accounts/{service_account_id}/grants/{repository_id}',
  body: z.strictObject({ access: grantAccessSchema }),
  response: grantSchema,
  tableAccess: { actions: ['GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem', 'ConditionCheckItem'] },
  example: { body: { access: 'read_write' }, response: values.grant },
});

export const trustWorkflow = define.create({
  name: 'trust-workflow',
  summary: 'Trust a CI workflow to sign in as a service account',
  path: '/service-accounts/{service_account_id}/trusted-workflows',
  body: z.strictObject({
    issuer: z.string().max(512).optional(),
    repository: z.string().max(512).optional(),
    branch: z.string().max(512).optional(),
    tag: z.string().max(512).optional(),
    environment: z.string().max(512).optional(),
    repository_id: z.string().max(20).optional(),
    repository_owner_id: z.string().max(20).optional(),
    claims: z.record(z.string().max(64), z.string().max(700)).optional(),
    workflow_file: z.string().max(512).optional(),
    job_workflow: z.string().max(512).optional(),
    event_name: z.string().max(64).optional(),
    ref: z.string().max(512).optional(),
    ci_config: z.string().max(512).optional(),
  }),
  response: trustedWorkflowSchema,
  tableAccess: { actions: ['BatchGetItem', 'PutItem', 'UpdateItem'] },
  example: { body: values.workflow, response: values.trustedWorkflow },
});

export const listServiceAccounts = define.list({
  name: 'list-service-accounts',
  summary: 'List the service accounts of an account',
  path: '/accounts/{account_id}/service-accounts',
  target: 'account',
  response: z.array(serviceAccountSchema),
  tableAccess: { actions: ['BatchGetItem'], indexes: ['lists'] },
  example: { response: [values.serviceAccount] },
});

export const getServiceAccount = define.read({
  name: 'get-service-account',
  summary: 'Get a service account',
  path: '/service-accounts/{service_account_id}',
  response: serviceAccountSchema.extend({ permissions: permissionsSchema }),
  etag: 'target',
  tableAccess: { actions: ['BatchGetItem'], indexes: ['lists'] },
  example: { response: { ...values.serviceAccount, permissions: ['getServiceAccount', 'issueServiceAccountKey'] } },
});

export const getClientSettings = define.read({
  name: 'get-client-settings',
  summary: 'Get the client settings of a service account',
  path: '/service-accounts/{service_account_id}/client-settings',
  response: clientSettingsSchema,
  tableAccess: { indexes: ['lists'] },
  example: { response: values.clientSettings },
});

export const updateServiceAccount = define.change({
  name: 'update-service-account',
  summary: 'Update the description of a service account',
  method: 'PATCH',
  path: '/service-accounts/{service_account_id}',
  body: z.strictObject({ description: boundedText(limits.serviceAccountDescriptionLengthMax).optional() }),
  response: serviceAccountSchema,
  example: { body: values.description, response: values.serviceAccount },
});

export const updateServiceAccountSettings = define.change({
  name: 'update-service-account-settings',
  summary: 'Update the settings of a service account',
  method: 'PATCH',
  path: '/service-accounts/{service_account_id}/settings',
  permission: { kind: 'account', rule: accountRules.service_account_settings },
  body: z.strictObject({
    end_sessions_on_revocation: z.boolean().optional(),
    federated_only: z.boolean().optional(),
  }),
  response: serviceAccountSchema,
  example: { body: { federated_only: false }, response: values.serviceAccount },
});

export const deleteServiceAccount = define.change({
  name: 'delete-service-account',
  summary: 'Delete a service account with its keys, trusted workflows and grants',
  method: 'DELETE',
  path: '/service-accounts/{service_account_id}',
  tableAccess: { actions: ['PutItem', 'UpdateItem', 'DeleteItem'] },
  example: {},
});

export const disableServiceAccount = define.change({
  name: 'disable-service-account',
  summary: 'Disable a service account',
  method: 'POST',
  path: '/service-accounts/{service_account_id}/disable',
  response: serviceAccountSchema,
  example: { response: { ...values.serviceAccount, disabled: true } },
});

export const enableServiceAccount = define.change({
  name: 'enable-service-account',
  summary: 'Enable a service account',
  method: 'POST',
  path: '/service-accounts/{service_account_id}/enable',
  response: serviceAccountSchema,
  example: { response: values.serviceAccount },
});

export const listServiceAccountKeys = define.list({
  name: 'list-service-account-keys',
  summary: 'List the keys of a service account',
  path: '/service-accounts/{service_account_id}/keys',
  response: z.array(shownKeySchema),
  tableAccess: { actions: ['BatchGetItem', 'Query'], indexes: ['lists'] },
  example: { response: [values.serviceAccountKey] },
});

export const revokeServiceAccountKey = define.action({
  name: 'revoke-service-account-key',
  summary: 'Revoke a key of a service account',
  method: 'DELETE',
  path: '/service-accounts/{service_account_id}/keys/{key_id}',
  query: endingQuerySchema,
  response: shownKeySchema,
  tableAccess: { actions: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem'] },
  example: {
    query: { end_sessions: 'true' },
    response: { ...values.serviceAccountKey, state: 'revoked', sessions_ended: 'source' },
  },
});

export const changeServiceAccountKeyExpiry = define.action({
  name: 'change-service-account-key-expiry',
  summary: 'Change the expiry of a key, counted from now',
  method: 'PUT',
  path: '/service-accounts/{service_account_id}/keys/{key_id}/expiry',
  body: z.strictObject({ expiry: keyExpirySchema }),
  response: shownKeySchema,
  tableAccess: { actions: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem'] },
  example: { body: { expiry: 'never' }, response: values.lastingKey },
});

export const listGrants = define.list({
  name: 'list-grants',
  summary: 'List the grants of a service account',
  path: '/service-accounts/{service_account_id}/grants',
  response: z.array(listedGrantSchema),
  example: { response: [values.listedGrant] },
});

export const removeGrant = define.action({
  name: 'remove-grant',
  summary: 'Remove a grant of a service account',
  method: 'DELETE',
  path: '/service-accounts/{service_account_id}/grants/{repository_id}',
  tableAccess: { actions: ['PutItem', 'UpdateItem', 'DeleteItem'] },
  example: {},
});

export const listTrustedWorkflows = define.list({
  name: 'list-trusted-workflows',
  summary: 'List the CI workflows that a service account trusts',
  path: '/service-accounts/{service_account_id}/trusted-workflows',
  response: z.array(listedTrustedWorkflowSchema),
  example: { response: [{ ...values.trustedWorkflow, missing: ['grant'] }] },
});

export const removeTrustedWorkflow = define.action({
  name: 'remove-trusted-workflow',
  summary: 'Stop trusting a CI workflow',
  method: 'DELETE',
  path: '/service-accounts/{service_account_id}/trusted-workflows/{workflow_id}',
  query: endingQuerySchema,
  response: z.object({ workflow_id: uuidSchema, ...endingShape }),
  tableAccess: { actions: ['BatchGetItem', 'GetItem', 'PutItem', 'UpdateItem', 'DeleteItem'] },
  example: {
    query: { end_sessions: 'true' },
    response: { workflow_id: exampleIds.workflow_id, sessions_ended: 'source' },
  },
});
