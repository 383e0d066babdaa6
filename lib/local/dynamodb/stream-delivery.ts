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
import { type BatchDelivery, ParallelBatches } from './stream-batches.ts';
import type { TtlLedger } from './ttl.ts';

/**
 * A stream function and the settings of its event source mapping. Each consumer counts its own attempts and failures.
 */
export interface StreamConsumer extends Omit<BatchDelivery, 'signal'> {
  /** The filter of the event source mapping. Without it, the function gets every record. */
  isWanted?: (record: DynamoDBRecord) => boolean;
}

interface StreamDeliveryOptions {
  client: DynamoDBStreamsClient;
  stream_arn: string;
  consumers: readonly StreamConsumer[];
  ledger: TtlLedger;
  /** Reports that the engine cannot be read. Delivery continues when the engine answers again. */
  onError: (error: unknown) => void;
}

export interface StreamDelivery {
  /** Makes the reader poll the stream soon. Call it after a write, so that consumers do not wait for the next poll. */
  wake(): void;
  /** Stops the delivery after the batches in progress. */
  close(): Promise<void>;
}

interface ShardReader {
  shardId: string;
  iterator: string | undefined;
  lastSequenceNumber: string | undefined;
  /** The queued batches of each stream consumer. */
  batches: readonly ParallelBatches[];
}

const recordsMax = 1000;
const describeEveryMs = 5000;
/** The time between two polls. Lambda polls a stream at the same rate. */
const quietEveryMs = 250;
const busyEveryMs = 40;
/**
 * The time after a write in which the emulator polls the stream more often. A user of the local service waits for the
 * effect of the write.
 */
const busyForMs = 400;

/** Reads a table's stream once and delivers its records to all consumers. */
class StreamReader {
  readonly #options: StreamDeliveryOptions;
  readonly #stop = new AbortController();
  readonly #readers = new Map<string, ShardReader>();
  readonly #finished = new Set<string>();
  #describedAt = Number.NEGATIVE_INFINITY;
  #busyUntil = Number.POSITIVE_INFINITY;
  #endPause: () => void = () => undefined;

  constructor(options: StreamDeliveryOptions) {
    this.#options = options;
    this.wake();
  }

  wake(): void {
    this.#busyUntil = performance.now() + busyForMs;
    this.#endPause();
  }

  stop(): void {
    this.#stop.abort();
    this.#endPause();
  }

  async run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      let pauseMs = quietEveryMs;
      try {
        await this.#readRound();
        if (performance.now() < this.#busyUntil) pauseMs = busyEveryMs;
      } catch (error) {
        if (this.#stop.signal.aborted) break;
        this.#options.onError(error);
        pauseMs = 1000;
      }
      await this.#pause(pauseMs);
    }
    await Promise.all([...this.#readers.values()].map(done));
  }

  async #pause(pauseMs: number): Promise<void> {
    // `wake` only shortens a long pause. Many writes in a short time therefore do not cause a poll for each write.
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, pauseMs);
    if (pauseMs > busyEveryMs || this.#stop.signal.aborted) this.#endPause = resolve;
    if (this.#stop.signal.aborted) resolve();
    await promise;
    this.#endPause = () => undefined;
    clearTimeout(timer);
  }

  async #readRound(): Promise<void> {
    await this.#findShards();
    for (const reader of this.#readers.values()) {
      try {
        await this.#readShard(reader);
      } catch (error) {
        reader.iterator = undefined;
        if (error instanceof TrimmedDataAccessException) reader.lastSequenceNumber = undefined;
        else if (!(error instanceof ExpiredIteratorException)) throw error;
      }
    }
  }

  async #findShards(): Promise<void> {
    if (performance.now() - this.#describedAt < describeEveryMs) return;
    const { client, stream_arn, consumers } = this.#options;
    const shards = await describeShards(client, stream_arn);
    const known = new Set(shards.map((shard) => shard.ShardId));
    for (const { ShardId, ParentShardId } of shards) {
      if (ShardId === undefined || this.#finished.has(ShardId) || this.#readers.has(ShardId)) continue;
      // Records of a child shard must be delivered after the records of its parent shard. Wait until the parent shard
      // is finished.
      if (ParentShardId !== undefined && known.has(ParentShardId) && !this.#finished.has(ParentShardId)) continue;
      const batches = consumers.map((consumer) => new ParallelBatches({ ...consumer, signal: this.#stop.signal }));
      this.#readers.set(ShardId, { shardId: ShardId, iterator: undefined, lastSequenceNumber: undefined, batches });
    }
    this.#describedAt = performance.now();
  }

  async #readShard(reader: ShardReader): Promise<void> {
    const { client, stream_arn, consumers, ledger } = this.#options;
    reader.iterator ??= await openShard(client, stream_arn, reader);
    const { Records = [], NextShardIterator } = await client.send(
      new GetRecordsCommand({ ShardIterator: reader.iterator, Limit: recordsMax }),
    );
    if (Records.length > 0) {
      this.#busyUntil = performance.now() + busyForMs;
      const records = Records.map((record) => toEventRecord(record, stream_arn, ledger));
      for (const [index, { isWanted = () => true }] of consumers.entries()) {
        reader.batches[index]?.add(records.filter(isWanted));
      }
      reader.lastSequenceNumber = Records.at(-1)?.dynamodb?.SequenceNumber;
      await Promise.all(reader.batches.map((batches) => batches.capacity()));
    }
    reader.iterator = NextShardIterator;
    if (NextShardIterator !== undefined) return;
    await done(reader);
    this.#readers.delete(reader.shardId);
    this.#finished.add(reader.shardId);
    this.#describedAt = Number.NEGATIVE_INFINITY;
  }
}

async function done({ batches }: ShardReader): Promise<void> {
  await Promise.all(batches.map((one) => one.done()));
}

/**
 * Delivers the records of a table's stream to functions, from the oldest record on.
 * The engine may have stored records of an earlier run on disk. These are delivered again. Stream functions must accept
 * this, because Lambda also delivers records more than once.
 */
export function startStreamDelivery(options: StreamDeliveryOptions): StreamDelivery {
  const reader = new StreamReader(options);
  const running = reader.run();
  return {
    wake: () => reader.wake(),
    async close() {
      reader.stop();
      await running;
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

/**
 * Converts a stream record to the JSON that Lambda sends to a function. Bytes are in base64, and times are in seconds.
 */
function toEventRecord(record: StreamRecord, streamArn: string, ledger: TtlLedger): DynamoDBRecord {
  const { ApproximateCreationDateTime: created, Keys, NewImage, OldImage, ...rest } = record.dynamodb ?? {};
  const byTtl = record.eventName === 'REMOVE' && Keys !== undefined && ledger.take(Keys);
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

function toEventValue({ B, BS, L, M, ...others }: AttributeValue): EventValue {
  if (B !== undefined) return { B: toBase64(B) };
  if (BS !== undefined) return { BS: BS.map(toBase64) };
  if (L !== undefined) return { L: L.map(toEventValue) };
  if (M !== undefined) return { M: toEventValues(M) };
  return others as EventValue;
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
