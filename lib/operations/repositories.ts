import * as z from 'zod';
import { accountRules } from '../domain/accounts/permissions.ts';
import {
  listedRepositorySchema,
  type Repository,
  repositoryDataModeSchema,
  repositorySchema,
  repositoryStateSchema,
} from '../domain/data/repositories.ts';
import { newRepositoryMetaSchema } from '../domain/data/repository-meta.ts';
import { anyAccountIdSchema, identifierSchema } from '../domain/identifiers.ts';
import { publicAccountSchema } from './accounts.ts';
import { catalogueSearchFields, catalogueSearchMemoryMb, catalogueTableAccess } from './catalogue-search.ts';
import * as values from './example-values.ts';
import { listQuerySchema } from './lists.ts';
import { defineOperation } from './operation.ts';
import { givenRolesSchema, permissionsSchema } from './permissions.ts';

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
    meta: newRepositoryMetaSchema,
    data_connection_id: identifierSchema,
    /**
     * True to adopt the objects of a deleted repository with this name. All readers of the new repository can then read
     * them.
     */
    adopt_objects: z.boolean().optional(),
  }),
  response: repositorySchema,
  status: 201,
  location: (repository: Repository) => `/repositories/${repository.account_id}/${repository.repository_id}`,
  tableAccess: {
    actions: ['BatchGetItem', 'GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
    indexes: [],
  },
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
  shows: 'record',
  isRecordAlone: true,
  status: 200,
  tableAccess: { actions: [], indexes: [] },
  example: { path: { account_id: 'tide-institute', repository_id: 'tide-gauges' }, response: values.repository },
});

const repositoryOverviewSchema = z.object({
  repository: repositorySchema.omit({ data: true }),
  account: publicAccountSchema,
  data: z.object({ url: z.string(), s3_uri: z.string() }),
  permissions: permissionsSchema,
  roles: givenRolesSchema,
});

export const getRepositoryOverview = defineOperation({
  name: 'get-repository-overview',
  group: 'repositories',
  summary: 'Get all about a repository that somebody who reads it wants to know',
  method: 'GET',
  path: '/repositories/{account_id}/{repository_id}/overview',
  target: 'repository',
  permission: { kind: 'reading' },
  allowsApiKey: true,
  response: repositoryOverviewSchema,
  shows: 'record',
  status: 200,
  tableAccess: { actions: [], indexes: [] },
  example: {
    path: { account_id: 'tide-institute', repository_id: 'tide-gauges' },
    response: {
      repository: values.repositoryWithoutStorage,
      account: { account_id: 'tide-institute', account_type: 'organization', profile: values.profile },
      data: {
        url: `${values.dataProxyUrl}/tide-institute/tide-gauges/`,
        s3_uri: 's3://tide-institute/tide-gauges/',
      },
      permissions: ['getRepositoryOverview', 'updateRepository', 'inviteRepositoryMember'],
      roles: ['maintainers', 'read_data', 'write_data'],
    },
  },
});

/**
 * Works for a disabled repository too, for its managers. Its overview is not available, because a disabled repository
 * has no readers.
 */
export const listRepositoryPermissions = defineOperation({
  name: 'list-repository-permissions',
  group: 'repositories',
  summary: 'List what the caller may do to a repository',
  method: 'GET',
  path: '/repositories/{account_id}/{repository_id}/permissions',
  target: 'repository_if_any',
  permission: { kind: 'anyone' },
  allowsApiKey: true,
  response: z.object({ permissions: permissionsSchema, roles: givenRolesSchema }),
  status: 200,
  tableAccess: { actions: [], indexes: [] },
  example: {
    path: { account_id: 'tide-institute', repository_id: 'tide-gauges' },
    response: { permissions: ['getRepositoryOverview', 'updateRepository'], roles: [] },
  },
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
  body: z.strictObject({ meta: newRepositoryMetaSchema, state: repositoryStateSchema }),
  response: repositorySchema,
  changesTarget: true,
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
  changesTarget: true,
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
  summary: 'Enable a repository',
  method: 'POST',
  path: '/repositories/{account_id}/{repository_id}/enable',
  target: 'repository',
  permission: { kind: 'enabling', rule: accountRules.repositories },
  response: repositorySchema,
  changesTarget: true,
  status: 200,
  tableAccess: { actions: ['GetItem', 'PutItem', 'UpdateItem', 'ConditionCheckItem'], indexes: [] },
  example: { path: { account_id: 'tide-institute', repository_id: 'tide-gauges' }, response: values.repository },
});

export const changeDataMode = defineOperation({
  name: 'change-data-mode',
  group: 'repositories',
  summary: 'Change who may read the objects of a repository',
  method: 'PUT',
  path: '/repositories/{account_id}/{repository_id}/data-mode',
  target: 'repository',
  permission: { kind: 'account', rule: accountRules.own_repositories },
  body: z.strictObject({ data_mode: repositoryDataModeSchema, adopt_objects: z.boolean().optional() }),
  response: repositorySchema,
  changesTarget: true,
  status: 200,
  tableAccess: { actions: ['BatchGetItem', 'GetItem', 'PutItem', 'UpdateItem', 'ConditionCheckItem'], indexes: [] },
  example: {
    path: { account_id: 'tide-institute', repository_id: 'tide-gauges' },
    body: { data_mode: 'private' },
    response: { ...values.repository, data_mode: 'private' },
  },
});

/** The response to a deletion, with the locations of the remaining objects. */
const deletedRepositorySchema = z.object({
  account_id: anyAccountIdSchema,
  repository_id: identifierSchema,
  places: z.array(
    z.object({
      data_connection_id: identifierSchema,
      bucket: z.string(),
      prefix: z.string(),
      region: z.string(),
      endpoint: z.string().optional(),
    }),
  ),
});

export const deleteRepository = defineOperation({
  name: 'delete-repository',
  group: 'repositories',
  summary: 'Delete a disabled repository for good; its objects stay where they are',
  method: 'POST',
  path: '/repositories/{account_id}/{repository_id}/delete',
  target: 'repository',
  permission: { kind: 'deleting', rule: accountRules.own_repositories },
  body: z.strictObject({ confirm: z.string().max(128) }),
  response: deletedRepositorySchema,
  changesTarget: true,
  status: 200,
  tableAccess: { actions: ['BatchGetItem', 'GetItem', 'PutItem', 'UpdateItem', 'DeleteItem'], indexes: [] },
  example: {
    path: { account_id: 'tide-institute', repository_id: 'tide-gauges' },
    body: { confirm: 'tide-institute/tide-gauges' },
    response: {
      account_id: 'tide-institute',
      repository_id: 'tide-gauges',
      places: [
        {
          data_connection_id: 'ocean-store',
          bucket: 'example-ocean-store',
          prefix: 'sluice/tide-institute/tide-gauges/',
          region: 'eu-north-1',
        },
      ],
    },
  },
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
  response: z.array(listedRepositorySchema),
  status: 200,
  tableAccess: { actions: ['BatchGetItem', 'Query'], indexes: ['lists', 'sublists'] },
  example: { path: { account_id: 'tide-institute' }, response: [values.listedRepository] },
});

export const listCatalogue = defineOperation({
  name: 'list-catalogue',
  group: 'repositories',
  summary: 'List or search the public catalogue: repositories that are enabled, listed and open',
  method: 'GET',
  path: '/repositories',
  target: 'nothing',
  permission: { kind: 'anyone' },
  ignoresAuthorization: true,
  isList: true,
  countsMatches: true,
  query: listQuerySchema.extend(catalogueSearchFields),
  response: z.array(listedRepositorySchema),
  status: 200,
  memoryMb: catalogueSearchMemoryMb,
  tableAccess: { ...catalogueTableAccess, indexes: ['catalogue'] },
  example: { response: [values.listedRepository] },
});
