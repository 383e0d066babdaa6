import * as z from 'zod';
import { accountRules } from '../domain/accounts/permissions.ts';
import {
  type Repository,
  repositoryDataModeSchema,
  repositoryMetaSchema,
  repositorySchema,
  repositoryStateSchema,
} from '../domain/data/repositories.ts';
import { identifierSchema } from '../domain/identifiers.ts';
import * as values from './example-values.ts';
import { listQuerySchema } from './lists.ts';
import { defineOperation } from './operation.ts';

export const createRepository = defineOperation({
  name: 'create-repository',
  group: 'repositories',
  specNumber: 30,
  summary: 'Create a repository',
  method: 'POST',
  path: '/repositories/{account_id}',
  target: 'account',
  permission: { kind: 'account', rule: accountRules.repositories },
  allowsApiKey: true,
  body: z.strictObject({
    repository_id: identifierSchema,
    data_mode: repositoryDataModeSchema,
    meta: repositoryMetaSchema,
    data_connection_id: identifierSchema,
  }),
  response: repositorySchema,
  status: 201,
  location: (repository: Repository) => `/api/v1/repositories/${repository.account_id}/${repository.repository_id}`,
  tableAccess: { actions: ['BatchGetItem', 'PutItem', 'UpdateItem'], indexes: [] },
  example: {
    path: { account_id: 'tide-institute' },
    body: {
      repository_id: 'tide-gauges',
      data_mode: 'open',
      meta: values.repository.meta,
      data_connection_id: 'ocean-store',
    },
    response: { ...values.repository, state: 'unlisted' },
  },
});

export const getRepository = defineOperation({
  name: 'get-repository',
  group: 'repositories',
  specNumber: 29,
  summary: 'Get a repository',
  method: 'GET',
  path: '/repositories/{account_id}/{repository_id}',
  target: 'repository',
  permission: { kind: 'account', rule: accountRules.repositories },
  allowsApiKey: true,
  response: repositorySchema,
  status: 200,
  tableAccess: { actions: [], indexes: [] },
  example: { path: { account_id: 'tide-institute', repository_id: 'tide-gauges' }, response: values.repository },
});

export const updateRepository = defineOperation({
  name: 'update-repository',
  group: 'repositories',
  specNumber: 27,
  summary: 'Update the description and the listing of a repository',
  method: 'PUT',
  path: '/repositories/{account_id}/{repository_id}',
  target: 'repository',
  permission: { kind: 'account', rule: accountRules.repositories },
  allowsApiKey: true,
  body: z.strictObject({ meta: repositoryMetaSchema, state: repositoryStateSchema }),
  response: repositorySchema,
  status: 200,
  tableAccess: { actions: ['PutItem', 'UpdateItem'], indexes: [] },
  example: {
    path: { account_id: 'tide-institute', repository_id: 'tide-gauges' },
    body: { meta: values.repository.meta, state: 'listed' },
    response: values.repository,
  },
});

export const disableRepository = defineOperation({
  name: 'disable-repository',
  group: 'repositories',
  specNumber: 28,
  summary: 'Disable a repository',
  method: 'DELETE',
  path: '/repositories/{account_id}/{repository_id}',
  target: 'repository',
  permission: { kind: 'account', rule: accountRules.repositories },
  response: repositorySchema,
  status: 200,
  tableAccess: { actions: ['PutItem', 'UpdateItem'], indexes: [] },
  example: {
    path: { account_id: 'tide-institute', repository_id: 'tide-gauges' },
    response: { ...values.repository, disabled: true },
  },
});

export const enableRepository = defineOperation({
  name: 'enable-repository',
  group: 'repositories',
  summary: 'Enable a repository again',
  method: 'POST',
  path: '/repositories/{account_id}/{repository_id}/enable',
  target: 'repository',
  permission: { kind: 'enabling', rule: accountRules.repositories },
  response: repositorySchema,
  status: 200,
  tableAccess: { actions: ['PutItem', 'UpdateItem'], indexes: [] },
  example: { path: { account_id: 'tide-institute', repository_id: 'tide-gauges' }, response: values.repository },
});

export const listAccountRepositories = defineOperation({
  name: 'list-account-repositories',
  group: 'repositories',
  summary: 'List the repositories of an account that the caller may see',
  method: 'GET',
  path: '/repositories/{account_id}',
  target: 'account',
  permission: { kind: 'anyone' },
  allowsApiKey: true,
  isList: true,
  query: listQuerySchema,
  response: z.array(repositorySchema),
  status: 200,
  tableAccess: { actions: ['BatchGetItem', 'Query'], indexes: ['lists'] },
  example: { path: { account_id: 'tide-institute' }, response: [values.repository] },
});

export const listCatalogue = defineOperation({
  name: 'list-catalogue',
  group: 'repositories',
  summary: 'List the public catalogue: what is enabled, listed and open',
  method: 'GET',
  path: '/repositories',
  target: 'nothing',
  permission: { kind: 'anyone' },
  ignoresAuthorization: true,
  isList: true,
  query: listQuerySchema,
  response: z.array(repositorySchema),
  status: 200,
  tableAccess: { actions: ['BatchGetItem', 'Query'], indexes: ['catalogue'] },
  example: { response: [values.repository] },
});
