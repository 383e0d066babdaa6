import { type DataConnection, dataConnectionSchema } from '../domain/data-connections.ts';
import { newIdentifierSchema } from '../domain/identifiers.ts';
import { defineOperation } from './operation.ts';

export const createDataConnection = defineOperation({
  name: 'create-data-connection',
  group: 'data-connections',
  specNumber: 26,
  summary: 'Create a data connection',
  method: 'POST',
  path: '/data-connections',
  target: 'nothing',
  permission: { kind: 'admin' },
  bearerTokenOnly: true,
  body: dataConnectionSchema.extend({ data_connection_id: newIdentifierSchema }).strict(),
  response: dataConnectionSchema,
  status: 201,
  secretFields: ['authentication'],
  location: (connection: DataConnection) => `/api/v1/data-connections/${connection.data_connection_id}`,
  tableAccess: { actions: ['PutItem'], indexes: [] },
});
