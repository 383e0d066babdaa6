import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { afterAll, expect, test } from 'vitest';
import { startStreamDelivery } from '../../../lib/local/dynamodb/stream-delivery.ts';
import { createTable } from '../../../lib/local/dynamodb/table.ts';
import { startTtlDeleter, TtlLedger } from '../../../lib/local/dynamodb/ttl.ts';
import { buildExpressions, type Change, type Condition } from '../../../lib/store/expressions.ts';
import { sendWithSdk } from '../../../lib/store/sdk-requests.ts';
import { cancellationCodes, type SendTableRequest, type TableRequests } from '../../../lib/store/table-requests.ts';
import { tableShape } from '../../../lib/store/table-shape.ts';
import { engineOfThisFile } from '../../service/engine-of-this-file.ts';
import { seededNumbers } from '../../service/seeded-random.ts';
import type { Item } from './expressions.ts';
import { MemoryTable, streamRecordOf } from './memory-table.ts';

const client = new DynamoDBClient({ ...engineOfThisFile(), maxAttempts: 1 });
const streams = new DynamoDBStreamsClient(engineOfThisFile());
afterAll(() => {
  client.destroy();
  streams.destroy();
});

const now = Date.parse('2030-01-01T00:00:00Z');
const seconds = now / 1000;
const [lists, , , names] = tableShape.indexes;
const histories = 6;
const requestsOfHistory = 60;

/** Both tables, and the stream records of the real engine. */
async function tables() {
  const TableName = `test-${randomUUID()}`;
  const { stream_arn } = await createTable(client, { table_name: TableName });
  const records: DynamoDBRecord[] = [];
  const ledger = new TtlLedger();
  const delivery = startStreamDelivery({
    client: streams,
    stream_arn,
    consumers: [{ handler: async ({ Records }) => void records.push(...Records), onPoison: () => undefined }],
    ledger,
    onError: (error) => {
      throw error;
    },
  });
  const documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
  const memory = new MemoryTable();
  const ttl = startTtlDeleter({
    client,
    table_name: TableName,
    clock: () => now,
    ledger,
    everyMs: 1e6,
    onError: () => {},
  });
  return { TableName, memory, records, ttl, delivery, engine: sendWithSdk(documents) };
}

type Request = { [Name in keyof TableRequests]: [Name, TableRequests[Name]] }[keyof TableRequests];

async function outcome(send: SendTableRequest, [name, input]: Request): Promise<unknown> {
  try {
    const { Item, Attributes, Items, LastEvaluatedKey: last, Responses } = await send(name, input);
    // The engine sometimes omits the key of the last item of a table. DynamoDB may also omit it.
    const rest =
      last === undefined
        ? undefined
        : (await send('Query', { ...(input as TableRequests['Query']), ExclusiveStartKey: last })).Items;
    const found = Object.values(Responses ?? {}).map((items) =>
      items.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)),
    );
    return { Item, Attributes, Items, found, ...(rest?.length ? { last, rest } : {}) };
  } catch (error) {
    return { error: (error as Error).name, reasons: cancellationCodes(error) };
  }
}

const nameOf = ({ pk, sk }: Item) => `${pk} ${sk}`;

const keyOf = (part: Record<string, unknown>) => {
  const [request = {}] = Object.values(part) as { Key?: Item; Item?: Item }[];
  return nameOf(request.Key ?? request.Item ?? {});
};

/**
 * Generates requests in the form that the store sends. Only few keys and values exist, so that many conditions are
 * true.
 */
function generator(label: string, TableName: string) {
  const random = seededNumbers(label);
  const below = (count: number) => Math.floor(random() * count);
  const one = <const T extends readonly unknown[]>(...choices: T): T[number] => choices[below(choices.length)];
  const key = () => ({ pk: one('account#a', 'account#b', 'account#é'), sk: one('1', '2', '3') });
  const version = () => below(3);
  const text = () => one('a', 'b', 'ab', '\u{10000}', '\uffff');
  const maybe = <T>(value: T): T | undefined => (below(3) === 0 ? value : undefined);
  const item = (): Item => ({
    ...key(),
    version: version(),
    state: maybe(text()),
    data: maybe({ inner: version(), list: [text(), { deep: null }] }),
    ttl: maybe(one(seconds - 10, seconds, seconds + 10, seconds - 6 * 365 * 24 * 3600)),
    nothing: maybe(null),
    yes: maybe(true),
    ...(below(2) === 0 ? { list_pk: one('list#a', 'list#b'), list_sk: `${text()}${random()}` } : {}),
    ...(below(2) === 0 ? { name_pk: one('list#a', 'list#b'), name_sk: `${text()}${random()}`, uid: text() } : {}),
  });
  const attribute = () => one('version', 'state', 'data.inner', 'nothing', 'missing');
  const operand = (name: string) => one<unknown[]>(version(), text(), name === 'nothing' ? null : undefined);
  const operands = <T>(value: (name: string) => T) => {
    const name = attribute();
    return { [name]: value(name) };
  };
  const condition = (): Condition | undefined =>
    one<(() => Condition | undefined)[]>(
      () => undefined,
      () => ({ exists: one(true, false) }),
      () => ({ equals: operands(operand) }),
      () => ({ lessThan: operands(version), greaterThan: operands(version) }),
      () => ({ absentOrLessThan: operands(() => one<(number | string)[]>(version(), text())) }),
      () => ({ absentOrEquals: operands(operand), exists: one(true, false, true) }),
      () => ({ absentOrNot: operands(operand) }),
      () => ({ noItemOrOther: operands(operand) }),
    )();
  const change = (): Change =>
    one<(() => Change)[]>(
      () => ({ set: { version: version(), entity: 'thing' } }),
      () => ({ set: { 'data.inner': version(), state: text() } }),
      () => ({ add: { [one('version', 'state', 'added')]: version() }, set: { yes: false } }),
      () => ({ remove: [one('state', 'data.inner', 'list_pk', 'missing')], set: { version: version() } }),
    )();
  const written = (): Record<string, unknown> =>
    one(
      () => ({ Put: { TableName, Item: item(), ...buildExpressions(condition(), undefined) } }),
      () => ({ Update: { TableName, Key: key(), ...buildExpressions(condition(), change()) } }),
      () => ({ Delete: { TableName, Key: key(), ...buildExpressions(condition(), undefined) } }),
      () => ({
        ConditionCheck: { TableName, Key: key(), ...buildExpressions(condition() ?? { exists: true }, undefined) },
      }),
    )();
  const query = (): TableRequests['Query'] => {
    const index = one(undefined, lists, names);
    const [pk, sk] = index === undefined ? ['pk', 'sk'] : [index.partitionKey, index.sortKey];
    const range = one('', ' AND #sk >= :from', ' AND #sk BETWEEN :from AND :to');
    return {
      TableName,
      ...(index === undefined ? { ConsistentRead: true } : { IndexName: index.name }),
      KeyConditionExpression: `#pk = :pk${range}`,
      ExpressionAttributeNames: { '#pk': pk, ...(range === '' ? {} : { '#sk': sk }) },
      ExpressionAttributeValues: {
        ':pk': index === undefined ? key().pk : one('list#a', 'list#b'),
        ...(range === '' ? {} : { ':from': one('', 'a', '2') || 'a' }),
        ...(range.includes(':to') ? { ':to': one('b', '3', '~') } : {}),
      },
      ScanIndexForward: one(true, false),
      Limit: one(1, 2, 100),
    };
  };
  const projection = {
    ProjectionExpression: '#a0,#a1,#a2',
    ExpressionAttributeNames: { '#a0': 'pk', '#a1': 'sk', '#a2': 'version' },
  };
  return (): Request => {
    switch (below(8)) {
      case 0:
        return ['GetItem', { TableName, Key: key(), ConsistentRead: true }];
      case 1: {
        const Keys = [...new Map([key(), key()].map((one) => [nameOf(one), one])).values()];
        return [
          'BatchGetItem',
          { RequestItems: { [TableName]: { Keys, ConsistentRead: true, ...one({}, projection) } } },
        ];
      }
      case 2:
        return ['Query', query()];
      case 3: {
        const written = buildExpressions(condition(), change());
        return ['UpdateItem', { TableName, Key: key(), ReturnValues: 'ALL_NEW', ...written }];
      }
      case 4:
        return ['PutItem', { TableName, Item: item(), ...buildExpressions(condition(), undefined) }];
      case 5:
        return ['DeleteItem', { TableName, Key: key(), ...buildExpressions(condition(), undefined) }];
      case 6: {
        const twice = { Put: { TableName, Item: item() } };
        return ['TransactWriteItems', { TransactItems: [twice, ...one([], [twice])] }];
      }
      default: {
        const parts = Array.from({ length: 1 + below(3) }, written);
        return [
          'TransactWriteItems',
          { TransactItems: [...new Map(parts.map((part) => [keyOf(part), part])).values()] },
        ];
      }
    }
  };
}

/** Records without the fields that the engine and the memory table number differently. */
function comparable(records: readonly DynamoDBRecord[]) {
  return records.map(({ eventName, userIdentity, dynamodb = {} }) => ({
    eventName,
    userIdentity,
    Keys: dynamodb.Keys,
    OldImage: dynamodb.OldImage,
    NewImage: dynamodb.NewImage,
  }));
}

test('the memory table answers and streams as the real engine in random histories', async () => {
  const seen = new Set<string>();
  for (let history = 0; history < histories; history += 1) {
    const { TableName, memory, engine, records, ttl, delivery } = await tables();
    const next = generator(`memory table ${history}`, TableName);
    for (let step = 0; step < requestsOfHistory; step += 1) {
      const request = next();
      const [real, simulated] = [
        await outcome(engine, request),
        await outcome(
          memory.sender(() => now),
          request,
        ),
      ];
      expect(simulated, `history ${history}, step ${step}: ${JSON.stringify(request)}`).toEqual(real);
      const { error = '', reasons = error } = simulated as { error?: string; reasons?: string[] };
      seen.add(`${request[0]} ${JSON.stringify(reasons)}`);
    }
    const beforeTtl = memory.changes.length;
    delivery.wake();
    await expect.poll(() => records).toHaveLength(beforeTtl);
    await ttl.runOnce();
    delivery.wake();
    memory.deleteExpired(now);
    await expect.poll(() => records).toHaveLength(memory.changes.length);
    const ordered = comparable(memory.changes.map(streamRecordOf));
    expect(comparable(records).slice(0, beforeTtl)).toEqual(ordered.slice(0, beforeTtl));
    // TTL deletes expired items in any order.
    const keyText = ({ Keys }: (typeof ordered)[number]) => `${Keys?.['pk']?.S} ${Keys?.['sk']?.S}`;
    const byKey = (list: typeof ordered) => new Map(list.slice(beforeTtl).map((record) => [keyText(record), record]));
    expect(byKey(comparable(records))).toEqual(byKey(ordered));
    await Promise.all([delivery.close(), ttl.close()]);
  }
  // The generated requests must include failures, because otherwise the comparison covers little.
  expect([...seen]).toEqual(
    expect.arrayContaining([
      'UpdateItem "ConditionalCheckFailedException"',
      'UpdateItem "ValidationException"',
      'DeleteItem "ConditionalCheckFailedException"',
      'TransactWriteItems ["ConditionalCheckFailed","None"]',
      'TransactWriteItems "ValidationException"',
    ]),
  );
});
