import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  paginateScan,
} from '@aws-sdk/client-dynamodb';
import { type Clock, daySeconds } from '../../domain/time.ts';
import { tableShape } from '../../store/table-shape.ts';

interface TtlDeleterOptions {
  client: DynamoDBClient;
  table_name: string;
  clock: Clock;
  ledger: TtlLedger;
  /**
   * The minimum pause between two runs that delete expired items. After a long run, the pause is longer, so that runs
   * use at most a twentieth of the engine's time.
   */
  everyMs: number;
  onError: (error: unknown) => void;
}

export interface TtlDeleter {
  /** Deletes expired items. Resolves when all of them are deleted. */
  runOnce(): Promise<void>;
  close(): Promise<void>;
}

const fiveYearsSeconds = 5 * 365 * daySeconds;

/**
 * The page size of the scan. Without a limit, the engine loads the whole table into memory for each page and runs out
 * of memory.
 */
const scanPageMax = 500;

/**
 * Deletes expired items in the same way as DynamoDB's TTL. An item is deleted when its TTL attribute is a number of
 * seconds since the Unix epoch in the past, but at most five years ago. The attribute must still have this value at the
 * moment of the deletion.
 */
export function startTtlDeleter(options: TtlDeleterOptions): TtlDeleter {
  const { everyMs, onError } = options;
  let isClosed = false;
  let last: Promise<void> = Promise.resolve();
  function runOnce(): Promise<void> {
    last = last.catch(() => {}).then(() => deleteExpired(options));
    return last;
  }

  let timer = setTimeout(runInTurn, everyMs).unref();
  async function runInTurn(): Promise<void> {
    const startedAt = performance.now();
    await runOnce().catch(onError);
    if (!isClosed) timer = setTimeout(runInTurn, Math.max(everyMs, 20 * (performance.now() - startedAt))).unref();
  }

  return {
    runOnce,
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await last.catch(() => {});
    },
  };
}

async function deleteExpired({ client, table_name: TableName, clock, ledger }: TtlDeleterOptions): Promise<void> {
  const nowSeconds = Math.floor(clock() / 1000);
  const expired = {
    ExpressionAttributeNames: { '#ttl': tableShape.ttlAttribute },
    ExpressionAttributeValues: {
      ':oldest': { N: String(nowSeconds - fiveYearsSeconds) },
      ':now': { N: String(nowSeconds) },
    },
  };
  const condition = '#ttl BETWEEN :oldest AND :now';
  const scan = { TableName, ConsistentRead: true, Limit: scanPageMax, FilterExpression: condition, ...expired };
  for await (const { Items } of paginateScan({ client }, scan)) {
    for (const item of Items ?? []) {
      const Key = keyOf(item);
      ledger.enter(Key);
      try {
        await client.send(new DeleteItemCommand({ TableName, Key, ConditionExpression: condition, ...expired }));
      } catch (error) {
        ledger.withdraw(Key);
        // The item was changed or deleted after the scan, so it must not be deleted here.
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
      }
    }
  }
}

function keyOf(item: Record<string, AttributeValue>): Record<string, AttributeValue> {
  const { [tableShape.partitionKey]: partition, [tableShape.sortKey]: sort } = item;
  if (partition === undefined || sort === undefined) throw new Error('an item without its key');
  return { [tableShape.partitionKey]: partition, [tableShape.sortKey]: sort };
}

/**
 * Remembers the TTL deletions whose stream records have not been read yet. DynamoDB marks TTL deletions in its stream
 * records, but the engine does not, so the emulator adds the mark.
 */
export class TtlLedger {
  readonly #deletes = new Set<string>();

  /**
   * Remembers that TTL deletes this item. Call it before sending the deletion, because the stream record may arrive
   * before the response.
   */
  enter(key: Record<string, AttributeValue>): void {
    this.#deletes.add(nameOf(key));
  }

  withdraw(key: Record<string, AttributeValue>): void {
    this.#deletes.delete(nameOf(key));
  }

  /** Returns true if TTL deleted this item, and forgets the deletion. A second call for one deletion returns false. */
  take(key: Record<string, AttributeValue>): boolean {
    return this.#deletes.delete(nameOf(key));
  }
}

function nameOf(key: Record<string, AttributeValue>): string {
  return JSON.stringify([key[tableShape.partitionKey]?.S, key[tableShape.sortKey]?.S]);
}
