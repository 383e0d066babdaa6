import * as z from 'zod';
import { identifierSchema } from '../../domain/identifiers.ts';
import { limits } from '../../domain/limits.ts';
import { clientSettingsSchema } from '../../domain/service-accounts/client-settings.ts';
import { type ServiceAccount, serviceAccountSchema } from '../../domain/service-accounts/service-accounts.ts';
import { boundedText } from '../../domain/text.ts';
import * as values from '../example-values.ts';
import { listQuerySchema } from '../lists.ts';
import { ownersOperation } from '../operation.ts';
import { permissionsSchema } from '../permissions.ts';

const changed = { actions: ['PutItem', 'UpdateItem'], indexes: [] } as const;

export const createServiceAccount = ownersOperation({
  name: 'create-service-account',
  summary: 'Create a service account',
  method: 'POST',
  path: '/accounts/{account_id}/service-accounts',
  target: 'account',
  body: z.strictObject({
    name: identifierSchema,
    description: boundedText(limits.serviceAccountDescriptionLengthMax).optional(),
  }),
  response: serviceAccountSchema,
  status: 201,
  location: (created: ServiceAccount) => `/service-accounts/${created.service_account_id}`,
  tableAccess: { actions: ['PutItem', 'UpdateItem', 'ConditionCheckItem'], indexes: [] },
  example: { path: { account_id: 'tide-institute' }, body: values.newServiceAccount, response: values.serviceAccount },
});

export const listServiceAccounts = ownersOperation({
  name: 'list-service-accounts',
  summary: 'List the service accounts of an account',
  method: 'GET',
  path: '/accounts/{account_id}/service-accounts',
  target: 'account',
  allowsApiKey: true,
  isList: true,
  query: listQuerySchema,
  response: z.array(serviceAccountSchema),
  status: 200,
  tableAccess: { actions: ['BatchGetItem'], indexes: ['lists'] },
  example: { path: { account_id: 'tide-institute' }, response: [values.serviceAccount] },
});

export const getServiceAccount = ownersOperation({
  name: 'get-service-account',
  summary: 'Get a service account',
  method: 'GET',
  path: '/service-accounts/{service_account_id}',
  target: 'service_account',
  allowsApiKey: true,
  response: serviceAccountSchema.extend({ permissions: permissionsSchema }),
  shows: 'record',
  status: 200,
  tableAccess: { actions: ['BatchGetItem'], indexes: ['lists'] },
  example: {
    path: values.serviceAccountPath,
    response: { ...values.serviceAccount, permissions: ['getServiceAccount', 'issueServiceAccountKey'] },
  },
});

export const getClientSettings = ownersOperation({
  name: 'get-client-settings',
  summary: 'Get the client settings of a service account',
  method: 'GET',
  path: '/service-accounts/{service_account_id}/client-settings',
  target: 'service_account',
  allowsApiKey: true,
  response: clientSettingsSchema,
  status: 200,
  tableAccess: { actions: [], indexes: [] },
  example: { path: values.serviceAccountPath, response: values.clientSettings },
});

export const updateServiceAccount = ownersOperation({
  name: 'update-service-account',
  summary: 'Update the description of a service account',
  method: 'PATCH',
  path: '/service-accounts/{service_account_id}',
  target: 'service_account',
  body: z.strictObject({ description: boundedText(limits.serviceAccountDescriptionLengthMax) }),
  response: serviceAccountSchema,
  changesTarget: true,
  status: 200,
  tableAccess: changed,
  example: { path: values.serviceAccountPath, body: values.description, response: values.serviceAccount },
});

export const deleteServiceAccount = ownersOperation({
  name: 'delete-service-account',
  summary: 'Delete a service account with its keys, trusted workflows and grants',
  method: 'DELETE',
  path: '/service-accounts/{service_account_id}',
  target: 'service_account',
  changesTarget: true,
  status: 204,
  tableAccess: { actions: ['PutItem', 'UpdateItem', 'DeleteItem'], indexes: [] },
  example: { path: values.serviceAccountPath },
});

export const disableServiceAccount = ownersOperation({
  name: 'disable-service-account',
  summary: 'Disable a service account',
  method: 'POST',
  path: '/service-accounts/{service_account_id}/disable',
  target: 'service_account',
  response: serviceAccountSchema,
  changesTarget: true,
  status: 200,
  tableAccess: changed,
  example: { path: values.serviceAccountPath, response: { ...values.serviceAccount, disabled: true } },
});

export const enableServiceAccount = ownersOperation({
  name: 'enable-service-account',
  summary: 'Enable a service account',
  method: 'POST',
  path: '/service-accounts/{service_account_id}/enable',
  target: 'service_account',
  response: serviceAccountSchema,
  changesTarget: true,
  status: 200,
  tableAccess: changed,
  example: { path: values.serviceAccountPath, response: values.serviceAccount },
});
