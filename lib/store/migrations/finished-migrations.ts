import * as z from 'zod';
import { limits } from '../../domain/limits.ts';
import type { Clock } from '../../domain/time.ts';
import { decode, encode } from '../codec.ts';
import { type Key, keys } from '../keys.ts';
import type { Item, Table } from '../table.ts';
import type { Migration } from './migration.ts';

/** What the operator has closed, in one item, so that who asks for one knows them all. */
export const finishedRecord = z.object({ names: z.array(z.string()) });

export function encodeFinished(names: readonly string[]): Item & Key {
  const key = keys.finishedMigrations();
  return { ...encode('finished_migrations', { names: [...names] }, { key }), ...key };
}

/**
 * Whether a migration is finished: no release that wrote items in the former shape runs any more, and none is left. What is
 * finished stays so and is remembered; of what is not, the table is read at most every ten seconds, in one read.
 * Rejects when the table cannot be read.
 */
export class FinishedMigrations {
  readonly #table: Pick<Table, 'get'>;
  readonly #clock: Clock;
  #known: { names: Promise<ReadonlySet<string>>; readAt: number } | undefined;

  constructor(table: Pick<Table, 'get'>, clock: Clock) {
    this.#table = table;
    this.#clock = clock;
  }

  async isFinished({ name }: Pick<Migration, 'name'>): Promise<boolean> {
    const known = this.#known;
    if (known !== undefined && (await known.names.catch(() => undefined))?.has(name)) return true;
    const now = this.#clock();
    if (known !== undefined && now - known.readAt <= limits.unfinishedMigrationsAgeMaxSeconds * 1000) {
      return (await known.names).has(name);
    }
    const read = { names: this.#read(), readAt: now };
    this.#known = read;
    try {
      return (await read.names).has(name);
    } catch (error) {
      // What is known to be finished is not forgotten for a read that failed.
      if (this.#known === read) this.#known = known;
      throw error;
    }
  }

  async #read(): Promise<ReadonlySet<string>> {
    return new Set(decode(finishedRecord, await this.#table.get(keys.finishedMigrations()))?.names);
  }
}
