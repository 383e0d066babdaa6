import { setTimeout as wait } from 'node:timers/promises';
import {
  type AttributeValue,
  DescribeStreamCommand,
  type DynamoDBStreamsClient,
  ExpiredIteratorException,
  GetRecordsCommand,
  GetShardIteratorCommand,
  type Shard,
  type _Record as StreamRecord,
  TrimmedDataAccessException,
} from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBRecord, AttributeValue as EventValue } from 'aws-lambda';
import { ParallelBatches, type StreamHandler } from './stream-batches.ts';
import type { TtlDeletes, TtlLedger } from './ttl.ts';

interface StreamDeliveryOptions {
  client: DynamoDBStreamsClient;
  stream_arn: string;
  handler: StreamHandler;
  ledger: TtlLedger;
  /** The filter of the event source mapping. By default the function receives every record. */
  isWanted?: (record: DynamoDBRecord) => boolean;
  /** Batches of one shard in progress at once. */
  parallelizationFactor?: number;
  onPoison: (record: DynamoDBRecord, error: unknown) => void;
  /** Reports that the engine cannot be read. Delivery continues when it can. */
  onError: (error: unknown) => void;
  batchSizeMax?: number;
  triesMax?: number;
  retryAfterMs?: number;
}

export interface StreamDelivery {
  /** Ends after the batch in progress. */
  close(): Promise<void>;
}

interface ShardReader {
  shardId: string;
  iterator: string | undefined;
  lastSequenceNumber: string | undefined;
  batches: ParallelBatches;
}

const describeEveryMs = 5000;
// Lambda polls a stream every 250 ms. On one machine a user waits for the effect of changes, so recent activity polls
// faster.
const busyEveryMs = 40;
const quietEveryMs = 250;

/**
 * Delivers a table's stream to a function from its oldest record on, with its own position, attempts and failures.
 *
 * Records of an earlier run that the engine stored on disk come again. A stream function must accept that, because
 * Lambda also delivers at least once.
 */
export function startStreamDelivery(options: StreamDeliveryOptions): StreamDelivery {
  const { client, stream_arn, handler, onPoison, onError, isWanted = () => true } = options;
  const { batchSizeMax = 100, triesMax = 5, retryAfterMs = 50, parallelizationFactor = 1 } = options;
  const ttlDeletes = options.ledger.openReader();
  let activeAt = performance.now();
  const stop = new AbortController();
  const { signal } = stop;
  const delivery = { handler, triesMax, retryAfterMs, onPoison, signal, batchSizeMax, parallelizationFactor };
  const readers = new Map<string, ShardReader>();
  const finished = new Set<string>();
  let describedAt = Number.NEGATIVE_INFINITY;

  async function findShards(): Promise<void> {
    if (performance.now() - describedAt < describeEveryMs) return;
    const shards = await describeShards(client, stream_arn);
    const known = new Set(shards.map((shard) => shard.ShardId));
    for (const { ShardId, ParentShardId } of shards) {
      if (ShardId === undefined || finished.has(ShardId) || readers.has(ShardId)) continue;
      // A child shard's records follow its parent's.
      if (ParentShardId !== undefined && known.has(ParentShardId) && !finished.has(ParentShardId)) continue;
      const batches = new ParallelBatches(delivery);
      readers.set(ShardId, { shardId: ShardId, iterator: undefined, lastSequenceNumber: undefined, batches });
    }
    describedAt = performance.now();
  }

  async function readShard(reader: ShardReader): Promise<void> {
    reader.iterator ??= await openShard(client, stream_arn, reader);
    const { Records = [], NextShardIterator } = await client.send(
      new GetRecordsCommand({ ShardIterator: reader.iterator, Limit: batchSizeMax }),
    );
    if (Records.length > 0) {
      activeAt = performance.now();
      reader.batches.add(Records.map((record) => toEventRecord(record, stream_arn, ttlDeletes)).filter(isWanted));
      reader.lastSequenceNumber = Records.at(-1)?.dynamodb?.SequenceNumber;
      await reader.batches.room();
    }
    reader.iterator = NextShardIterator;
    if (NextShardIterator !== undefined) return;
    await reader.batches.done();
    readers.delete(reader.shardId);
    finished.add(reader.shardId);
    describedAt = Number.NEGATIVE_INFINITY;
  }

  async function readRound(): Promise<void> {
    await findShards();
    for (const reader of readers.values()) {
      try {
        await readShard(reader);
      } catch (error) {
        reader.iterator = undefined;
        if (error instanceof TrimmedDataAccessException) reader.lastSequenceNumber = undefined;
        else if (!(error instanceof ExpiredIteratorException)) throw error;
      }
    }
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      let pauseMs: number;
      try {
        await readRound();
        pauseMs = Math.min(Math.max(busyEveryMs, (performance.now() - activeAt) / 50), quietEveryMs);
      } catch (error) {
        if (signal.aborted) return;
        onError(error);
        pauseMs = 1000;
      }
      await wait(pauseMs, undefined, { signal }).catch(() => {});
    }
  }

  const running = run();
  return {
    async close() {
      stop.abort();
      await running;
      await Promise.all([...readers.values()].map(({ batches }) => batches.done()));
    },
  };
}

async function describeShards(client: DynamoDBStreamsClient, streamArn: string): Promise<Shard[]> {
  const shards: Shard[] = [];
  let after: string | undefined;
  do {
    const { StreamDescription } = await client.send(
      new DescribeStreamCommand({ StreamArn: streamArn, ExclusiveStartShardId: after }),
    );
    shards.push(...(StreamDescription?.Shards ?? []));
    after = StreamDescription?.LastEvaluatedShardId;
  } while (after !== undefined);
  return shards;
}

async function openShard(
  client: DynamoDBStreamsClient,
  streamArn: string,
  { shardId, lastSequenceNumber }: ShardReader,
): Promise<string | undefined> {
  const { ShardIterator } = await client.send(
    new GetShardIteratorCommand({
      StreamArn: streamArn,
      ShardId: shardId,
      ...(lastSequenceNumber === undefined
        ? { ShardIteratorType: 'TRIM_HORIZON' }
        : { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: lastSequenceNumber }),
    }),
  );
  return ShardIterator;
}

/** Converts a stream record to the JSON that Lambda sends to a function: base64 for bytes, seconds for times. */
function toEventRecord(record: StreamRecord, streamArn: string, ttlDeletes: TtlDeletes): DynamoDBRecord {
  const { ApproximateCreationDateTime: created, Keys, NewImage, OldImage, ...rest } = record.dynamodb ?? {};
  const byTtl = record.eventName === 'REMOVE' && Keys !== undefined && ttlDeletes.take(Keys);
  return {
    ...(record.eventID === undefined ? {} : { eventID: record.eventID }),
    ...(record.eventName === undefined ? {} : { eventName: record.eventName }),
    eventVersion: '1.1',
    eventSource: 'aws:dynamodb',
    eventSourceARN: streamArn,
    awsRegion: streamArn.split(':')[3] ?? '',
    dynamodb: {
      ...(created === undefined ? {} : { ApproximateCreationDateTime: Math.floor(created.getTime() / 1000) }),
      ...(Keys === undefined ? {} : { Keys: toEventValues(Keys) }),
      ...(NewImage === undefined ? {} : { NewImage: toEventValues(NewImage) }),
      ...(OldImage === undefined ? {} : { OldImage: toEventValues(OldImage) }),
      ...rest,
    },
    ...(byTtl ? { userIdentity: { type: 'Service', principalId: 'dynamodb.amazonaws.com' } } : {}),
  };
}

function toEventValues(values: Record<string, AttributeValue>): Record<string, EventValue> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, toEventValue(value)]));
}

function toEventValue(value: AttributeValue): EventValue {
  if (value.B !== undefined) return { B: toBase64(value.B) };
  if (value.BS !== undefined) return { BS: value.BS.map(toBase64) };
  if (value.L !== undefined) return { L: value.L.map(toEventValue) };
  if (value.M !== undefined) return { M: toEventValues(value.M) };
  if (value.S !== undefined) return { S: value.S };
  if (value.N !== undefined) return { N: value.N };
  if (value.BOOL !== undefined) return { BOOL: value.BOOL };
  if (value.NULL !== undefined) return { NULL: value.NULL };
  if (value.SS !== undefined) return { SS: value.SS };
  if (value.NS !== undefined) return { NS: value.NS };
  throw new Error('a stream record holds a value of an unknown type');
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
