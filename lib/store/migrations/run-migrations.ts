import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, PutCommand, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { toTimestamp } from '../../domain/time.ts';
import { decode, encode } from '../codec.ts';
import { buildExpressions } from '../expressions.ts';
import { keys } from '../keys.ts';
import type { Item } from '../table.ts';
import type { Migration } from './migration.ts';

export interface MigrationReport {
  name: string;
  outcome: 'done' | 'done before' | 'would change';
  seen: number;
  changed: number;
}

interface MigrationOptions {
  table_name: string;
  /** Counts what would change, and changes nothing. */
  isDryRun: boolean;
  now: () => number;
  /** Items that one request reads. */
  pageSize?: number;
}

/** How far a migration has come. `after` is the key that the next page starts after. */
const progressRecord = z.object({
  seen: z.int(),
  changed: z.int(),
  after: z.object({ pk: z.string(), sk: z.string() }).optional(),
  done_at: z.string().optional(),
});
type Progress = z.infer<typeof progressRecord>;

/**
 * Runs what has not been run yet on this table, in order, while the service goes on. A run that was cut off goes on
 * where it stopped. Items change under conditions, so that what a request writes meanwhile is never lost.
 */
export async function runMigrations(
  client: DynamoDBDocumentClient,
  migrations: readonly Migration[],
  options: MigrationOptions,
): Promise<MigrationReport[]> {
  const reports: MigrationReport[] = [];
  for (const migration of migrations) reports.push(await runMigration(client, migration, options));
  return reports;
}

async function runMigration(
  client: DynamoDBDocumentClient,
  { name, entities, changes }: Migration,
  { table_name: TableName, isDryRun, now, pageSize = 500 }: MigrationOptions,
): Promise<MigrationReport> {
  const progressKey = keys.migration(name);
  const kept = await client.send(new GetCommand({ TableName, Key: progressKey, ConsistentRead: true }));
  let progress: Progress = decode(progressRecord, kept.Item) ?? { seen: 0, changed: 0 };
  if (progress.done_at !== undefined) return { name, outcome: 'done before', ...countsOf(progress) };

  do {
    const { Items = [], LastEvaluatedKey } = await client.send(
      new ScanCommand({
        TableName,
        Limit: pageSize,
        ExclusiveStartKey: progress.after,
        FilterExpression: `#entity IN (${entities.map((_, index) => `:entity${index}`).join(', ')})`,
        ExpressionAttributeNames: { '#entity': 'entity' },
        ExpressionAttributeValues: Object.fromEntries(entities.map((entity, index) => [`:entity${index}`, entity])),
      }),
    );
    let { changed } = progress;
    for (const item of Items) {
      const isChanged = isDryRun
        ? Object.keys(changes(item)).length > 0
        : await change(client, TableName, item, changes);
      if (isChanged) changed += 1;
    }
    const after = progressRecord.shape.after.parse(LastEvaluatedKey);
    progress = { seen: progress.seen + Items.length, changed, ...(after === undefined ? {} : { after }) };
    if (after === undefined) progress.done_at = toTimestamp(now());
    if (!isDryRun) {
      const Item = encode('migration', progress, { key: progressKey });
      await client.send(new PutCommand({ TableName, Item }));
    }
  } while (progress.done_at === undefined);
  return { name, outcome: isDryRun ? 'would change' : 'done', ...countsOf(progress) };
}

function countsOf({ seen, changed }: Progress) {
  return { seen, changed };
}

/** Changes the item as it is by then: when a request was faster, what it wrote is looked at again. */
async function change(
  client: DynamoDBDocumentClient,
  TableName: string,
  read: Item,
  changes: Migration['changes'],
): Promise<boolean> {
  const Key = { pk: read['pk'], sk: read['sk'] };
  for (let item: Item | undefined = read; item !== undefined; ) {
    const wanted = Object.entries(changes(item));
    if (wanted.length === 0) return false;
    try {
      await client.send(new UpdateCommand({ TableName, Key, ...updateOf(item, wanted) }));
      return true;
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      ({ Item: item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true })));
    }
  }
  return false;
}

/** The whole item must be as it was read, since what is to change follows from all of it. */
function updateOf(item: Item, wanted: readonly [string, unknown][]) {
  const absent = wanted.filter(([name]) => !(name in item)).map(([name]) => [name, undefined]);
  return buildExpressions(
    { equalsOrAbsent: { ...item, ...Object.fromEntries(absent) } },
    {
      set: Object.fromEntries(wanted.filter(([, value]) => value !== undefined)),
      remove: wanted.filter(([, value]) => value === undefined).map(([name]) => name),
    },
  );
}
