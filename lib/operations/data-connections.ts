import * as z from 'zod';
import { connectionCheckSchema } from '../domain/data/connection-checks.ts';
import { type DataConnection, dataConnectionSchema } from '../domain/data/data-connections.ts';
import { timestampSchema } from '../domain/text.ts';
import * as values from './example-values.ts';
import { declarators } from './operation.ts';

const define = declarators({ group: 'data-connections', target: 'data_connection' });
export const dataConnectionOperations = define.all;

const shownConnectionSchema = dataConnectionSchema.omit({ authentication: true });

export const createDataConnection = define.create({
  name: 'create-data-connection',
  summary: 'Create a data connection',
  path: '/data-connections',
  target: 'nothing',
  permission: { kind: 'admin' },
  body: dataConnectionSchema.strict(),
  response: dataConnectionSchema,
  secretFields: ['authentication'],
  secretOf: 'data_connection_id',
  location: (connection: DataConnection) => `/data-connections/${connection.data_connection_id}`,
  tableAccess: { actions: ['PutItem'], indexes: ['lists'] },
  connectionSecrets: ['seal'],
  example: { body: values.newDataConnection, response: values.newDataConnection },
});

export const getDataConnection = define.read({
  name: 'get-data-connection',
  summary: 'Get a data connection; only administrators see its credentials',
  path: '/data-connections/{data_connection_id}',
  permission: { kind: 'enabled_account' },
  response: dataConnectionSchema,
  etag: 'target',
  secretFields: ['authentication'],
  connectionSecrets: ['open'],
  example: { response: values.dataConnection },
});

export const updateDataConnection = define.change({
  name: 'update-data-connection',
  summary: 'Update a data connection; without new credentials, the stored ones stay',
  method: 'PUT',
  path: '/data-connections/{data_connection_id}',
  permission: { kind: 'admin' },
  body: dataConnectionSchema.strict(),
  response: dataConnectionSchema,
  secretFields: ['authentication'],
  tableAccess: { actions: ['PutItem'], indexes: ['lists'] },
  connectionSecrets: ['seal', 'open'],
  example: {
    body: { ...values.dataConnection, name: 'Ocean store, north' },
    response: { ...values.newDataConnection, name: 'Ocean store, north' },
  },
});

export const disableDataConnection = define.change({
  name: 'disable-data-connection',
  summary: 'Make a data connection read-only',
  method: 'DELETE',
  path: '/data-connections/{data_connection_id}',
  permission: { kind: 'admin' },
  response: shownConnectionSchema,
  example: { response: { ...values.dataConnection, read_only: true } },
});

export const testDataConnection = define.action({
  name: 'test-data-connection',
  summary: 'Test a data connection',
  method: 'POST',
  path: '/data-connections/{data_connection_id}/test',
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
  tableAccess: { actions: ['PutItem', 'UpdateItem'] },
  connectionSecrets: ['open'],
  example: { body: { access: 'read' }, response: values.connectionTest },
});

export const listAvailableDataConnections = define.list({
  name: 'list-available-data-connections',
  summary: 'List the data connections that the caller may create repositories on',
  path: '/data-connections/available',
  target: 'nothing',
  permission: { kind: 'enabled_account' },
  response: z.array(shownConnectionSchema),
  example: { response: [values.dataConnection] },
});

export const listDataConnections = define.list({
  name: 'list-data-connections',
  summary: 'List the data connections',
  path: '/data-connections',
  target: 'nothing',
  permission: { kind: 'enabled_account' },
  response: z.array(shownConnectionSchema),
  example: { response: [values.dataConnection] },
});
