import * as z from 'zod';
import { identifierSchema } from '../domain/identifiers.ts';
import { accountRules } from '../domain/permissions.ts';
import {
  type Repository,
  repositoryDataModeSchema,
  repositoryMetaSchema,
  repositorySchema,
} from '../domain/repositories.ts';
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
  response: repositorySchema,
  status: 200,
  tableAccess: { actions: [], indexes: [] },
});
