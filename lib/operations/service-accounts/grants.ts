import * as z from 'zod';
import { grantAccessSchema, grantSchema, listedGrantSchema } from '../../domain/service-accounts/service-accounts.ts';
import * as values from '../example-values.ts';
import { listQuerySchema } from '../lists.ts';
import { ownersOperation } from '../operation.ts';

export const putGrant = ownersOperation({
  name: 'put-grant',
  summary: 'Grant a service account access to a repository of its owner',
  method: 'PUT',
  path: '/service-accounts/{service_account_id}/grants/{repository_id}',
  target: 'service_account',
  isUpsert: true,
  body: z.strictObject({ access: grantAccessSchema }),
  response: grantSchema,
  status: 200,
  tableAccess: {
    actions: ['GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem', 'ConditionCheckItem'],
    indexes: [],
  },
  example: { path: values.grantPath, body: { access: 'read_write' }, response: values.grant },
});

export const listGrants = ownersOperation({
  name: 'list-grants',
  summary: 'List the grants of a service account',
  method: 'GET',
  path: '/service-accounts/{service_account_id}/grants',
  target: 'service_account',
  allowsApiKey: true,
  isList: true,
  query: listQuerySchema,
  response: z.array(listedGrantSchema),
  status: 200,
  tableAccess: { actions: [], indexes: ['lists'] },
  example: { path: values.serviceAccountPath, response: [values.listedGrant] },
});

export const removeGrant = ownersOperation({
  name: 'remove-grant',
  summary: 'Remove a grant of a service account',
  method: 'DELETE',
  path: '/service-accounts/{service_account_id}/grants/{repository_id}',
  target: 'service_account',
  status: 204,
  tableAccess: { actions: ['PutItem', 'UpdateItem', 'DeleteItem'], indexes: [] },
  example: { path: values.grantPath },
});
