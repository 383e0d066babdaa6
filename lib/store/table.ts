import { setTimeout as wait } from 'node:timers/promises';
import type * as z from 'zod';
import { ServiceError } from '../domain/errors.ts';
import { everyPage, fitPage, type ListPage, type ListPageRequest } from '../domain/list-pages.ts';
import { decode } from './codec.ts';
import { buildExpressions, type Change, type Condition } from './expressions.ts';
import { type Item, type Key, keyOf } from './keys.ts';
import { cancellationCodes, isConditionFailed, isTransient, type SendTableRequest } from './table-requests.ts';
import { type IndexName, tableShape } from './table-shape.ts';
import type { Write } from './writes.ts';

const transactionTriesMax = 8;
const batchTriesMax = 5;
/** DynamoDB's maximum number of keys in one BatchGetItem request. */
const batchKeysMax = 100;
/** Number of batches that are sent at the same time. It is enough for all keys of a full list page. */
const batchesAtOnce = 10;

/**
 * Maximum number of DynamoDB pages (1 MB each) that are read for one list page. It limits the number of sequential
 * reads.
 */
const databasePagesMax = 2;

/** Number of items that a stream consumer reads at once and handles at the same time. */
export const itemsAtOnce = 25;

/**
 * The single DynamoDB table. Only this class sends requests to DynamoDB. If a write's condition fails, the class throws
 * the error that the caller gave with the write. If DynamoDB is unreachable or busy, the class throws `unavailable`.
 */
export class Table {
  readonly #send: SendTableRequest;
  readonly #name: string;
  /** Waits between two attempts. The pause grows with each attempt. */
  readonly pause: Pause;

  constructor(send: SendTableRequest, name: string, pause: Pause = pauseWithJitter) {
    this.#send = async (operation, input, abortSignal) => {
      try {
        return await send(operation, input, abortSignal);
      } catch (error) {
        throw isTransient(error) ? busy(error) : error;
      }
    };
    this.#name = name;
    this.pause = pause;
  }

  async get(key: Key): Promise<Item | undefined> {
    const { Item } = await this.#send('GetItem', { TableName: this.#name, Key: key, ConsistentRead: true });
    return Item;
  }

  /** Reads and parses an item. Returns undefined if there is none. */
  async find<Schema extends z.ZodType>(schema: Schema, key: Key): Promise<z.output<Schema> | undefined> {
    return decode(schema, await this.get(key));
  }

  /**
   * Reads several items in one round trip, and returns them under the given names. Skips names whose key is undefined.
   */
  async getNamed<Name extends string>(
    wanted: Readonly<Record<Name, Key | undefined>>,
  ): Promise<Partial<Record<Name, Item>>> {
    const named = Object.entries<Key | undefined>(wanted).filter(
      (entry): entry is [Name, Key] => entry[1] !== undefined,
    );
    const items = named.length === 0 ? [] : await this.getMany(named.map(([, key]) => key));
    return Object.fromEntries(named.map(([name], index) => [name, items[index]])) as Partial<Record<Name, Item>>;
  }

  /**
   * Returns the items with the given keys in the same order, with strongly consistent reads. A thousand keys take one
   * round trip.
   */
  async getMany(wanted: readonly Key[], attributes: readonly string[] = []): Promise<(Item | undefined)[]> {
    const found = new Map<string, Item>();
    const unique = [...new Map(wanted.map((key) => [nameOf(key), key])).values()];
    const keysAtOnce = batchKeysMax * batchesAtOnce;
    for (let start = 0; start < unique.length; start += keysAtOnce) {
      const wave = unique.slice(start, start + keysAtOnce);
      const batches = Array.from({ length: Math.ceil(wave.length / batchKeysMax) }, (_, at) =>
        this.#getBatch(wave.slice(at * batchKeysMax, (at + 1) * batchKeysMax), attributes),
      );
      for (const items of await Promise.all(batches)) for (const item of items) found.set(nameOf(item), item);
    }
    return wanted.map((key) => found.get(nameOf(key)));
  }

  async #getBatch(batch: readonly Key[], attributes: readonly string[]): Promise<Item[]> {
    const found: Item[] = [];
    let pending = [...batch];
    // Request unprocessed keys again. DynamoDB skips keys when it throttles or when a response exceeds 16 MB.
    for (let round = 0; pending.length > 0; round += 1) {
      if (round === batchTriesMax) throw busy();
      if (round > 0) await this.pause(round);
      const wanted = { Keys: pending, ConsistentRead: true, ...projectionOf(attributes) };
      const { Responses, UnprocessedKeys } = await this.#send('BatchGetItem', {
        RequestItems: { [this.#name]: wanted },
      });
      found.push(...(Responses?.[this.#name] ?? []));
      pending = (UnprocessedKeys?.[this.#name]?.Keys ?? []).map(keyOf);
    }
    return found;
  }

  /** Returns one page of parsed items of an index. */
  async list<Schema extends z.ZodType>(
    schema: Schema,
    index: IndexName,
    partition: string,
    page: ListPageRequest & { newestFirst?: boolean },
  ): Promise<ListPage<z.output<Schema>>> {
    const { items, next } = await this.listPage(index, partition, page);
    return { items: items.map((item) => decode(schema, item)), next };
  }

  /**
   * Returns one page of an index. The page ends when it is full, or after two database pages of 1 MB. `from` and `to`
   * limit the sort keys.
   */
  async listPage(
    index: IndexName,
    partition: string,
    page: ListPageRequest & { attributes?: readonly string[]; from?: string; to?: string; newestFirst?: boolean },
  ): Promise<ListPage<Item>> {
    const shape = tableShape.indexes.find(({ name }) => name === index);
    if (shape === undefined) throw new Error(`no index ${index}`);
    const { from, to } = page;
    const range = from === undefined || to === undefined ? {} : { range: { from, to } };
    const { partitionKey, sortKey } = shape;
    return this.#queryPage({ index, partitionKey, sortKey, partition, ...range, page });
  }

  /** Returns one page of a partition's items with sort keys from `from` to `to`, with a strongly consistent read. */
  async partitionPage(
    partition: string,
    range: { from: string; to: string },
    page: ListPageRequest & { newestFirst?: boolean },
  ): Promise<ListPage<Item>> {
    return this.#queryPage({
      partitionKey: tableShape.partitionKey,
      sortKey: tableShape.sortKey,
      partition,
      range,
      page,
    });
  }

  /** Yields all items of an index partition, page by page. */
  listPages(index: IndexName, partition: string, limit = itemsAtOnce): AsyncGenerator<Item[]> {
    return everyPage((after) => this.listPage(index, partition, { limit, after }));
  }

  /** Yields all items of a partition with sort keys from `from` to `to`, page by page. */
  partitionPages(partition: string, range: { from: string; to: string }, limit = itemsAtOnce): AsyncGenerator<Item[]> {
    return everyPage((after) => this.partitionPage(partition, range, { limit, after }));
  }

  async #queryPage(query: {
    index?: IndexName;
    partitionKey: string;
    sortKey: string;
    partition: string;
    range?: { from: string; to: string };
    page: ListPageRequest & { newestFirst?: boolean; attributes?: readonly string[] };
  }): Promise<ListPage<Item>> {
    const { page, range, sortKey } = query;
    const { roundTripsMax = databasePagesMax } = page;
    const from = page.newestFirst ? range?.from : (page.after ?? range?.from);
    const to = page.newestFirst ? (page.after ?? range?.to) : range?.to;
    // Request one item more and drop the first item. BETWEEN includes both ends of the range, so the result begins with
    // the last item of the previous page.
    const wanted = page.limit + 1 + (page.after === undefined ? 0 : 1);
    const sortCondition =
      from !== undefined && to !== undefined
        ? ' AND #sk BETWEEN :from AND :to'
        : `${from === undefined ? '' : ' AND #sk >= :from'}${to === undefined ? '' : ' AND #sk <= :to'}`;
    const attributes = page.attributes === undefined ? [] : [sortKey, ...page.attributes];
    const names = { ...(sortCondition === '' ? {} : { '#sk': sortKey }), ...placeholdersOf(attributes) };
    const items: Item[] = [];
    let databasePages = 0;
    let startKey: Item | undefined;
    do {
      const answer = await this.#send('Query', {
        TableName: this.#name,
        ...(query.index === undefined ? { ConsistentRead: true } : { IndexName: query.index }),
        KeyConditionExpression: `#pk = :pk${sortCondition}`,
        ExpressionAttributeNames: { '#pk': query.partitionKey, ...names },
        ...(attributes.length === 0 ? {} : { ProjectionExpression: Object.keys(placeholdersOf(attributes)).join() }),
        ExpressionAttributeValues: {
          ':pk': query.partition,
          ...(from === undefined ? {} : { ':from': from }),
          ...(to === undefined ? {} : { ':to': to }),
        },
        ScanIndexForward: !page.newestFirst,
        Limit: wanted - items.length,
        ...(startKey === undefined ? {} : { ExclusiveStartKey: startKey }),
      });
      items.push(...(answer.Items ?? []));
      databasePages += 1;
      startKey = answer.LastEvaluatedKey;
    } while (startKey !== undefined && items.length < wanted && databasePages < roundTripsMax);
    const rest = items.filter((item) => item[sortKey] !== page.after);
    const shown = fitPage(rest, page.limit);
    const hasMore = rest.length > shown.length || startKey !== undefined;
    return { items: shown, next: hasMore ? String(shown.at(-1)?.[sortKey]) : undefined };
  }

  /**
   * Runs all writes in one transaction. If a condition fails, writes nothing and throws the `refusal` of the first
   * write whose condition failed. `timeoutMs` includes retries.
   */
  async transact(writes: readonly Write[], { timeoutMs }: { timeoutMs?: number } = {}): Promise<void> {
    const abortSignal = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
    for (let attempt = 1; ; attempt += 1) {
      try {
        const TransactItems = writes.map((write) => this.#transactItem(write));
        await this.#send('TransactWriteItems', { TransactItems }, abortSignal);
        return;
      } catch (error) {
        const codes = cancellationCodes(error);
        if (codes === undefined) throw error;
        const failed = writes.findIndex((_, index) => codes[index] === 'ConditionalCheckFailed');
        if (failed >= 0) throw writes[failed]?.refusal ?? error;
        const isTransient = codes.some((code) => code === 'TransactionConflict' || code === 'ThrottlingError');
        if (!isTransient) throw error;
        if (attempt === transactionTriesMax) throw busy(error);
        await this.pause(attempt, abortSignal);
      }
    }
  }

  /** Runs all writes in one transaction. Returns false and writes nothing if a condition does not hold. */
  async transactIfHolding(writes: readonly Write[]): Promise<boolean> {
    const overtaken = new ServiceError('concurrent_change', 'Another request changed the item');
    try {
      await this.transact(writes.map((write) => ({ ...write, refusal: overtaken })));
      return true;
    } catch (error) {
      if (error === overtaken) return false;
      throw error;
    }
  }

  /** Writes one item within `timeoutMs`. Returns false and writes nothing if the condition does not hold. */
  async put(item: Item, timeoutMs: number, condition?: Condition): Promise<boolean> {
    const input = { TableName: this.#name, Item: item, ...buildExpressions(condition, undefined) };
    try {
      await this.#send('PutItem', input, AbortSignal.timeout(timeoutMs));
      return true;
    } catch (error) {
      if (isConditionFailed(error)) return false;
      throw error;
    }
  }

  /** Updates one item within `timeoutMs`. Returns the updated item, or undefined if the condition does not hold. */
  async update(key: Key, change: Change, condition?: Condition, timeoutMs?: number): Promise<Item | undefined> {
    const { UpdateExpression, ...expressions } = buildExpressions(condition, change);
    const input = {
      TableName: this.#name,
      Key: key,
      ReturnValues: 'ALL_NEW',
      UpdateExpression,
      ...expressions,
    } as const;
    const abortSignal = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
    try {
      const { Attributes } = await this.#send('UpdateItem', input, abortSignal);
      return Attributes;
    } catch (error) {
      if (isConditionFailed(error)) return undefined;
      throw error;
    }
  }

  /** Deletes one item if the condition holds. Succeeds if the item does not exist. */
  async delete(key: Key, condition?: Condition): Promise<void> {
    try {
      await this.#send('DeleteItem', { TableName: this.#name, Key: key, ...buildExpressions(condition, undefined) });
    } catch (error) {
      if (!isConditionFailed(error)) throw error;
    }
  }

  #transactItem(write: Write) {
    const TableName = this.#name;
    switch (write.kind) {
      case 'put':
        return { Put: { TableName, Item: write.item, ...buildExpressions(write.condition, undefined) } };
      case 'update': {
        const expressions = buildExpressions(write.condition, write.change);
        return {
          Update: { TableName, Key: write.key, ...expressions, UpdateExpression: expressions.UpdateExpression },
        };
      }
      case 'delete':
        return { Delete: { TableName, Key: write.key, ...buildExpressions(write.condition, undefined) } };
      case 'check': {
        const expressions = buildExpressions(write.condition, undefined);
        return {
          ConditionCheck: {
            TableName,
            Key: write.key,
            ...expressions,
            ConditionExpression: expressions.ConditionExpression,
          },
        };
      }
    }
  }
}

/** The base class of all stores. It gives them the table. */
export class TableStore {
  protected readonly table: Table;

  constructor(table: Table) {
    this.table = table;
  }
}

/** Returns placeholders for attribute names, because some names, such as `state`, are reserved words in DynamoDB. */
function placeholdersOf(attributes: readonly string[]): Record<string, string> {
  return Object.fromEntries(attributes.map((attribute, index) => [`#a${index}`, attribute]));
}

/**
 * Returns the projection of a batch read. It includes the keys, which show the request to which each returned item
 * belongs.
 */
function projectionOf(attributes: readonly string[]) {
  if (attributes.length === 0) return {};
  const names = placeholdersOf([tableShape.partitionKey, tableShape.sortKey, ...attributes]);
  return { ProjectionExpression: Object.keys(names).join(), ExpressionAttributeNames: names };
}

function nameOf(key: Item | Key): string {
  return `${key.pk}\u0000${key.sk}`;
}

function busy(cause?: unknown): ServiceError {
  return new ServiceError('unavailable', 'The service is busy; try again in a moment', { cause });
}

type Pause = (attempt: number, signal?: AbortSignal) => Promise<void>;

/** Waits for a random time (full jitter), so that two conflicting writers do not conflict again. */
async function pauseWithJitter(attempt: number, signal?: AbortSignal): Promise<void> {
  await wait(Math.random() * 20 * 2 ** attempt, undefined, { signal });
}

export async function itemsOf(pages: AsyncIterable<Item[]>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const page of pages) items.push(...page);
  return items;
}

/** Handles all items of all pages, one page after another. The items of one page are handled at the same time. */
export async function forEachItem(pages: AsyncIterable<Item[]>, act: (item: Item) => Promise<void>): Promise<void> {
  for await (const page of pages) await settleAll(page.map(act));
}

/**
 * Waits for all steps, then rejects if one of them failed. It waits even after a failure, because a retry must not
 * overlap with steps of the first attempt.
 */
export async function settleAll(steps: readonly Promise<unknown>[]): Promise<void> {
  for (const step of await Promise.allSettled(steps)) if (step.status === 'rejected') throw step.reason;
}

/**
 * Runs the step again while it throws `overtaken`. The caller gets the error of the last attempt. `rest` runs between
 * two attempts.
 */
export async function retryOn<T>(
  overtaken: ServiceError,
  triesMax: number,
  step: () => Promise<T>,
  rest?: (attempt: number) => Promise<void>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await step();
    } catch (error) {
      if (error !== overtaken || attempt === triesMax) throw error;
      await rest?.(attempt);
    }
  }
}
