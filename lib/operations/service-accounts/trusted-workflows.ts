import * as z from 'zod';
import { trustedWorkflowSchema } from '../../domain/service-accounts/trusted-workflows.ts';
import * as values from '../example-values.ts';
import { listQuerySchema } from '../lists.ts';
import { ownersOperation } from '../operation.ts';

export const trustWorkflow = ownersOperation({
  name: 'trust-workflow',
  summary: 'Trust a CI workflow to sign in as a service account',
  method: 'POST',
  path: '/service-accounts/{service_account_id}/trusted-workflows',
  target: 'service_account',
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

export const listTrustedWorkflows = ownersOperation({
  name: 'list-trusted-workflows',
  summary: 'List the CI workflows that a service account trusts',
  method: 'GET',
  path: '/service-accounts/{service_account_id}/trusted-workflows',
  target: 'service_account',
  allowsApiKey: true,
  isList: true,
  query: listQuerySchema,
  response: z.array(trustedWorkflowSchema),
  status: 200,
  tableAccess: { actions: [], indexes: ['lists'] },
  example: { path: values.serviceAccountPath, response: [values.trustedWorkflow] },
});

export const removeTrustedWorkflow = ownersOperation({
  name: 'remove-trusted-workflow',
  summary: 'Stop trusting a CI workflow',
  method: 'DELETE',
  path: '/service-accounts/{service_account_id}/trusted-workflows/{workflow_id}',
  target: 'service_account',
  status: 204,
  tableAccess: { actions: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem'], indexes: [] },
  example: { path: values.workflowPath },
});
