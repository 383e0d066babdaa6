import { cachedPartitions, queriedPartitions } from '../domain/data/cached-data.ts';
import type { Operation, TableAction, TableIndex } from './operation.ts';

/** The requests that a function may send to the table, or to one of its indexes. */
export interface TableRight {
  actions: readonly TableAction[];
  index?: TableIndex;
  /** The prefixes of the partition keys that the requests may access. Absent if they may access all partitions. */
  partitions?: readonly `${string}#`[];
}

/**
 * Returns the rights to the table that an operation's function needs: those that the operation declares, and those that
 * the pipeline needs.
 */
export function operationTableRights(operation: Operation): TableRight[] {
  const { actions, indexes, partitions } = operation.tableAccess;
  const needed = [...new Set([...pipelineActions(operation), ...actions])].sort();
  return [
    ...(needed.length === 0 ? [] : [{ actions: needed, ...(partitions === undefined ? {} : { partitions }) }]),
    ...(operation.kind === 'create' && !needed.includes('UpdateItem')
      ? [{ actions: ['UpdateItem'], partitions: ['IDEMPOTENCY#'] } as const]
      : []),
    ...indexes.map((index) => ({ actions: ['Query'], index }) as const),
  ];
}

/** Returns the reads that the pipeline needs to authenticate the caller and to load the target. */
function pipelineActions(operation: Operation): TableAction[] {
  return operation.ignoresAuthorization && operation.target === 'nothing' ? [] : ['BatchGetItem', 'GetItem'];
}

const read = ['BatchGetItem', 'GetItem'] as const;

/**
 * The table rights of the public credential exchange. It writes the last use of a key, the pinned IDs of a workflow,
 * and records of sign-ins. It writes no audit events.
 */
const exchange = [
  { actions: read, partitions: ['ACCOUNT#', 'ISSUERS#', 'KEY_USE#', 'SERVICE_KEY#', 'WORKFLOW#'] },
  { actions: ['UpdateItem'], partitions: ['KEY_USE#', 'SIGN_IN_REFUSALS#', 'WORKFLOW#'] },
  { actions: ['PutItem'], partitions: ['ISSUER_KID_MISS#', 'SIGN_INS#', 'SIGN_IN_REFUSALS#', 'WORKFLOW#'] },
] as const satisfies readonly TableRight[];

/** The table rights of functions that belong to no operation, by function name. */
export const otherTableRights = {
  'exchange-credentials': exchange,
  /**
   * `serve-object` reads authorization data and the change feed. It lists the rights of principals and the repositories
   * of accounts, and exchanges credentials at `/`.
   *
   * The IAM documentation does not say whether a condition for the partition key applies to an index. The right to the
   * index `names` therefore has no such condition. This is acceptable, because the index contains only names of
   * repositories.
   */
  'serve-object': [
    ...exchange,
    { actions: ['UpdateItem'], partitions: ['STORAGE_HEALTH#'] },
    { actions: read, partitions: cachedPartitions },
    { actions: ['Query'], partitions: ['FEED#', ...queriedPartitions] },
    { actions: ['Query'], index: 'names' },
  ],
  'shape-response': [{ actions: ['UpdateItem'], partitions: ['STORAGE_HEALTH#'] }],
  /**
   * `propagate-access-change` writes the change feed. For a leaked key, it also ends sessions in the records of service
   * accounts.
   */
  'propagate-access-change': [
    { actions: ['PutItem'], partitions: ['FEED#'] },
    { actions: ['GetItem', 'UpdateItem'], partitions: ['ACCOUNT#'] },
  ],
  'follow-changes': [
    { actions: ['BatchGetItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'] },
    { actions: ['ConditionCheckItem'], partitions: ['VERSIONS#'] },
    { actions: ['Query'], index: 'lists' },
    { actions: ['Query'], index: 'sublists' },
  ],
  /** `build-search-index` reads the catalogue and its changes, and writes the search index. */
  'build-search-index': [
    { actions: ['DeleteItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'], partitions: ['SEARCH#'] },
    { actions: ['Query'], index: 'catalogue' },
  ],
  /**
   * `refresh-issuer-keys` reads the issuers whose keys must be fetched again, and the workflows that trust them. It
   * writes the fetched keys.
   */
  'refresh-issuer-keys': [
    { actions: ['Query'], index: 'sublists' },
    { actions: ['UpdateItem'], partitions: ['ISSUERS#'] },
  ],
  /** `count-usage` reads the repositories whose names are in the log, and writes their usage. */
  'count-usage': [
    { actions: ['BatchGetItem'], partitions: ['REPOSITORY#'] },
    { actions: ['PutItem'], partitions: ['USAGE#'] },
  ],
  /**
   * `run-repository-jobs` reads the jobs that are due, and the repository and the data connection of each job. It
   * writes the results beside the jobs and into versions.
   */
  'run-repository-jobs': [
    { actions: ['Query'], index: 'sublists' },
    { actions: ['GetItem'], partitions: ['DATA_CONNECTION#', 'REPOSITORY_JOB#', 'VERSION#', 'VERSION_VERIFICATION#'] },
    { actions: ['BatchGetItem'], partitions: ['ACCOUNT#', 'REPOSITORY#'] },
    {
      actions: ['UpdateItem'],
      partitions: [
        'ACCOUNT#',
        'DATA_CONNECTION_USE#',
        'PREFIX#',
        'REPOSITORY#',
        'REPOSITORY_JOB#',
        'VERSION#',
        'VERSIONS#',
      ],
    },
    { actions: ['DeleteItem'], partitions: ['PREFIX#', 'REPOSITORY#', 'REPOSITORY_JOB#'] },
    { actions: ['PutItem'], partitions: ['AUDIT#', 'REPOSITORY_JOB#', 'VERSION_VERIFICATION#'] },
  ],
} as const satisfies Record<string, readonly TableRight[]>;
