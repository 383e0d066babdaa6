import * as z from 'zod';
import { apiKeySchema } from '../domain/accounts/api-keys.ts';
import { createdKeySchema } from '../domain/accounts/created-keys.ts';
import { accountRules } from '../domain/accounts/permissions.ts';
import { identifierSchema } from '../domain/identifiers.ts';
import { limits } from '../domain/limits.ts';
import { boundedText, futureTimestampSchema } from '../domain/text.ts';
import * as values from './example-values.ts';
import { listQuerySchema } from './lists.ts';
import { defineOperation } from './operation.ts';

const newKeySchema = z.strictObject({
  name: boundedText(limits.apiKeyNameLengthMax, 1),
  expires: futureTimestampSchema,
});
const newKeyWithSecretSchema = apiKeySchema.required({ secret_access_key: true });
const shownKeySchema = apiKeySchema.omit({ secret_access_key: true });

export const createAccountApiKey = defineOperation({
  name: 'create-account-api-key',
  group: 'api-keys',
  specNumber: 1,
  summary: 'Create an API key of an account',
  method: 'POST',
  path: '/accounts/{account_id}/api-keys',
  target: 'account',
  permission: { kind: 'account', rule: accountRules.account_keys },
  body: newKeySchema,
  response: newKeyWithSecretSchema,
  status: 201,
  secretFields: ['secret_access_key'],
  secretOf: 'access_key_id',
  tableAccess: { actions: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem'], indexes: ['lists'] },
  example: {
    path: { account_id: 'tide-institute' },
    body: { name: 'dashboard', expires: '2031-01-31T12:00:00Z' },
    response: { ...values.accountApiKey, secret_access_key: values.apiKeySecret },
  },
});

export const listAccountApiKeys = defineOperation({
  name: 'list-account-api-keys',
  group: 'api-keys',
  specNumber: 2,
  summary: 'List the API keys of an account',
  method: 'GET',
  path: '/accounts/{account_id}/api-keys',
  target: 'account',
  permission: { kind: 'account', rule: accountRules.account_keys },
  allowsApiKey: true,
  isList: true,
  query: listQuerySchema,
  response: z.array(shownKeySchema),
  status: 200,
  tableAccess: { actions: [], indexes: ['lists'] },
  example: { path: { account_id: 'tide-institute' }, response: [values.accountApiKey] },
});

export const listMadeKeys = defineOperation({
  name: 'list-made-keys',
  group: 'api-keys',
  summary: 'List the keys that one account made in an account, its repositories and its service accounts',
  method: 'GET',
  path: '/accounts/{account_id}/keys',
  target: 'account',
  permission: { kind: 'account', rule: accountRules.account_keys },
  allowsApiKey: true,
  isList: true,
  query: listQuerySchema.extend({ created_by: identifierSchema.optional() }),
  response: z.array(createdKeySchema),
  status: 200,
  tableAccess: { actions: [], indexes: ['sublists'] },
  example: { path: { account_id: 'tide-institute' }, response: values.createdKeys },
});

export const revokeApiKey = defineOperation({
  name: 'revoke-api-key',
  group: 'api-keys',
  specNumber: 3,
  summary: 'Revoke an API key',
  method: 'DELETE',
  path: '/api-keys/{access_key_id}',
  target: 'api_key',
  permission: { kind: 'api_key' },
  response: shownKeySchema,
  status: 200,
  tableAccess: { actions: ['BatchGetItem', 'PutItem', 'UpdateItem'], indexes: [] },
  example: {
    path: { access_key_id: values.accountApiKey.access_key_id },
    response: { ...values.accountApiKey, disabled: true },
  },
});

export const createRepositoryApiKey = defineOperation({
  name: 'create-repository-api-key',
  group: 'api-keys',
  specNumber: 4,
  summary: 'Create an API key of a repository',
  method: 'POST',
  path: '/repositories/{account_id}/{repository_id}/api-keys',
  target: 'repository',
  permission: { kind: 'account', rule: accountRules.repository_keys },
  body: newKeySchema,
  response: newKeyWithSecretSchema,
  status: 201,
  secretFields: ['secret_access_key'],
  secretOf: 'access_key_id',
  tableAccess: {
    actions: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
    indexes: ['lists'],
  },
  example: {
    path: { account_id: 'tide-institute', repository_id: 'tide-gauges' },
    body: { name: 'mirror', expires: '2031-01-31T12:00:00Z' },
    response: { ...values.repositoryApiKey, secret_access_key: values.apiKeySecret },
  },
});

export const listRepositoryApiKeys = defineOperation({
  name: 'list-repository-api-keys',
  group: 'api-keys',
  specNumber: 5,
  summary: 'List the API keys of a repository',
  method: 'GET',
  path: '/repositories/{account_id}/{repository_id}/api-keys',
  target: 'repository',
  permission: { kind: 'account', rule: accountRules.repository_keys },
  allowsApiKey: true,
  isList: true,
  query: listQuerySchema,
  response: z.array(shownKeySchema),
  status: 200,
  tableAccess: { actions: [], indexes: ['lists'] },
  example: {
    path: { account_id: 'tide-institute', repository_id: 'tide-gauges' },
    response: [values.repositoryApiKey],
  },
});
