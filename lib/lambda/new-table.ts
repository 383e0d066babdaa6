import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import type { Clock } from '../domain/time.ts';
import { encodeFinished } from '../store/migrations/finished-migrations.ts';
import { releasedMigrations } from '../store/migrations/released.ts';

export interface NewTableServices {
  client: DynamoDBDocumentClient;
  tableName: string;
  clock: Clock;
  /** Sends the answer that CloudFormation waits for. */
  answer(url: string, body: string): Promise<unknown>;
  log(entry: object): void;
}

/** What CloudFormation invokes the function of a custom resource with; it knows more. */
export interface CustomResourceEvent {
  RequestType: string;
  ResponseURL: string;
  StackId: string;
  RequestId: string;
  LogicalResourceId: string;
  ResourceProperties?: { PeopleIssuer?: string };
  /** Of an update. */
  OldResourceProperties?: { PeopleIssuer?: string };
}

/** `open` leaves the migrations to the operator, as after every upgrade. */
export type MigrationsOfNewTable = 'finished' | 'open';

/** Between the making of a table and that of whatever writes to it. */
const newForMs = 3_600_000;

/**
 * Closes every migration of a table that no older release can have written to: it is an hour old at most, and empty. That
 * CloudFormation makes the resource proves nothing, for in a deployment that is upgraded it is new as well.
 */
export async function closeMigrationsOfNewTable({
  client,
  tableName,
  clock,
}: Pick<NewTableServices, 'client' | 'tableName' | 'clock'>): Promise<MigrationsOfNewTable> {
  const { Table: table } = await client.send(new DescribeTableCommand({ TableName: tableName }));
  const madeAt = table?.CreationDateTime?.getTime() ?? 0;
  if (clock() - madeAt > newForMs) return 'open';
  const { Items = [] } = await client.send(new ScanCommand({ TableName: tableName, ConsistentRead: true, Limit: 1 }));
  if (Items.length > 0) return 'open';
  const Item = encodeFinished(releasedMigrations.map(({ name }) => name));
  await client.send(new PutCommand({ TableName: tableName, Item, ConditionExpression: 'attribute_not_exists(pk)' }));
  return 'finished';
}

/**
 * What the deployment tells of the issuer of people, in an output of its stack. An identity is of one issuer: after a switch
 * nobody comes to what they had. That is warned of and not refused, since a refusal would also stop the way back.
 */
function describeIssuer({ ResourceProperties, OldResourceProperties }: CustomResourceEvent): string {
  const issuer = ResourceProperties?.PeopleIssuer ?? '';
  const former = OldResourceProperties?.PeopleIssuer;
  return former === undefined || former === issuer
    ? issuer
    : `WARNING: people signed in by ${former} until now, and by ${issuer} from now on. Nobody comes to the account that they had: restore userIssuer unless that is meant.`;
}

/**
 * Answers CloudFormation in every case: a deployment does not fail for a marker without which all goes on, but for what
 * waits for the operator.
 */
export function createNewTableHandler(services: NewTableServices) {
  return async (event: CustomResourceEvent): Promise<void> => {
    let migrations: MigrationsOfNewTable = 'open';
    try {
      if (event.RequestType === 'Create') migrations = await closeMigrationsOfNewTable(services);
    } catch (failure) {
      const { name, message } = failure instanceof Error ? failure : new Error(String(failure));
      services.log({ level: 'ERROR', error: name, message });
    }
    const { StackId, RequestId, LogicalResourceId } = event;
    const body = { StackId, RequestId, LogicalResourceId, PhysicalResourceId: services.tableName, Status: 'SUCCESS' };
    await services.answer(
      event.ResponseURL,
      JSON.stringify({ ...body, Data: { Migrations: migrations, PeopleIssuer: describeIssuer(event) } }),
    );
  };
}

export function newTableFunction(deployed: () => NewTableServices) {
  const entry = (event: CustomResourceEvent): Promise<void> => createNewTableHandler(deployed())(event);
  return Object.assign(entry, { withServices: createNewTableHandler });
}

export function deployedNewTable(): NewTableServices {
  const { SLUICE_TABLE_NAME: tableName } = z.object({ SLUICE_TABLE_NAME: z.string() }).parse(process.env);
  return {
    client: DynamoDBDocumentClient.from(new DynamoDBClient()),
    tableName,
    clock: Date.now,
    // CloudFormation's URL is signed for a request without a content type.
    answer: (url, body) => fetch(url, { method: 'PUT', headers: { 'content-type': '' }, body }),
    log: (entry) => console.error(JSON.stringify(entry)),
  };
}
