import { listedPartitions, queriedPartitions } from '../domain/data/cached-facts.ts';
import { type Operation, type TableAction, takesIdempotencyKey } from './operation.ts';

/** Requests to the table that a function may make: of it, or of one of its indexes. */
export interface TableRight {
  actions: readonly TableAction[];
  index?: 'lists' | 'catalogue';
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

const read: TableRight = { actions: ['BatchGetItem', 'GetItem'] };

/** Open to the world: what an exchange writes is bound to notes of uses and of refusals, and to what workflows are pinned to. */
const exchange = [
  read,
  { actions: ['UpdateItem'], partitions: ['KEY_USE#', 'WORKFLOW#'] },
  { actions: ['PutItem'], partitions: ['SIGN_IN_REFUSALS#'] },
] as const satisfies readonly TableRight[];

/** Of the functions that are no operation's, by their names. */
export const otherTableRights = {
  'exchange-credentials': exchange,
  /** Reads, follows the feed of revocations, lists what principals were given and accounts own, and exchanges at `/`. */
  'serve-object': [
    ...exchange,
    { actions: ['Query'], partitions: ['FEED#', ...queriedPartitions] },
    { actions: ['Query'], index: 'lists', partitions: listedPartitions },
  ],
  /** Writes the feed, and touches nothing else. */
  'propagate-access-change': [{ actions: ['PutItem'], partitions: ['FEED#'] }],
  'follow-changes': [
    { actions: ['BatchGetItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'] },
    { actions: ['Query'], index: 'lists' },
  ],
} as const satisfies Record<string, readonly TableRight[]>;
