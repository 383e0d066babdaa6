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
});
