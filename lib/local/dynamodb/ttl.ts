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
   * Pause between runs. It grows with the length of a run, so that runs use at most a twentieth of the engine's time.
   */
  everyMs: number;
  onError: (error: unknown) => void;
}

export interface TtlDeleter {
  /** Deletes expired items. Settles when they are deleted. */
  runOnce(): Promise<void>;
  close(): Promise<void>;
}

const fiveYearsSeconds = 5 * 365 * daySeconds;

/** Without a limit, the engine loads the whole table into memory for each page and runs out of it. */
const scanPageMax = 500;

/**
 * Deletes expired items as DynamoDB's TTL does: when the TTL attribute is a past number of seconds since the epoch, at
 * most five years ago, and still has that value at the delete.
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
        // The item changed or disappeared after the scan.
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
 * TTL deletes that the reader of the stream has not met yet. DynamoDB marks TTL deletes in its stream records, and the
 * engine does not.
 */
export class TtlLedger {
  readonly #deletes = new Set<string>();

  /** Call before sending the delete: its stream record may arrive before its response. */
  enter(key: Record<string, AttributeValue>): void {
    this.#deletes.add(nameOf(key));
  }

  withdraw(key: Record<string, AttributeValue>): void {
    this.#deletes.delete(nameOf(key));
  }

  /** Reports whether TTL deleted this item; true once for each delete. */
  take(key: Record<string, AttributeValue>): boolean {
    return this.#deletes.delete(nameOf(key));
  }
}

function nameOf(key: Record<string, AttributeValue>): string {
  return JSON.stringify([key[tableShape.partitionKey]?.S, key[tableShape.sortKey]?.S]);
}
