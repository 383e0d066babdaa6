import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createTableRequests } from '../lambda/aws/dynamodb.ts';
import { Table } from '../store/table.ts';
import type { SendTableRequest } from '../store/table-requests.ts';
import type { DynamoDbEndpoint } from './dynamodb/engine.ts';

/** The part of the AWS SDK's client that tests may add middleware to. */
export type Instrumented = Pick<DynamoDBClient, 'middlewareStack'>;

/** Opens the table with the same lightweight client that edge functions use in a deployment. */
export function openEdgeTable(
  { endpoint, region, credentials }: DynamoDbEndpoint,
  tableName: string,
  instrument: ((client: Instrumented) => void) | undefined,
): { table: Table; close(): void } {
  const signing = { access_key_id: credentials.accessKeyId, secret_access_key: credentials.secretAccessKey };
  const requests = createTableRequests({ endpoint, region, credentials: () => signing });
  const send = instrument === undefined ? requests.send : instrumented(requests.send, instrument);
  return { table: new Table(send, tableName), close: () => requests.close() };
}

type Handler = (args: { input: object }) => Promise<{ output: object }>;
type Middleware = (next: Handler, context: { commandName: string }) => Handler;

/** Runs middleware written for the first step of the AWS SDK around each request. */
function instrumented(send: SendTableRequest, instrument: (client: Instrumented) => void): SendTableRequest {
  const middlewares: Middleware[] = [];
  const stack = { add: (middleware: Middleware) => void middlewares.push(middleware) };
  instrument({ middlewareStack: stack as unknown as Instrumented['middlewareStack'] });
  return async (name, input, abortSignal) => {
    const innermost: Handler = async (args) => ({ output: await send(name, args.input as typeof input, abortSignal) });
    const run = middlewares.reduceRight(
      (next, middleware) => middleware(next, { commandName: `${name}Command` }),
      innermost,
    );
    return (await run({ input })).output;
  };
}
