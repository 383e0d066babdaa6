import * as z from 'zod';
import { connectionCheckSchema } from '../domain/data/connection-checks.ts';
import { type DataConnection, dataConnectionSchema } from '../domain/data/data-connections.ts';
import { timestampSchema } from '../domain/text.ts';
import * as values from './example-values.ts';
import { listQuerySchema } from './lists.ts';
import { defineOperation } from './operation.ts';

const shownConnectionSchema = dataConnectionSchema.omit({ authentication: true });

export const createDataConnection = defineOperation({
  name: 'create-data-connection',
  group: 'data-connections',
  specNumber: 26,
  summary: 'Create a data connection',
  method: 'POST',
  path: '/data-connections',
  target: 'nothing',
  permission: { kind: 'admin' },
  body: dataConnectionSchema.strict(),
  response: dataConnectionSchema,
  status: 201,
  secretFields: ['authentication'],
  secretOf: 'data_connection_id',
  location: (connection: DataConnection) => `/data-connections/${connection.data_connection_id}`,
  tableAccess: { actions: ['PutItem'], indexes: ['lists'] },
  connectionSecrets: ['seal'],
  example: { body: values.newDataConnection, response: values.newDataConnection },
});

export const getDataConnection = defineOperation({
  name: 'get-data-connection',
  group: 'data-connections',
  specNumber: 21,
  summary: 'Get a data connection; only administrators see its credentials',
  method: 'GET',
  path: '/data-connections/{data_connection_id}',
  target: 'data_connection',
  permission: { kind: 'enabled_account' },
  allowsApiKey: true,
  response: dataConnectionSchema,
  shows: 'record',
  status: 200,
  secretFields: ['authentication'],
  tableAccess: { actions: [], indexes: [] },
  connectionSecrets: ['open'],
  example: { path: { data_connection_id: 'ocean-store' }, response: values.dataConnection },
});

export const updateDataConnection = defineOperation({
  name: 'update-data-connection',
  group: 'data-connections',
  specNumber: 22,
  summary: 'Update a data connection; credentials that are left out stay as they are',
  method: 'PUT',
  path: '/data-connections/{data_connection_id}',
  target: 'data_connection',
  permission: { kind: 'admin' },
  body: dataConnectionSchema.strict(),
  response: dataConnectionSchema,
  changesTarget: true,
  status: 200,
  secretFields: ['authentication'],
  tableAccess: { actions: ['PutItem'], indexes: ['lists'] },
  connectionSecrets: ['seal', 'open'],
  example: {
    path: { data_connection_id: 'ocean-store' },
    body: { ...values.dataConnection, name: 'Ocean store, north' },
    response: { ...values.newDataConnection, name: 'Ocean store, north' },
  },
});

export const disableDataConnection = defineOperation({
  name: 'disable-data-connection',
  group: 'data-connections',
  specNumber: 23,
  summary: 'Make a data connection read-only',
  method: 'DELETE',
  path: '/data-connections/{data_connection_id}',
  target: 'data_connection',
  permission: { kind: 'admin' },
  response: shownConnectionSchema,
  changesTarget: true,
  status: 200,
  tableAccess: { actions: ['PutItem', 'UpdateItem'], indexes: [] },
  example: { path: { data_connection_id: 'ocean-store' }, response: { ...values.dataConnection, read_only: true } },
});

export const testDataConnection = defineOperation({
  name: 'test-data-connection',
  group: 'data-connections',
  summary: 'Test what the storage of a data connection answers and allows',
  method: 'POST',
  path: '/data-connections/{data_connection_id}/test',
  target: 'data_connection',
  permission: { kind: 'admin' },
  body: z.strictObject({
    /** With `read_write`, the test writes a small object directly below the base prefix, reads it, and deletes it. */
    access: z.enum(['read', 'read_write']),
  }),
  response: z.object({
    data_connection_id: z.string(),
    tested_at: timestampSchema,
    checks: z.array(connectionCheckSchema),
  }),
  status: 200,
  tableAccess: { actions: ['PutItem', 'UpdateItem'], indexes: [] },
  connectionSecrets: ['open'],
  example: {
    path: { data_connection_id: 'ocean-store' },
    body: { access: 'read' },
    response: values.connectionTest,
  },
});

export const listAvailableDataConnections = defineOperation({
  name: 'list-available-data-connections',
  group: 'data-connections',
  specNumber: 24,
  summary: 'List the data connections that the caller may place repositories on',
  method: 'GET',
  path: '/data-connections/available',
  target: 'nothing',
  permission: { kind: 'enabled_account' },
  allowsApiKey: true,
  isList: true,
  query: listQuerySchema,
  response: z.array(shownConnectionSchema),
  status: 200,
  tableAccess: { actions: [], indexes: ['lists'] },
  example: { response: [values.dataConnection] },
});

export const listDataConnections = defineOperation({
  name: 'list-data-connections',
  group: 'data-connections',
  specNumber: 25,
  summary: 'List the data connections',
  method: 'GET',
  path: '/data-connections',
  target: 'nothing',
  permission: { kind: 'enabled_account' },
  allowsApiKey: true,
  isList: true,
  query: listQuerySchema,
  response: z.array(shownConnectionSchema),
  status: 200,
  tableAccess: { actions: [], indexes: ['lists'] },
  example: { response: [values.dataConnection] },
});
