import * as z from 'zod';
import { accountRules } from '../domain/accounts/permissions.ts';
import { connectionCheckSchema } from '../domain/data/connection-checks.ts';
import { type DataConnection, dataConnectionSchema, shownConnectionSchema } from '../domain/data/data-connections.ts';
import { identifierSchema } from '../domain/identifiers.ts';
import { timestampSchema } from '../domain/text.ts';
import * as values from './example-values.ts';
import { listQuerySchema } from './lists.ts';
import { declarators } from './operation.ts';

const define = declarators({ group: 'data-connections', target: 'data_connection' });
export const dataConnectionOperations = define.all;

/** A data connection in lists, without its credentials. */
export const listedConnectionSchema = shownConnectionSchema.omit({ authentication: true });

const byOwner = { kind: 'data_connection', rule: accountRules.data_connections } as const;
const location = (connection: DataConnection) => `/data-connections/${connection.data_connection_id}`;

export const createDataConnection = define.create({
  name: 'create-data-connection',
  summary: 'Create a data connection',
  path: '/data-connections',
  target: 'nothing',
  permission: { kind: 'admin' },
  body: dataConnectionSchema.strict(),
  response: shownConnectionSchema,
  secretFields: ['authentication'],
  secretOf: 'data_connection_id',
  location,
  tableAccess: { actions: ['PutItem', 'ConditionCheckItem'] },
  connectionSecrets: ['seal'],
  example: { body: values.newDataConnection, response: values.newDataConnection },
});

/** Creates a connection that belongs to an account. Only repositories of this account can use it. */
export const createAccountDataConnection = define.create({
  name: 'create-account-data-connection',
  summary: 'Connect storage of an account',
  path: '/accounts/{account_id}/data-connections',
  target: 'account',
  permission: { kind: 'account', rule: accountRules.data_connections },
  body: dataConnectionSchema.omit({ required_flag: true }).strict(),
  response: shownConnectionSchema,
  secretFields: ['authentication'],
  secretOf: 'data_connection_id',
  location,
  tableAccess: { actions: ['PutItem', 'UpdateItem', 'ConditionCheckItem'] },
  connectionSecrets: ['seal'],
  example: { body: values.newAccountConnection, response: values.createdAccountConnection },
});

export const listAccountDataConnections = define.list({
  name: 'list-account-data-connections',
  summary: 'List the data connections of an account',
  path: '/accounts/{account_id}/data-connections',
  target: 'account',
  permission: { kind: 'account', rule: accountRules.known_data_connections },
  response: z.array(listedConnectionSchema),
  example: { response: [values.accountConnection] },
});

export const getDataConnection = define.read({
  name: 'get-data-connection',
  summary: 'Get a data connection; only its owners see its credentials',
  path: '/data-connections/{data_connection_id}',
  permission: { kind: 'enabled_account' },
  response: shownConnectionSchema,
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
  permission: byOwner,
  /**
   * The request may contain fields that only the service sets. They are ignored, so that a client can send back a
   * connection that it read.
   */
  body: shownConnectionSchema.strict(),
  response: shownConnectionSchema,
  secretFields: ['authentication'],
  tableAccess: { actions: ['PutItem', 'DeleteItem'] },
  connectionSecrets: ['seal', 'open'],
  example: {
    body: { ...values.dataConnection, name: 'Ocean store, north' },
    response: { ...values.newDataConnection, name: 'Ocean store, north' },
  },
});

/**
 * A rule for the secret key of a connection. It is not a route: it decides whether a caller may read the key. All other
 * conditions are those of the update operation.
 */
export const readConnectionSecret = {
  ...updateDataConnection,
  permission: { kind: 'data_connection', rule: accountRules.connection_secrets },
} as const;

export const disableDataConnection = define.change({
  name: 'disable-data-connection',
  summary: 'Make a data connection read-only',
  method: 'DELETE',
  path: '/data-connections/{data_connection_id}',
  permission: { kind: 'data_connection', rule: accountRules.known_data_connections },
  response: listedConnectionSchema,
  example: { response: { ...values.dataConnection, read_only: true } },
});

export const enableDataConnection = define.change({
  name: 'enable-data-connection',
  summary: 'Undo the disabling of a data connection by an administrator',
  method: 'POST',
  path: '/data-connections/{data_connection_id}/enable',
  permission: { kind: 'admin' },
  response: listedConnectionSchema,
  example: { response: values.dataConnection },
});

export const deleteDataConnection = define.change({
  name: 'delete-data-connection',
  summary: 'Delete a data connection on which no repository is; objects in the storage stay',
  method: 'POST',
  path: '/data-connections/{data_connection_id}/delete',
  permission: byOwner,
  body: z.strictObject({ confirm: z.string().max(64) }),
  tableAccess: { actions: ['PutItem', 'UpdateItem', 'DeleteItem'] },
  example: { path: { data_connection_id: 'institute-store' }, body: { confirm: 'institute-store' } },
});

export const testDataConnection = define.action({
  name: 'test-data-connection',
  summary: 'Test a data connection',
  method: 'POST',
  path: '/data-connections/{data_connection_id}/test',
  permission: byOwner,
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
  signsStorageTokens: true,
  example: { body: { access: 'read' }, response: values.connectionTest },
});

export const listAvailableDataConnections = define.list({
  name: 'list-available-data-connections',
  summary:
    'List the data connections on which the caller may create repositories: those of the platform and of an account',
  path: '/data-connections/available',
  target: 'nothing',
  permission: { kind: 'enabled_account' },
  query: listQuerySchema.extend({
    /** The account for whose repositories the caller chooses a connection. The default is the caller's own account. */
    account_id: identifierSchema.optional(),
  }),
  response: z.array(listedConnectionSchema),
  example: { response: [values.dataConnection] },
});

export const listDataConnections = define.list({
  name: 'list-data-connections',
  summary: "List the data connections of the platform and of the caller's own account",
  path: '/data-connections',
  target: 'nothing',
  permission: { kind: 'enabled_account' },
  response: z.array(listedConnectionSchema),
  example: { response: [values.dataConnection] },
});
