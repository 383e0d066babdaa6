import { isDeepStrictEqual } from 'node:util';
import { type DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { toTimestamp } from '../../domain/time.ts';
import { decode, encode } from '../codec.ts';
import { changeTo } from '../expressions.ts';
import { type Item, type Key, keyOf, keys } from '../keys.ts';
import { sendWithSdk } from '../sdk-requests.ts';
import { Table } from '../table.ts';
import { update, type Write } from '../writes.ts';

export interface MigrationReport {
  name: string;
  /**
   * The outcome of a migration run.
   *
   * - `open`: the next run examines the table again.
   * - `not finished`: the run should have finished the migration, but could not read an item.
   * - `would change`: a dry run.
   */
  outcome: 'open' | 'finished' | 'not finished' | 'finished before' | 'would change';
  seen: number;
  changed: number;
  unreadable: number;
}

export interface UnreadableItem extends Key {
  migration: string;
  reason: string;
}

interface MigrationOptions {
  table_name: string;
  /** If true, the run only counts the items that the migration would change. */
  isDryRun: boolean;
  /**
   * If true, the run examines every item and marks the migration as finished. The operator sets it after the previous
   * release has stopped running.
   */
  isFinishing: boolean;
  clock: () => number;
  onUnreadable: (item: UnreadableItem) => void;
  /** The number of items that one request reads. */
  pageSize?: number;
}

/** The stored progress of a migration. After an interruption, the next run continues after the key `after`. */
const progressRecord = z.object({
  seen: z.int(),
  changed: z.int(),
  unreadable: z.int(),
  is_finishing: z.boolean(),
  after: z.object({ pk: z.string(), sk: z.string() }).optional(),
  finished_at: z.string().optional(),
});
type Progress = z.infer<typeof progressRecord>;

const itemsAtOnce = 16;
const putTimeoutMs = 30_000;

/**
 * Runs every unfinished migration, in order. The service can run at the same time. After an interruption, the next run
 * continues at the same item.
 */
export async function runMigrations(
  client: DynamoDBDocumentClient,
  migrations: readonly Migration[],
  options: MigrationOptions,
): Promise<MigrationReport[]> {
  const table = new Table(sendWithSdk(client), options.table_name);
  const reports: MigrationReport[] = [];
  for (const migration of migrations) {
    reports.push(await new MigrationRun(client, table, migration, options).run());
  }
  return reports;
}

class MigrationRun {
  readonly #client: DynamoDBDocumentClient;
  readonly #table: Table;
  readonly #migration: Migration;
  readonly #options: MigrationOptions;

  constructor(client: DynamoDBDocumentClient, table: Table, migration: Migration, options: MigrationOptions) {
    this.#client = client;
    this.#table = table;
    this.#migration = migration;
    this.#options = options;
  }

  async run(): Promise<MigrationReport> {
    const { isFinishing, isDryRun, clock } = this.#options;
    const { name } = this.#migration;
    const stored = decode(progressRecord, await this.#table.get(keys.migration(name)));
    if (stored?.finished_at !== undefined) {
      return { name, outcome: 'finished before', seen: 0, changed: 0, unreadable: 0 };
    }
    // A finishing run starts at the beginning of the table and does not continue an ordinary run. Since the ordinary
    // run, the previous release may have written items in the part that was examined.
    const continues = !isDryRun && stored?.after !== undefined && stored.is_finishing === isFinishing;
    const begun = continues ? stored : { seen: 0, changed: 0, unreadable: 0, is_finishing: isFinishing };
    const { seen, changed, unreadable } = await this.#examineTable(begun);
    const report = { name, seen, changed, unreadable };
    if (isDryRun) return { ...report, outcome: 'would change' };
    const isFinished = isFinishing && unreadable === 0;
    const progress = { seen, changed, unreadable, is_finishing: isFinishing };
    await this.#store(isFinished ? { ...progress, finished_at: toTimestamp(clock()) } : progress);
    return { ...report, outcome: isFinished ? 'finished' : isFinishing ? 'not finished' : 'open' };
  }

  async #examineTable(begun: Progress): Promise<Progress> {
    let { after, ...progress } = begun;
    do {
      const { Items = [], LastEvaluatedKey } = await this.#client.send(this.#scan(after));
      after = progressRecord.shape.after.parse(LastEvaluatedKey);
      progress = await this.#examinePage(Items, progress);
      if (!this.#options.isDryRun) await this.#store(after === undefined ? progress : { ...progress, after });
    } while (after !== undefined);
    return progress;
  }

  /**
   * Creates the scan of the table for a migration. An ordinary run reads only items of earlier schema versions; a
   * finishing run reads all items.
   */
  #scan(after: Key | undefined): ScanCommand {
    const { entities, schema } = this.#migration;
    const { table_name: TableName, isFinishing, pageSize: Limit = 500 } = this.#options;
    const ofEntities = `#entity IN (${entities.map((_, index) => `:entity${index}`).join(', ')})`;
    return new ScanCommand({
      ...{ TableName, Limit, ConsistentRead: true, ExclusiveStartKey: after },
      FilterExpression: isFinishing ? ofEntities : `${ofEntities} AND #schema < :schema`,
      ExpressionAttributeNames: { '#entity': 'entity', ...(isFinishing ? {} : { '#schema': 'schema' }) },
      ExpressionAttributeValues: {
        ...Object.fromEntries(entities.map((entity, index) => [`:entity${index}`, entity])),
        ...(isFinishing ? {} : { ':schema': schema }),
      },
    });
  }

  async #examinePage(items: readonly Item[], progress: Progress): Promise<Progress> {
    let { changed, unreadable } = progress;
    const examine = async (item: Item) => {
      try {
        if (await this.#change(item)) changed += 1;
      } catch (error) {
        // If the database fails, the item is not at fault, so the run ends. The next run continues at this item.
        if (isOfDatabase(error)) throw error;
        unreadable += 1;
        const reason = error instanceof Error ? error.message : String(error);
        this.#options.onUnreadable({ migration: this.#migration.name, ...keyOf(item), reason });
      }
    };
    for (let start = 0; start < items.length; start += itemsAtOnce) {
      const results = await Promise.allSettled(items.slice(start, start + itemsAtOnce).map(examine));
      for (const result of results) if (result.status === 'rejected') throw result.reason;
    }
    return { ...progress, seen: progress.seen + items.length, changed, unreadable };
  }

  /**
   * Returns true if the migration changed the item. If a request changed the item first, reads it again and retries.
   */
  async #change(read: Item): Promise<boolean> {
    for (let item: Item | undefined = read; item !== undefined; item = await this.#table.get(keyOf(read))) {
      const from = item;
      const { attributes = {}, further = [] } = await this.#migration.change(from, this.#table);
      const wanted = Object.entries({ ...attributes, schema: this.#migration.schema });
      const changed = wanted.filter(([name, value]) => !isDeepStrictEqual(from[name], value));
      if (changed.length === 0 && further.length === 0) return false;
      if (this.#options.isDryRun) return true;
      const change = changeTo(Object.fromEntries(changed));
      const absent = changed.filter(([name]) => !(name in from)).map(([name]) => [name, undefined]);
      const condition = { equals: { ...from, ...Object.fromEntries(absent) } };
      const isDone =
        further.length === 0
          ? (await this.#table.update(keyOf(from), change, condition)) !== undefined
          : await this.#table.transactIfHolding([update(keyOf(from), change, condition), ...further]);
      if (isDone) return true;
    }
    return false;
  }

  async #store(progress: Progress): Promise<void> {
    const key = keys.migration(this.#migration.name);
    await this.#table.put(encode('migration', progress, { key }), putTimeoutMs);
  }
}

/**
 * Returns true if the error comes from the database: DynamoDB refused the request or could not be reached, or the
 * caller has no credentials.
 */
function isOfDatabase(error: unknown): boolean {
  return (
    error instanceof Error &&
    ('$metadata' in error || 'hostname' in error || 'code' in error || error.name === 'CredentialsProviderError')
  );
}

/**
 * A change of the items that the previous release wrote. A migration can run any number of times, and while both
 * releases are in use.
 */
export interface Migration {
  /**
   * The name of a migration: a number and a text. The table stores the progress under this name, so it must not change
   * after the release.
   */
  name: `${number}-${string}`;
  /** The schema version that the migration gives to the items that it changes. */
  schema: number;
  /** The item types that the migration changes. */
  entities: readonly string[];
  /**
   * Returns the migration's change for this item. If the function throws because it cannot read the item, the run
   * reports the item and continues.
   */
  change(
    item: Item,
    table: Pick<Table, 'get' | 'getMany' | 'partitionPage' | 'listPage'>,
  ): Promise<ItemChange> | ItemChange;
}

/** A migration's change of one item. The runner writes it in one transaction, if the item is unchanged. */
export interface ItemChange {
  /** New values of the item's attributes. An undefined value removes the attribute. */
  attributes?: Readonly<Record<string, unknown>>;
  /** Writes to other items in the same transaction. */
  further?: readonly Write[];
}
