import { type DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import type { RandomSource } from '../../domain/random.ts';
import type { SecretSource } from '../../domain/secrets/secret-versions.ts';
import { toTimestamp } from '../../domain/time.ts';
import { decode, encode } from '../codec.ts';
import { type Key, keys } from '../keys.ts';
import { sendWithSdk } from '../sdk-requests.ts';
import { type Item, Table } from '../table.ts';
import { encodeFinished, finishedRecord } from './finished-migrations.ts';
import { makeChanges } from './item-changes.ts';
import type { Migration, MigrationContext, MigrationPass } from './migration.ts';

export interface MigrationReport {
  name: string;
  /** `open`: the next run looks at everything again. `not finished`: an item could not be read, so it stays open. */
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
  /** Counts what would change, and changes nothing. */
  isDryRun: boolean;
  /** Closes what a whole run, begun for this, leaves right: for when the old release is gone. */
  isFinishing: boolean;
  /** Needed while the table does not say which issuer its people are of. */
  userIssuer?: string | undefined;
  apiKeyMasters?: SecretSource | undefined;
  clock: () => number;
  random: RandomSource;
  onUnreadable: (item: UnreadableItem) => void;
  /** Items that one request reads. */
  pageSize?: number;
}

/** How far a run has come. `after` is the key that the next page starts after; without it the next run is a new one. */
const progressRecord = z.object({
  seen: z.int(),
  changed: z.int(),
  unreadable: z.int().default(0),
  after: z.object({ pk: z.string(), sk: z.string() }).optional(),
  pass: z.enum(['changes', 'finish']).default('changes'),
  is_finishing: z.boolean().default(false),
  run_at: z.string().optional(),
});
type Progress = z.infer<typeof progressRecord>;

/** Items whose changes are under way together. */
const atOnce = 16;

/**
 * Runs every migration that is not finished on this table, in order, while the service goes on. A run that was cut off
 * goes on where it stopped. Items change under conditions, so that what a request writes meanwhile is never lost. An
 * item that a migration cannot read is named and passed over; the migration cannot be finished then.
 */
export async function runMigrations(
  client: DynamoDBDocumentClient,
  migrations: readonly Migration[],
  options: MigrationOptions,
): Promise<MigrationReport[]> {
  const table = new Table(sendWithSdk(client), options.table_name);
  const reports: MigrationReport[] = [];
  for (const migration of migrations) {
    const { names } = decode(finishedRecord, await table.get(keys.finishedMigrations())) ?? { names: [] };
    const isFinished = names.includes(migration.name);
    reports.push(
      isFinished
        ? { name: migration.name, outcome: 'finished before', seen: 0, changed: 0, unreadable: 0 }
        : await new MigrationRun(client, table, migration, options).run(),
    );
  }
  return reports;
}

class MigrationRun {
  readonly #client: DynamoDBDocumentClient;
  readonly #table: Table;
  readonly #migration: Migration;
  readonly #options: MigrationOptions;
  readonly #context: MigrationContext;

  constructor(client: DynamoDBDocumentClient, table: Table, migration: Migration, options: MigrationOptions) {
    this.#client = client;
    this.#table = table;
    this.#migration = migration;
    this.#options = options;
    const { userIssuer, apiKeyMasters, random } = options;
    this.#context = { table, userIssuer, apiKeyMasters, random, now: options.clock() };
  }

  async run(): Promise<MigrationReport> {
    const { name, finish } = this.#migration;
    const { isFinishing, isDryRun } = this.#options;
    let progress = await this.#begin();
    if (progress.pass === 'changes') {
      progress = await this.#pass(this.#migration, progress);
      if (isFinishing && finish !== undefined) progress = { ...progress, pass: 'finish' };
    }
    if (progress.pass === 'finish' && finish !== undefined) progress = await this.#pass(finish, progress);
    const { seen, changed, unreadable } = progress;
    const counts = { name, seen, changed, unreadable };
    if (isDryRun) return { ...counts, outcome: 'would change' };
    await this.#keep({ seen, changed, unreadable, pass: 'changes', is_finishing: false });
    if (!isFinishing) return { ...counts, outcome: 'open' };
    if (unreadable > 0) return { ...counts, outcome: 'not finished' };
    await this.#close();
    return { ...counts, outcome: 'finished' };
  }

  /** A run that closes the migration begins anew: what ran before may have been overtaken by the old release. */
  async #begin(): Promise<Progress> {
    const { isFinishing, isDryRun } = this.#options;
    const stored = decode(progressRecord, await this.#table.get(keys.migration(this.#migration.name)));
    const isCutOff = stored !== undefined && (stored.after !== undefined || stored.pass === 'finish');
    if (!isDryRun && isCutOff && stored.is_finishing === isFinishing) return stored;
    return { seen: 0, changed: 0, unreadable: 0, pass: 'changes', is_finishing: isFinishing };
  }

  async #pass(pass: MigrationPass, begun: Progress): Promise<Progress> {
    const { isDryRun, pageSize = 500 } = this.#options;
    let { after, ...progress } = begun;
    do {
      const { Items = [], LastEvaluatedKey } = await this.#client.send(
        new ScanCommand({
          TableName: this.#options.table_name,
          ConsistentRead: true,
          Limit: pageSize,
          ExclusiveStartKey: after,
          FilterExpression: `#entity IN (${pass.entities.map((_, index) => `:entity${index}`).join(', ')})`,
          ExpressionAttributeNames: { '#entity': 'entity' },
          ExpressionAttributeValues: Object.fromEntries(
            pass.entities.map((entity, index) => [`:entity${index}`, entity]),
          ),
        }),
      );
      after = progressRecord.shape.after.parse(LastEvaluatedKey);
      progress = await this.#page(pass, Items, progress);
      if (!isDryRun) await this.#keep(after === undefined ? progress : { ...progress, after });
    } while (after !== undefined);
    return progress;
  }

  async #page(pass: MigrationPass, items: readonly Item[], progress: Progress): Promise<Progress> {
    let { changed, unreadable } = progress;
    const ask = async (item: Item) => {
      try {
        if (await this.#change(pass, item)) changed += 1;
      } catch (error) {
        // A refusal or an outage of the database is no item's fault: the run ends, and goes on from here.
        if (isOfDatabase(error)) throw error;
        unreadable += 1;
        this.#options.onUnreadable({
          migration: this.#migration.name,
          pk: String(item['pk']),
          sk: String(item['sk']),
          reason: error instanceof Error ? error.message : String(error),
        });
      }
    };
    for (let start = 0; start < items.length; start += atOnce) {
      const results = await Promise.allSettled(items.slice(start, start + atOnce).map(ask));
      for (const one of results) if (one.status === 'rejected') throw one.reason;
    }
    return { ...progress, seen: progress.seen + items.length, changed, unreadable };
  }

  /** Whether anything changed. When a request was faster, what it wrote is looked at again. */
  async #change(pass: MigrationPass, read: Item): Promise<boolean> {
    let isChanged = false;
    for (let item: Item | undefined = read; item !== undefined; ) {
      let isOvertaken = false;
      for await (const changes of pass.changes(item, this.#context)) {
        if (this.#options.isDryRun) return true;
        if (await makeChanges(this.#table, changes)) {
          isChanged = true;
          continue;
        }
        isOvertaken = true;
        break;
      }
      if (!isOvertaken) break;
      item = await this.#table.get({ pk: String(read['pk']), sk: String(read['sk']) });
    }
    return isChanged;
  }

  async #keep(progress: Progress): Promise<void> {
    const { name } = this.#migration;
    const Item = { ...progress, run_at: toTimestamp(this.#context.now) };
    await this.#table.put(encode('migration', Item, { key: keys.migration(name) }), keepMs);
  }

  async #close(): Promise<void> {
    for (let isClosed = false; !isClosed; ) {
      const { names } = decode(finishedRecord, await this.#table.get(keys.finishedMigrations())) ?? {};
      const { pk, sk, ...set } = encodeFinished([...new Set([...(names ?? []), this.#migration.name])]);
      isClosed = (await this.#table.update({ pk, sk }, { set }, { equalsOrAbsent: { names } })) !== undefined;
    }
  }
}

const keepMs = 30_000;

/** Refused by it, not reached, or without credentials. */
function isOfDatabase(error: unknown): boolean {
  return (
    error instanceof Error &&
    ('$metadata' in error || 'hostname' in error || 'code' in error || error.name === 'CredentialsProviderError')
  );
}
