import * as z from 'zod';
import { apiKeySchema, createdKeySchema } from '../domain/accounts/api-keys.ts';
import { accountRules } from '../domain/accounts/permissions.ts';
import { identifierSchema } from '../domain/identifiers.ts';
import { limits } from '../domain/limits.ts';
import { boundedText, futureTimestampSchema } from '../domain/text.ts';
import * as values from './example-values.ts';
import { listQuerySchema } from './lists.ts';
import { declarators } from './operation.ts';

const define = declarators({ group: 'api-keys', target: 'account' });
export const apiKeyOperations = define.all;

const newKeySchema = z.strictObject({
  name: boundedText(limits.apiKeyNameLengthMax, 1),
  expires: futureTimestampSchema,
});
const newKeyWithSecretSchema = apiKeySchema.required({ secret_access_key: true });
const shownKeySchema = apiKeySchema.omit({ secret_access_key: true });

export const createAccountApiKey = define.create({
  name: 'create-account-api-key',
  summary: 'Create an API key of an account',
  path: '/accounts/{account_id}/api-keys',
  permission: { kind: 'account', rule: accountRules.account_keys },
  body: newKeySchema,
  response: newKeyWithSecretSchema,
  secretFields: ['secret_access_key'],
  secretOf: 'access_key_id',
  tableAccess: { actions: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem'], indexes: ['lists'] },
  example: {
    body: { name: 'dashboard', expires: '2031-01-31T12:00:00Z' },
    response: { ...values.accountApiKey, secret_access_key: values.apiKeySecret },
  },
});

export const listAccountApiKeys = define.list({
  name: 'list-account-api-keys',
  summary: 'List the API keys of an account',
  path: '/accounts/{account_id}/api-keys',
  permission: { kind: 'account', rule: accountRules.account_keys },
  response: z.array(shownKeySchema),
  example: { response: [values.accountApiKey] },
});

export const listMadeKeys = define.list({
  name: 'list-made-keys',
  summary: 'List the keys that one user created in an account, its repositories and its service accounts',
  path: '/accounts/{account_id}/keys',
  permission: { kind: 'account', rule: accountRules.account_keys },
  query: listQuerySchema.extend({ created_by: identifierSchema.optional() }),
  response: z.array(createdKeySchema),
  tableAccess: { indexes: ['sublists'] },
  example: { response: values.createdKeys },
});

export const revokeApiKey = define.action({
  name: 'revoke-api-key',
  summary: 'Revoke an API key',
  method: 'DELETE',
  path: '/api-keys/{access_key_id}',
  target: 'api_key',
  permission: { kind: 'api_key' },
  response: shownKeySchema,
  tableAccess: { actions: ['BatchGetItem', 'PutItem', 'UpdateItem'] },
  example: { response: { ...values.accountApiKey, disabled: true } },
});

export const createRepositoryApiKey = define.create({
  name: 'create-repository-api-key',
  summary: 'Create an API key of a repository',
  path: '/repositories/{account_id}/{repository_id}/api-keys',
  target: 'repository',
  permission: { kind: 'account', rule: accountRules.repository_keys },
  body: newKeySchema,
  response: newKeyWithSecretSchema,
  secretFields: ['secret_access_key'],
  secretOf: 'access_key_id',
  tableAccess: {
    actions: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
    indexes: ['lists'],
  },
  example: {
    body: { name: 'mirror', expires: '2031-01-31T12:00:00Z' },
    response: { ...values.repositoryApiKey, secret_access_key: values.apiKeySecret },
  },
});

export const listRepositoryApiKeys = define.list({
  name: 'list-repository-api-keys',
  summary: 'List the API keys of a repository',
  path: '/repositories/{account_id}/{repository_id}/api-keys',
  target: 'repository',
  permission: { kind: 'account', rule: accountRules.repository_keys },
  response: z.array(shownKeySchema),
  example: { response: [values.repositoryApiKey] },
});
