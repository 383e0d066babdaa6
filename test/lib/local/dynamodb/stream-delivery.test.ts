import {
  BatchWriteItemCommand,
  DeleteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  ScanCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBRecord } from 'aws-lambda';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type DynamoDbEngine, startDynamoDbEngine } from '../../../../lib/local/dynamodb/engine.ts';
import { queueOf, type StreamHandler } from '../../../../lib/local/dynamodb/stream-batches.ts';
import { type StreamConsumer, startStreamDelivery } from '../../../../lib/local/dynamodb/stream-delivery.ts';
import { createTable } from '../../../../lib/local/dynamodb/table.ts';
import { startTtlDeleter, TtlLedger } from '../../../../lib/local/dynamodb/ttl.ts';
import { watchRequests } from '../../../service/watched-requests.ts';

let engine: DynamoDbEngine;
let client: DynamoDBClient;
let streams: DynamoDBStreamsClient;
let tables = 0;

beforeAll(async () => {
  engine = await startDynamoDbEngine();
  client = new DynamoDBClient(engine);
  streams = new DynamoDBStreamsClient(engine);
});

afterAll(async () => {
  client?.destroy();
  streams?.destroy();
  await engine?.close();
});

function raise(error: unknown): never {
  throw error;
}

async function startTable(
  handler?: StreamHandler,
  { parallelizationFactor = 1, others = [] as StreamConsumer[] } = {},
) {
  tables += 1;
  const table_name = `table-${tables}`;
  const { stream_arn } = await createTable(client, { table_name });
  const ledger = new TtlLedger();
  const delivered: DynamoDBRecord[] = [];
  const poison: DynamoDBRecord[] = [];
  const consumer: StreamConsumer = {
    handler: async ({ Records }) => {
      if (handler !== undefined) return handler({ Records });
      delivered.push(...Records);
      return undefined;
    },
    onPoison: (record) => poison.push(record),
    triesMax: 3,
    retryAfterMs: 1,
    parallelizationFactor,
  };
  const consumers = [consumer, ...others];
  const delivery = startStreamDelivery({ client: streams, stream_arn, consumers, ledger, onError: raise });
  onTestFinished(() => delivery.close());
  return { table_name, stream_arn, ledger, delivered, poison };
}

const key = { pk: { S: 'account#ada' }, sk: { S: 'profile' } };

test('createTable returns the stream of an existing table', async () => {
  const { table_name, stream_arn } = await startTable();
  expect(await createTable(client, { table_name })).toEqual({ stream_arn });
});

test('records arrive in order and in the format of Lambda', async () => {
  const { table_name, stream_arn, delivered } = await startTable();
  const value = { M: { bytes: { B: Buffer.from('tide') }, list: { L: [{ N: '1' }, { BOOL: true }, { NULL: true }] } } };
  await client.send(new PutItemCommand({ TableName: table_name, Item: { ...key, value } }));
  await client.send(
    new UpdateItemCommand({
      TableName: table_name,
      Key: key,
      UpdateExpression: 'SET #v = :v',
      ExpressionAttributeNames: { '#v': 'value' },
      ExpressionAttributeValues: { ':v': { SS: ['b', 'a'] } },
    }),
  );
  await client.send(new DeleteItemCommand({ TableName: table_name, Key: key }));
  await expect.poll(() => delivered).toHaveLength(3);

  expect(delivered.map(({ eventName }) => eventName)).toEqual(['INSERT', 'MODIFY', 'REMOVE']);
  const shown = { M: { bytes: { B: 'dGlkZQ==' }, list: { L: [{ N: '1' }, { BOOL: true }, { NULL: true }] } } };
  expect(delivered[0]).toEqual({
    eventID: expect.any(String),
    eventName: 'INSERT',
    eventVersion: '1.1',
    eventSource: 'aws:dynamodb',
    eventSourceARN: stream_arn,
    awsRegion: expect.any(String),
    dynamodb: {
      ApproximateCreationDateTime: expect.any(Number),
      Keys: key,
      NewImage: { ...key, value: shown },
      SequenceNumber: expect.stringMatching(/^\d+$/),
      SizeBytes: expect.any(Number),
      StreamViewType: 'NEW_AND_OLD_IMAGES',
    },
  });
  expect(delivered[1]?.dynamodb?.NewImage?.['value']).toEqual({ SS: ['a', 'b'] });
  expect(delivered[2]?.dynamodb?.OldImage?.['value']).toEqual({ SS: ['a', 'b'] });
  expect(delivered[2]?.userIdentity).toBeUndefined();
  // The event must be plain JSON, as a function receives it.
  expect(JSON.parse(JSON.stringify(delivered))).toEqual(delivered);
});

test('a record that always fails is given up, and later records arrive', async () => {
  const arrived: string[] = [];
  const { table_name, poison } = await startTable(async ({ Records }) => {
    for (const { dynamodb } of Records) {
      const name = dynamodb?.Keys?.['sk']?.S ?? '';
      if (name === 'bad') return { batchItemFailures: [{ itemIdentifier: dynamodb?.SequenceNumber ?? '' }] };
      arrived.push(name);
    }
    return { batchItemFailures: [] };
  });
  for (const name of ['first', 'bad', 'last']) {
    await client.send(new PutItemCommand({ TableName: table_name, Item: { pk: { S: 'x' }, sk: { S: name } } }));
  }
  await expect.poll(() => arrived).toEqual(['first', 'last']);
  expect(poison.map(({ dynamodb }) => dynamodb?.Keys?.['sk']?.S)).toEqual(['bad']);
});

const now = Date.UTC(2026, 10, 1);

function startTtl(options: { table_name: string; ledger: TtlLedger; clock?: () => number; client?: DynamoDBClient }) {
  const deleter = startTtlDeleter({ client, clock: () => now, everyMs: 3_600_000, onError: raise, ...options });
  onTestFinished(() => deleter.close());
  return deleter;
}

async function putExpiring(table_name: string, name: string, ttl: number): Promise<void> {
  const item = { pk: { S: 'x' }, sk: { S: name }, ttl: { N: String(ttl) } };
  await client.send(new PutItemCommand({ TableName: table_name, Item: item }));
}

test('TTL deletes expired items, and the stream marks its deletes', async () => {
  const { table_name, ledger, delivered } = await startTable();
  let offsetMs = 0;
  const nowSeconds = now / 1000;
  const deleter = startTtl({ table_name, ledger, clock: () => now + offsetMs });
  await putExpiring(table_name, 'soon', nowSeconds + 60);
  await putExpiring(table_name, 'later', nowSeconds + 600);
  await putExpiring(table_name, 'deleted-by-hand', nowSeconds + 60);
  // A date six years ago, as if milliseconds or years were confused. TTL ignores such items.
  await putExpiring(table_name, 'ancient', nowSeconds - 6 * 366 * 86_400);

  await deleter.runOnce();
  offsetMs += 120_000;
  await client.send(
    new DeleteItemCommand({ TableName: table_name, Key: { pk: { S: 'x' }, sk: { S: 'deleted-by-hand' } } }),
  );
  await deleter.runOnce();

  await expect.poll(() => delivered).toHaveLength(6);
  const removed = delivered.filter(({ eventName }) => eventName === 'REMOVE');
  expect(removed.map(({ dynamodb, userIdentity }) => [dynamodb?.Keys?.['sk']?.S, userIdentity])).toEqual([
    ['deleted-by-hand', undefined],
    ['soon', { type: 'Service', principalId: 'dynamodb.amazonaws.com' }],
  ]);
  for (const name of ['later', 'ancient']) {
    const { Item } = await client.send(
      new GetItemCommand({ TableName: table_name, Key: { pk: { S: 'x' }, sk: { S: name } } }),
    );
    expect(Item?.['sk']).toEqual({ S: name });
  }
});

test('TTL scans in limited pages, because the engine loads each page into memory', async () => {
  const { table_name, ledger } = await startTable();
  const asking = new DynamoDBClient(engine);
  onTestFinished(() => asking.destroy());
  const { requests, instrument } = watchRequests();
  instrument(asking);
  for (let at = 0; at < 24; at += 1) {
    const page = Array.from({ length: 25 }, (_, item) => ({
      PutRequest: {
        Item: { pk: { S: 'x' }, sk: { S: `${at}-${item}` }, ttl: { N: String(Date.UTC(2026, 9, 1) / 1000) } },
      },
    }));
    await client.send(new BatchWriteItemCommand({ RequestItems: { [table_name]: page } }));
  }
  const deleter = startTtl({ table_name, ledger, client: asking });
  await deleter.runOnce();
  const scans = requests.filter(({ command }) => command === 'ScanCommand');
  expect(scans.map(({ input }) => input['Limit'])).toEqual([500, 500]);
  const { Items } = await client.send(new ScanCommand({ TableName: table_name, Limit: 2 }));
  expect(Items?.map(({ pk }) => pk?.S)).toEqual([]);
});

test('a later delete of an item that TTL deleted before has no TTL mark', async () => {
  const { table_name, ledger, delivered } = await startTable();
  const deleter = startTtl({ table_name, ledger });
  await putExpiring(table_name, 'again', Date.UTC(2026, 9, 1) / 1000);
  await deleter.runOnce();
  await putExpiring(table_name, 'again', Date.UTC(2026, 9, 1) / 1000);
  await client.send(new DeleteItemCommand({ TableName: table_name, Key: { pk: { S: 'x' }, sk: { S: 'again' } } }));

  await expect.poll(() => delivered).toHaveLength(4);
  expect(delivered.map(({ eventName, userIdentity }) => [eventName, userIdentity?.type])).toEqual([
    ['INSERT', undefined],
    ['REMOVE', 'Service'],
    ['INSERT', undefined],
    ['REMOVE', undefined],
  ]);
});

const put = (table_name: string, name: string, count: number) =>
  client.send(
    new PutItemCommand({
      TableName: table_name,
      Item: { pk: { S: name }, sk: { S: name }, count: { N: String(count) } },
    }),
  );

test('a delayed item delays no other queue, and items stay in order', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const arrived: string[] = [];
  const parallelizationFactor = 4;
  const { table_name } = await startTable(
    async ({ Records }) => {
      if (Records.some(({ dynamodb }) => dynamodb?.Keys?.['pk']?.S === 'held')) await released;
      arrived.push(
        ...Records.map(({ dynamodb }) => `${dynamodb?.Keys?.['pk']?.S} ${dynamodb?.NewImage?.['count']?.N}`),
      );
    },
    { parallelizationFactor },
  );
  const queue = (name: string) => queueOf({ pk: { S: name }, sk: { S: name } }, parallelizationFactor);
  const names = Array.from({ length: 12 }, (_, index) => `item-${index}`);
  const free = names.filter((name) => queue(name) !== queue('held'));
  expect(new Set(free.map(queue)).size).toBe(parallelizationFactor - 1);
  await put(table_name, 'held', 0);
  for (const count of [1, 2, 3]) for (const name of names) await put(table_name, name, count);
  await expect.poll(() => arrived).toHaveLength(free.length * 3);
  release();
  await expect.poll(() => arrived).toHaveLength(1 + names.length * 3);
  for (const name of names) {
    expect(arrived.filter((each) => each.startsWith(`${name} `))).toEqual([1, 2, 3].map((count) => `${name} ${count}`));
  }
});

test('each consumer gets every record with its TTL mark, whatever another consumer does', async () => {
  const poison: string[] = [];
  const failing: StreamConsumer = {
    isWanted: ({ eventName }) => eventName === 'REMOVE',
    handler: async ({ Records }) => {
      throw new Error(Records.map(({ userIdentity }) => userIdentity?.principalId).join());
    },
    onPoison: (_, error) => poison.push(String(error)),
    triesMax: 2,
    retryAfterMs: 1,
  };
  const { table_name, ledger, delivered } = await startTable(undefined, { others: [failing] });
  const deleter = startTtl({ table_name, ledger });
  await putExpiring(table_name, 'soon', now / 1000 - 60);
  await deleter.runOnce();
  await expect.poll(() => delivered).toHaveLength(2);
  await expect.poll(() => poison).toEqual(['Error: dynamodb.amazonaws.com']);
  expect(delivered[1]?.userIdentity?.principalId).toBe('dynamodb.amazonaws.com');
});
