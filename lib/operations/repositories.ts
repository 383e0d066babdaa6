import * as z from 'zod';
import { disablingRequestSchema } from '../domain/accounts/disabling.ts';
import { accountRules } from '../domain/accounts/permissions.ts';
import { fileDeletionSchema } from '../domain/data/file-deletions.ts';
import { inventorySchema } from '../domain/data/inventory.ts';
import {
  listedRepositorySchema,
  type Repository,
  repositoryDataModeSchema,
  repositorySchema,
  repositoryStateSchema,
} from '../domain/data/repositories.ts';
import { newRepositoryMetaSchema } from '../domain/data/repository-meta.ts';
import { writingKeysShape } from '../domain/data/writing-keys.ts';
import { anyAccountIdSchema, identifierSchema } from '../domain/identifiers.ts';
import { limits } from '../domain/limits.ts';
import { timestampSchema } from '../domain/text.ts';
import { publicAccountSchema } from './accounts.ts';
import { catalogueSearchFields, catalogueSearchMemoryMb, catalogueTableAccess } from './catalogue-search.ts';
import * as values from './example-values.ts';
import { listQuerySchema } from './lists.ts';
import { declarators } from './operation.ts';
import { givenRolesSchema, permissionsSchema } from './permissions.ts';

const repositorySettingsSchema = z.strictObject({
  federated_only: z.boolean(),
  /** True if only managers may read the usage of the repository. */
  hides_usage: z.boolean(),
});

const define = declarators({ group: 'repositories', target: 'repository' });
export const repositoryOperations = define.all;

export const createRepository = define.create({
  name: 'create-repository',
  summary: 'Create a repository',
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
     * True to take over the objects that a deleted repository with the same ID left. All readers of the new repository
     * can then read these objects.
     */
    adopt_objects: z.boolean().optional(),
  }),
  response: repositorySchema,
  location: (repository: Repository) => `/repositories/${repository.account_id}/${repository.repository_id}`,
  tableAccess: { actions: ['BatchGetItem', 'GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'] },
  example: {
    body: {
      repository_id: 'tide-gauges',
      data_mode: 'open',
      meta: values.repository.meta,
      data_connection_id: 'ocean-store',
    },
    response: { ...values.repository, state: 'unlisted' },
  },
});

export const getRepository = define.read({
  name: 'get-repository',
  summary: 'Get a repository',
  path: '/repositories/{account_id}/{repository_id}',
  permission: { kind: 'account', rule: accountRules.repositories },
  response: repositorySchema,
  etag: 'target_only',
  example: { response: values.repository },
});

const repositoryOverviewSchema = z.object({
  repository: repositorySchema.omit({ data: true }),
  account: publicAccountSchema,
  data: z.object({ url: z.string(), s3_uri: z.string() }),
  permissions: permissionsSchema,
  roles: givenRolesSchema,
});

export const getRepositoryOverview = define.read({
  name: 'get-repository-overview',
  summary: 'Get a repository with its data URLs and the permissions of the caller',
  path: '/repositories/{account_id}/{repository_id}/overview',
  permission: { kind: 'reading' },
  response: repositoryOverviewSchema,
  etag: 'target',
  example: {
    response: {
      repository: values.repositoryWithoutStorage,
      account: { account_id: 'tide-institute', account_type: 'organization', profile: values.profile },
      data: { url: `${values.dataProxyUrl}/tide-institute/tide-gauges/`, s3_uri: 's3://tide-institute/tide-gauges/' },
      permissions: ['getRepositoryOverview', 'updateRepository', 'inviteRepositoryMember'],
      roles: ['maintainers', 'read_data', 'write_data'],
    },
  },
});

const inventoryPath = '/repositories/{account_id}/{repository_id}/inventory';

export const getInventory = define.read({
  name: 'get-inventory',
  summary: 'Get the number and the size of the files of a repository, by format and by folder',
  path: inventoryPath,
  permission: { kind: 'reading', rule: accountRules.inventory },
  response: inventorySchema,
  example: { response: values.startedInventory },
});

export const requestInventory = define.action({
  name: 'request-inventory',
  summary: 'Request that the files of a repository are counted; a background job does the work',
  method: 'POST',
  path: inventoryPath,
  permission: { kind: 'account', rule: accountRules.inventory },
  response: inventorySchema,
  status: 202,
  tableAccess: { actions: ['PutItem', 'UpdateItem'] },
  example: { response: values.startedInventory },
});

/**
 * Lists the permissions of users who manage a repository, even while it is disabled. Other responses about a repository
 * contain the permissions as well, but only for readers, and a disabled repository has no readers.
 */
export const listRepositoryPermissions = define.read({
  name: 'list-repository-permissions',
  summary: 'List the permissions of the caller on a repository',
  path: '/repositories/{account_id}/{repository_id}/permissions',
  target: 'repository_if_any',
  permission: { kind: 'anyone' },
  response: z.object({ permissions: permissionsSchema, roles: givenRolesSchema }),
  example: { response: { permissions: ['getRepositoryOverview', 'updateRepository'], roles: [] } },
});

export const updateRepository = define.change({
  name: 'update-repository',
  summary: 'Update the description and the listing of a repository',
  method: 'PUT',
  path: '/repositories/{account_id}/{repository_id}',
  permission: { kind: 'account', rule: accountRules.repositories },
  allowsApiKey: true,
  body: z.strictObject({ meta: newRepositoryMetaSchema, state: repositoryStateSchema }),
  response: repositorySchema,
  example: { body: { meta: values.repository.meta, state: 'listed' }, response: values.repository },
});

export const getRepositorySettings = define.read({
  name: 'get-repository-settings',
  summary: 'Get the settings of a repository, and the keys that federated-only sign-in stops',
  path: '/repositories/{account_id}/{repository_id}/settings',
  permission: { kind: 'account', rule: accountRules.own_repositories },
  response: repositorySettingsSchema.extend(writingKeysShape),
  etag: 'target',
  tableAccess: { actions: ['BatchGetItem', 'GetItem', 'Query'], indexes: ['lists'] },
  example: {
    response: { federated_only: false, hides_usage: false, writing_keys: [values.writingKey], has_more: false },
  },
});

export const updateRepositorySettings = define.change({
  name: 'update-repository-settings',
  summary: 'Update the settings of a repository',
  method: 'PATCH',
  path: '/repositories/{account_id}/{repository_id}/settings',
  permission: { kind: 'account', rule: accountRules.own_repositories },
  body: repositorySettingsSchema.partial(),
  response: repositorySettingsSchema,
  tableAccess: { actions: ['GetItem', 'PutItem', 'UpdateItem'] },
  example: { body: { federated_only: true }, response: { federated_only: true, hides_usage: false } },
});

export const disableRepository = define.change({
  name: 'disable-repository',
  summary: 'Disable a repository',
  method: 'POST',
  path: '/repositories/{account_id}/{repository_id}/disable',
  permission: { kind: 'account', rule: accountRules.repositories },
  body: disablingRequestSchema,
  response: repositorySchema,
  example: {
    body: { reason: values.disabled.disabled_reason },
    response: { ...values.repository, ...values.disabled },
  },
});

export const enableRepository = define.change({
  name: 'enable-repository',
  summary: 'Enable a repository',
  method: 'POST',
  path: '/repositories/{account_id}/{repository_id}/enable',
  permission: { kind: 'enabling', rule: accountRules.repositories },
  response: repositorySchema,
  tableAccess: { actions: ['GetItem', 'PutItem', 'UpdateItem', 'ConditionCheckItem'] },
  example: { response: values.repository },
});

export const featureRepository = define.change({
  name: 'feature-repository',
  summary: 'Show a repository at a position of the front page, or remove it from there',
  method: 'PUT',
  path: '/repositories/{account_id}/{repository_id}/featured',
  permission: { kind: 'account', rule: accountRules.feature_repository },
  body: z.strictObject({ order: z.int().min(0).max(limits.featuredOrderMax) }),
  response: repositorySchema,
  tableAccess: { actions: ['BatchGetItem', 'GetItem', 'PutItem', 'UpdateItem'] },
  example: { body: { order: 1 }, response: { ...values.repository, featured: 1 } },
});

export const changeDataMode = define.change({
  name: 'change-data-mode',
  summary: 'Change the data mode of a repository',
  method: 'PUT',
  path: '/repositories/{account_id}/{repository_id}/data-mode',
  permission: { kind: 'account', rule: accountRules.own_repositories },
  body: z.strictObject({ data_mode: repositoryDataModeSchema, adopt_objects: z.boolean().optional() }),
  response: repositorySchema,
  tableAccess: { actions: ['BatchGetItem', 'GetItem', 'PutItem', 'UpdateItem', 'ConditionCheckItem'] },
  example: { body: { data_mode: 'private' }, response: { ...values.repository, data_mode: 'private' } },
});

/** The response to the deletion of a repository. It contains the storage locations of objects that remain. */
const deletedRepositorySchema = z.object({
  account_id: anyAccountIdSchema,
  repository_id: identifierSchema,
  /** The time of the scheduled deletion. Absent if the repository is already deleted. */
  delete_at: timestampSchema.optional(),
  message: z.string().optional(),
  /**
   * The ID of the background job that deletes the files. Absent if the files stay, or until the repository is deleted.
   */
  file_deletion: fileDeletionSchema.optional(),
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

export const deleteRepository = define.change({
  name: 'delete-repository',
  summary:
    'Delete a disabled repository permanently, with versions after 7 days; its files stay in the storage or are deleted too',
  method: 'POST',
  path: '/repositories/{account_id}/{repository_id}/delete',
  permission: { kind: 'deleting', rule: accountRules.own_repositories },
  body: z.strictObject({
    confirm: z.string().max(128),
    withdraw_versions: z.boolean().optional(),
    /** True to delete the files of the repository as well. A background job deletes them. */
    delete_files: z.boolean().optional(),
  }),
  response: deletedRepositorySchema,
  tableAccess: { actions: ['BatchGetItem', 'ConditionCheckItem', 'GetItem', 'PutItem', 'UpdateItem', 'DeleteItem'] },
  example: {
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

export const listFileDeletions = define.list({
  name: 'list-file-deletions',
  summary: 'List the deletions of files of deleted repositories, newest first',
  path: '/accounts/{account_id}/file-deletions',
  target: 'account',
  permission: { kind: 'account', rule: accountRules.file_deletions },
  response: z.array(fileDeletionSchema),
  example: { response: [values.fileDeletion] },
});

export const getFileDeletion = define.read({
  name: 'get-file-deletion',
  summary: 'Get the progress of a deletion of files',
  path: '/accounts/{account_id}/file-deletions/{deletion_id}',
  target: 'account',
  permission: { kind: 'account', rule: accountRules.file_deletions },
  response: fileDeletionSchema,
  example: { response: values.fileDeletion },
});

export const stopFileDeletion = define.action({
  name: 'stop-file-deletion',
  summary: 'Stop a deletion of files; the remaining files stay in the storage',
  method: 'POST',
  path: '/accounts/{account_id}/file-deletions/{deletion_id}/stop',
  target: 'account',
  permission: { kind: 'admin' },
  response: fileDeletionSchema,
  status: 202,
  tableAccess: { actions: ['GetItem', 'PutItem', 'UpdateItem'] },
  example: { response: { ...values.fileDeletion, state: 'stopping' } },
});

export const restoreRepository = define.change({
  name: 'restore-repository',
  summary: 'Take the scheduled deletion of a repository back; the repository stays disabled',
  method: 'POST',
  path: '/repositories/{account_id}/{repository_id}/restore',
  permission: { kind: 'deleting', rule: accountRules.own_repositories },
  response: repositorySchema,
  tableAccess: { actions: ['PutItem', 'UpdateItem', 'DeleteItem'] },
  example: { response: { ...values.repository, ...values.disabled } },
});

export const listAccountRepositories = define.list({
  name: 'list-account-repositories',
  summary: 'List the repositories of an account that the caller can see',
  path: '/repositories/{account_id}',
  target: 'account',
  permission: { kind: 'anyone' },
  response: z.array(listedRepositorySchema),
  tableAccess: { actions: ['BatchGetItem', 'Query'], indexes: ['lists', 'sublists'] },
  example: { response: [values.listedRepository] },
});

export const listCatalogue = define.list({
  name: 'list-catalogue',
  summary: 'List or search the public catalogue of enabled, listed and open repositories',
  path: '/repositories',
  target: 'nothing',
  permission: { kind: 'anyone' },
  ignoresAuthorization: true,
  countsMatches: true,
  query: listQuerySchema.extend(catalogueSearchFields),
  response: z.array(listedRepositorySchema),
  memoryMb: catalogueSearchMemoryMb,
  tableAccess: { ...catalogueTableAccess, indexes: ['catalogue'] },
  example: { response: [values.listedRepository] },
});
