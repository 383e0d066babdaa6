import { cachedPartitions, queriedPartitions } from '../domain/data/cached-data.ts';
import { type Operation, type TableAction, type TableIndex, takesIdempotencyKey } from './operation.ts';

/** Requests to the table that a function may make: of it, or of one of its indexes. */
export interface TableRight {
  actions: readonly TableAction[];
  index?: TableIndex;
  /** Beginnings of the partition keys that the requests may name; every one without. */
  partitions?: readonly `${string}#`[];
}

/** What an operation's function may ask of the table: what its entry says, and what the pipeline needs before it. */
export function operationTableRights(operation: Operation): TableRight[] {
  const { actions, indexes, partitions } = operation.tableAccess;
  const needed = [...new Set([...pipelineActions(operation), ...actions])].sort();
  return [
    ...(needed.length === 0 ? [] : [{ actions: needed, ...(partitions === undefined ? {} : { partitions }) }]),
    ...(takesIdempotencyKey(operation) && !needed.includes('UpdateItem')
      ? [{ actions: ['UpdateItem'], partitions: ['IDEMPOTENCY#'] } as const]
      : []),
    ...indexes.map((index) => ({ actions: ['Query'], index }) as const),
  ];
}

/** What authenticating and loading the target read. */
function pipelineActions(operation: Operation): TableAction[] {
  return operation.ignoresAuthorization && operation.target === 'nothing' ? [] : ['BatchGetItem', 'GetItem'];
}

const read = ['BatchGetItem', 'GetItem'] as const;

/**
 * Anybody may call the exchange, so every right to the table is bound to partitions, and none of them is the partition of
 * audit events. An exchange writes when a key was used, what a workflow is pinned to, and records of sign-ins.
 */
const exchange = [
  { actions: read, partitions: ['ACCOUNT#', 'KEY_USE#', 'SERVICE_KEY#', 'WORKFLOW#'] },
  { actions: ['UpdateItem'], partitions: ['KEY_USE#', 'SIGN_IN_REFUSALS#', 'WORKFLOW#'] },
  { actions: ['PutItem'], partitions: ['SIGN_INS#', 'SIGN_IN_REFUSALS#'] },
] as const satisfies readonly TableRight[];

/** Of the functions that are no operation's, by their names. */
export const otherTableRights = {
  'exchange-credentials': exchange,
  /**
   * Reads authorization data and the revocation feed, lists the rights of principals and the repositories of accounts, and
   * exchanges credentials at `/`. The IAM documentation does not say whether a condition on the partition key applies to an
   * index, so the index `names` has none: it holds names of repositories and nothing else.
   */
  'serve-object': [
    ...exchange,
    { actions: read, partitions: cachedPartitions },
    { actions: ['Query'], partitions: ['FEED#', ...queriedPartitions] },
    { actions: ['Query'], index: 'names' },
  ],
  /** Writes the feed, and touches nothing else. */
  'propagate-access-change': [{ actions: ['PutItem'], partitions: ['FEED#'] }],
  'follow-changes': [
    { actions: ['BatchGetItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'] },
    { actions: ['Query'], index: 'lists' },
    { actions: ['Query'], index: 'sublists' },
  ],
  /** Reads the catalogue, and what changed in it, and writes the index of it. */
  'build-search-index': [
    { actions: ['DeleteItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'], partitions: ['SEARCH#'] },
    { actions: ['Query'], index: 'catalogue' },
  ],
} as const satisfies Record<string, readonly TableRight[]>;
