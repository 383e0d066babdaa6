import { createHash } from 'node:crypto';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import type { SendTableRequest, TableAnswer, TableRequests } from '../../../lib/store/table-requests.ts';
import { attributesOfIndex, tableShape } from '../../../lib/store/table-shape.ts';
import {
  compareValues,
  holds,
  InvalidForItem,
  type Item,
  type Placeholders,
  projected,
  updated,
} from './expressions.ts';

const { partitionKey, sortKey, ttlAttribute } = tableShape;
const fiveYearsSeconds = 5 * 365 * 24 * 3600;
const transactionWritesMax = 100;

/** A changed item, with its position in the order of all commits. */
export interface TableChange {
  sequence: number;
  /** Milliseconds since the Unix epoch. */
  at: number;
  before: Item | undefined;
  after: Item | undefined;
  byTtl: boolean;
}

type Write = { key: string; keys: Item; after: Item | undefined };

/**
 * A DynamoDB table in memory, with the operations, indexes, and stream that the store uses. Each request runs alone, so
 * a transaction never conflicts. `memory-table.test.ts` holds it to the real engine.
 */
export class MemoryTable {
  readonly #items: Map<string, Item>;
  /** Outdated index entries that the indexes still return, by the key of the changed item. */
  readonly #stale = new Map<string, Item | undefined>();
  /** All changes in the order of their commits. The stream records are made from them. */
  readonly changes: TableChange[] = [];
  /** While true, indexes return the items of the time when this flag was set. */
  areIndexesLate = false;

  constructor(items: Iterable<Item> = []) {
    this.#items = new Map([...items].map((item) => [nameOf(item), item]));
  }

  /** Returns all items of the table. Callers must not change them. */
  items(): Item[] {
    return [...this.#items.values()];
  }

  catchUpIndexes(): void {
    this.areIndexesLate = false;
    this.#stale.clear();
  }

  /** Returns a function that sends requests to the table. `now` gives the time of each write. */
  sender(now: () => number): SendTableRequest {
    return async (name, input) => this.execute(name, structuredClone(withoutUndefined(input)), now());
  }

  execute<Name extends keyof TableRequests>(name: Name, input: TableRequests[Name], now: number): TableAnswer {
    const given: Record<string, never> = input as never;
    switch (name as keyof TableRequests) {
      case 'GetItem':
        return itemAnswer('Item', this.#read(given['Key'] as never));
      case 'BatchGetItem':
        return this.#batchGet(given);
      case 'Query':
        return this.#query(given);
      case 'TransactWriteItems':
        return this.#transact(given, now);
      default: {
        const write = this.#prepare({ [String(name).replace('Item', '')]: given }, 'ConditionalCheckFailedException');
        this.#commit([write], now);
        return itemAnswer('Attributes', given['ReturnValues'] === 'ALL_NEW' ? write.after : undefined);
      }
    }
  }

  /** Deletes the items whose TTL has passed, as DynamoDB does later and in any order. */
  deleteExpired(now: number): void {
    const seconds = Math.floor(now / 1000);
    for (const item of this.items()) {
      const ttl = item[ttlAttribute];
      if (typeof ttl !== 'number' || ttl > seconds || ttl < seconds - fiveYearsSeconds) continue;
      this.#commit([{ key: nameOf(item), keys: keysOf(item), after: undefined }], now, true);
    }
  }

  #read(key: Item): Item | undefined {
    const found = this.#items.get(nameOf(key));
    return found && structuredClone(found);
  }

  #batchGet({ RequestItems }: { RequestItems?: TableRequests['BatchGetItem']['RequestItems'] }): TableAnswer {
    const Responses = Object.entries(RequestItems ?? {}).map(([table, { Keys = [], ...request }]) => {
      const found = Keys.map((key) => this.#items.get(nameOf(key))).filter((item) => item !== undefined);
      return [table, found.map((item) => projected(item, request.ProjectionExpression, request as Placeholders))];
    });
    return { Responses: Object.fromEntries(Responses), UnprocessedKeys: {} };
  }

  #query(input: Partial<TableRequests['Query']>): TableAnswer {
    const index = tableShape.indexes.find(({ name }) => name === input.IndexName);
    if (input.IndexName !== undefined && index === undefined) throw new Error(`no index ${input.IndexName}`);
    const sort = index?.sortKey ?? sortKey;
    const order = (a: Item, b: Item) =>
      compareItems(a, b, [sort, ...(index === undefined ? [] : [partitionKey, sortKey])]);
    const partition = index?.partitionKey ?? partitionKey;
    const { ':from': from, ':to': to } = input.ExpressionAttributeValues ?? {};
    if (to !== undefined && compareValues(from, to) > 0) throw named('ValidationException', 'the range is empty');
    // Skip items of other partitions quickly, because every key condition of the store begins with the partition.
    const wanted = input.ExpressionAttributeValues?.[':pk'];
    const found = (index === undefined ? this.items() : this.#indexed(index))
      .filter((item) => item[partition] === wanted && holds(input.KeyConditionExpression, input, item))
      .sort(order);
    if (input.ScanIndexForward === false) found.reverse();
    const start = input.ExclusiveStartKey;
    const rest =
      start === undefined ? found : found.slice(found.findIndex((item) => nameOf(item) === nameOf(start)) + 1);
    const shown = rest.slice(0, input.Limit);
    const last = shown.length === input.Limit ? shown.at(-1) : undefined;
    return {
      Items: shown.map((item) => projected(item, input.ProjectionExpression, input)),
      ...(last && {
        LastEvaluatedKey: {
          ...keysOf(last),
          ...(index && { [index.partitionKey]: last[index.partitionKey], [sort]: last[sort] }),
        },
      }),
    };
  }

  #indexed(index: (typeof tableShape.indexes)[number]): Item[] {
    const late = [...this.#stale.values()].filter((item) => item !== undefined);
    const current = [...this.#items].filter(([key]) => !this.#stale.has(key)).map(([, item]) => item);
    const attributes = attributesOfIndex(index);
    const keys = [partitionKey, sortKey, index.partitionKey, index.sortKey];
    return [...late, ...current]
      .filter((item) => item[index.partitionKey] !== undefined && item[index.sortKey] !== undefined)
      .map((item) => (attributes === undefined ? item : pick(item, [...keys, ...attributes])));
  }

  #transact({ TransactItems = [] }: Partial<TableRequests['TransactWriteItems']>, now: number): TableAnswer {
    const parts = TransactItems as Record<string, Record<string, unknown>>[];
    if (parts.length > transactionWritesMax) throw named('ValidationException', 'too many items in the transaction');
    const keys = parts.map((part) =>
      nameOf((Object.values(part)[0]?.['Key'] ?? Object.values(part)[0]?.['Item']) as Item),
    );
    if (new Set(keys).size < keys.length) throw named('ValidationException', 'two operations on one item');
    const results = parts.map((part) => {
      try {
        return { write: this.#prepare(part, 'ConditionalCheckFailed') };
      } catch (error) {
        if (!(error instanceof Error) || error.name !== 'ConditionalCheckFailed') throw error;
        return { code: error.name };
      }
    });
    if (results.some(({ code }) => code !== undefined)) {
      const CancellationReasons = results.map(({ code = 'None' }) => ({ Code: code }));
      throw Object.assign(named('TransactionCanceledException', 'canceled'), { CancellationReasons });
    }
    this.#commit(
      results.map(({ write }) => write).filter((write) => write !== undefined),
      now,
    );
    return {};
  }

  /** Checks the condition of a write and returns its result, without changing the table. */
  #prepare(part: Record<string, Record<string, unknown>>, refusal: string): Write {
    const [[kind, request] = ['', {}]] = Object.entries(part);
    const placeholders = request as Placeholders;
    const key = (request['Key'] ?? request['Item']) as Item;
    const found = this.#items.get(nameOf(key));
    if (!holds(request['ConditionExpression'] as string | undefined, placeholders, found)) {
      throw named(refusal, 'The conditional request failed');
    }
    const write = (after: Item | undefined): Write => ({ key: nameOf(key), keys: keysOf(key), after });
    switch (kind) {
      case 'Put':
        return write(request['Item'] as Item);
      case 'Delete':
        return write(undefined);
      case 'ConditionCheck':
        return write(found);
      case 'Update':
        try {
          return write(updated(found ?? keysOf(key), request['UpdateExpression'] as string | undefined, placeholders));
        } catch (error) {
          throw error instanceof InvalidForItem ? named('ValidationException', error.message) : error;
        }
      default:
        throw new Error(`the memory table does not know ${kind}`);
    }
  }

  #commit(writes: readonly Write[], now: number, byTtl = false): void {
    for (const { key, after } of writes) {
      const before = this.#items.get(key);
      // A write that changes nothing has no stream record.
      if (before === after || JSON.stringify(sorted(before)) === JSON.stringify(sorted(after))) continue;
      if (this.areIndexesLate && !this.#stale.has(key)) this.#stale.set(key, before);
      if (after === undefined) this.#items.delete(key);
      else this.#items.set(key, after);
      this.changes.push({ sequence: this.changes.length + 1, at: now, before, after, byTtl });
    }
  }
}

/** Returns the change as a Lambda receives it from the table's stream. */
export function streamRecordOf({ sequence, at, before, after, byTtl }: TableChange): DynamoDBRecord {
  const image = (item: Item) => marshall(item, { removeUndefinedValues: true }) as never;
  return {
    eventID: String(sequence),
    eventName: before === undefined ? 'INSERT' : after === undefined ? 'REMOVE' : 'MODIFY',
    dynamodb: {
      ApproximateCreationDateTime: Math.floor(at / 1000),
      Keys: image(keysOf(after ?? before ?? {})),
      ...(before && { OldImage: image(before) }),
      ...(after && { NewImage: image(after) }),
      SequenceNumber: String(sequence).padStart(21, '0'),
    },
    ...(byTtl ? { userIdentity: { type: 'Service', principalId: 'dynamodb.amazonaws.com' } } : {}),
  };
}

/** Returns the queue of a change. Lambda runs several batches at a time, so only changes of one item have an order. */
export function queueOf({ before, after }: TableChange, queueCount: number): number {
  return (
    createHash('sha256')
      .update(nameOf(after ?? before ?? {}))
      .digest()
      .readUInt32BE() % queueCount
  );
}

function nameOf(item: Item): string {
  return `${item[partitionKey]}\u0000${item[sortKey]}`;
}

function keysOf(item: Item): Item {
  return { [partitionKey]: item[partitionKey], [sortKey]: item[sortKey] };
}

function pick(item: Item, names: readonly string[]): Item {
  return Object.fromEntries(names.flatMap((name) => (name in item ? [[name, item[name]]] : [])));
}

function compareItems(a: Item, b: Item, names: readonly string[]): number {
  for (const name of names) {
    const order = compareValues(String(a[name]), String(b[name]));
    if (order !== 0) return order;
  }
  return 0;
}

function itemAnswer(name: 'Item' | 'Attributes', item: Item | undefined): TableAnswer {
  return item === undefined ? {} : { [name]: structuredClone(item) };
}

function named(name: string, message: string): Error {
  return Object.assign(new Error(message), { name });
}

/** Removes undefined values, as the document client is configured to do. */
function withoutUndefined<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutUndefined) as T;
  if (value === null || typeof value !== 'object' || value instanceof Uint8Array) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, part]) => (part === undefined ? [] : [[name, withoutUndefined(part)]])),
  ) as T;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object' || value instanceof Uint8Array) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, part]) => [name, sorted(part)]),
  );
}
