import { cachedPartitions, queriedPartitions } from '../domain/data/cached-data.ts';
import type { Operation, TableAction, TableIndex } from './operation.ts';

/** Requests that a function may send to the table, or to one of its indexes. */
export interface TableRight {
  actions: readonly TableAction[];
  index?: TableIndex;
  /** Prefixes of the partition keys that the requests may access. Absent if all are allowed. */
  partitions?: readonly `${string}#`[];
}

/** Returns the table rights of an operation's function: those of its declaration, and those of the pipeline. */
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

/** Returns the reads for authentication and for loading the target. */
function pipelineActions(operation: Operation): TableAction[] {
  return operation.ignoresAuthorization && operation.target === 'nothing' ? [] : ['BatchGetItem', 'GetItem'];
}

const read = ['BatchGetItem', 'GetItem'] as const;

/** The public exchange writes the use of a key, the pin of a workflow, and records of sign-ins, no audit events. */
const exchange = [
  { actions: read, partitions: ['ACCOUNT#', 'ISSUERS#', 'KEY_USE#', 'SERVICE_KEY#', 'WORKFLOW#'] },
  { actions: ['UpdateItem'], partitions: ['KEY_USE#', 'SIGN_IN_REFUSALS#', 'WORKFLOW#'] },
  { actions: ['PutItem'], partitions: ['ISSUER_KID_MISS#', 'SIGN_INS#', 'SIGN_IN_REFUSALS#', 'WORKFLOW#'] },
] as const satisfies readonly TableRight[];

/** The rights of functions without an operation, by name. */
export const otherTableRights = {
  'exchange-credentials': exchange,
  /**
   * Reads authorization data and the change feed, lists the rights of principals and the repositories of accounts, and
   * exchanges credentials at `/`. The IAM documentation does not say if a condition on the partition key applies to an
   * index. The index `names` therefore has no condition, and contains only names of repositories.
   */
  'serve-object': [
    ...exchange,
    { actions: read, partitions: cachedPartitions },
    { actions: ['Query'], partitions: ['FEED#', ...queriedPartitions] },
    { actions: ['Query'], index: 'names' },
  ],
  /** Writes the change feed, and ends sessions of leaked keys in the records of service accounts. */
  'propagate-access-change': [
    { actions: ['PutItem'], partitions: ['FEED#'] },
    { actions: ['GetItem', 'UpdateItem'], partitions: ['ACCOUNT#'] },
  ],
  'follow-changes': [
    { actions: ['BatchGetItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'] },
    { actions: ['Query'], index: 'lists' },
    { actions: ['Query'], index: 'sublists' },
  ],
  /** Reads the catalogue and its changes, and writes the search index. */
  'build-search-index': [
    { actions: ['DeleteItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'], partitions: ['SEARCH#'] },
    { actions: ['Query'], index: 'catalogue' },
  ],
  /** Reads the due issuers and their trusts, and writes the fetched keys. */
  'refresh-issuer-keys': [
    { actions: ['Query'], index: 'sublists' },
    { actions: ['UpdateItem'], partitions: ['ISSUERS#'] },
  ],
} as const satisfies Record<string, readonly TableRight[]>;
