import { randomUUID } from 'node:crypto';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import type { SendTableRequest, TableRequests } from '../../store/table-requests.ts';
import { createAwsJsonService } from './json-service.ts';
import type { AwsServiceOptions } from './service.ts';

/** Creates a small DynamoDB client. It behaves like the SDK's document client. */
export function createTableRequests(options: AwsServiceOptions): { send: SendTableRequest; close(): void } {
  const service = createAwsJsonService({ name: 'dynamodb', target: 'DynamoDB_20120810', version: '1.0' }, options);
  return {
    async send(name, input, abortSignal) {
      const answer = await service.call(name, marshalled(input, name === 'TransactWriteItems'), abortSignal);
      return unmarshalled(answer as MarshalledAnswer);
    },
    close: () => service.close(),
  };
}

// Binary attributes are not supported, because the items that the edge reads have none.
type AttributeMap = Record<string, AttributeValue>;
const marshallMap = (record: object): AttributeMap => marshall(record, { removeUndefinedValues: true });
const unmarshallMap = (map: AttributeMap): Record<string, unknown> => unmarshall(map);

/** The fields of a request that contain items. The parts of a transaction have the same fields. */
type Input = Partial<
  TableRequests['GetItem'] &
    TableRequests['PutItem'] &
    TableRequests['Query'] &
    TableRequests['BatchGetItem'] &
    TableRequests['TransactWriteItems']
>;

function marshalled(input: Input, isTransaction = false): object {
  const { Key, Item, ExpressionAttributeValues, ExclusiveStartKey, RequestItems, TransactItems } = input;
  return {
    ...input,
    ...(Key && { Key: marshallMap(Key) }),
    ...(Item && { Item: marshallMap(Item) }),
    ...(ExpressionAttributeValues && { ExpressionAttributeValues: marshallMap(ExpressionAttributeValues) }),
    ...(ExclusiveStartKey && { ExclusiveStartKey: marshallMap(ExclusiveStartKey) }),
    ...(RequestItems && {
      RequestItems: mapValues(RequestItems, (wanted) => ({ ...wanted, Keys: wanted.Keys?.map(marshallMap) })),
    }),
    ...(TransactItems && {
      TransactItems: TransactItems.map((parts) => mapValues(parts, (part) => marshalled(part as Input))),
    }),
    // Adds a token to a transaction. If a response is lost and the client retries, DynamoDB then runs the transaction
    // only once.
    ...(isTransaction && { ClientRequestToken: randomUUID() }),
  };
}

/** The fields of a response that contain items (DynamoDB API reference, response syntax of each operation). */
interface MarshalledAnswer {
  Item?: AttributeMap;
  Attributes?: AttributeMap;
  LastEvaluatedKey?: AttributeMap;
  Items?: AttributeMap[];
  Responses?: Record<string, AttributeMap[]>;
  UnprocessedKeys?: Record<string, { Keys: AttributeMap[] }>;
}

function unmarshalled(answer: MarshalledAnswer) {
  const { Item, Attributes, LastEvaluatedKey, Items, Responses, UnprocessedKeys } = answer;
  return {
    ...answer,
    ...(Item && { Item: unmarshallMap(Item) }),
    ...(Attributes && { Attributes: unmarshallMap(Attributes) }),
    ...(LastEvaluatedKey && { LastEvaluatedKey: unmarshallMap(LastEvaluatedKey) }),
    ...(Items && { Items: Items.map(unmarshallMap) }),
    ...(Responses && { Responses: mapValues(Responses, (items) => items.map(unmarshallMap)) }),
    ...(UnprocessedKeys && {
      UnprocessedKeys: mapValues(UnprocessedKeys, (left) => ({ ...left, Keys: left.Keys.map(unmarshallMap) })),
    }),
  };
}

function mapValues<Value, Made>(record: { [name: string]: Value }, make: (value: Value) => Made): Record<string, Made> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, make(value)]));
}
