import type { DuckDBConnection } from '@duckdb/node-api';
import { limits } from '../domain/limits.ts';
import type { UsageRecord, UsageScope } from '../domain/usage/usage.ts';
import { type CountTable, countTables, sumCounts } from './count-day.ts';
import { list, type Row, rows, text } from './sql.ts';

/** The Parquet file with the counts of each table. */
export type CountFiles = Readonly<Record<CountTable, string>>;

/** Writes the tables of usage counts to Parquet files. */
export async function writeCounts(database: DuckDBConnection, files: CountFiles): Promise<void> {
  for (const [table, file] of Object.entries(files)) {
    await database.run(`COPY (FROM ${table} ORDER BY ALL) TO ${text(file)} (FORMAT parquet, COMPRESSION zstd)`);
  }
}

/** Reads the usage counts of several shards or days, and replaces the tables by their sums. */
export async function addCounts(database: DuckDBConnection, parts: readonly CountFiles[]): Promise<void> {
  await sumCounts(database, (table) => `read_parquet(${list(parts.map((part) => part[table]))})`);
}

/** Combines a repository's countries with few visitors into one row, so that the counts do not identify a visitor. */
export async function hideSmallCountries(database: DuckDBConnection): Promise<void> {
  await database.run(`CREATE OR REPLACE TABLE countries AS
    SELECT repository_uid, owner, CASE WHEN visitors < ${limits.usageCountryVisitorsMin} THEN 'other' ELSE country END AS country,
      sum(downloads)::BIGINT AS downloads, sum(visitors)::BIGINT AS visitors
    FROM countries GROUP BY ALL`);
}

export interface ScopedUsage {
  scope: UsageScope;
  record: UsageRecord;
}

/**
 * Returns one usage record for each repository with reads, for each account that owns such a repository, and for the
 * service.
 */
export async function* summarize(
  database: DuckDBConnection,
  period: string,
  is_final: boolean,
): AsyncGenerator<ScopedUsage> {
  const record = (counts: Row[], countries: Row[], files: Row[]): UsageRecord => ({
    period,
    is_final,
    clients: Object.fromEntries(counts.map(({ kind, ...values }) => [kind, values])) as UsageRecord['clients'],
    countries: countries as UsageRecord['countries'],
    files: files as UsageRecord['files'],
  });
  yield* byScope('repository_uid', (repository_uid) => ({ repository_uid }));
  yield* byScope('owner', (account_id) => ({ account_id }));
  yield* byScope(undefined, () => 'service');

  async function* byScope(column: 'repository_uid' | 'owner' | undefined, scopeOf: (id: string) => UsageScope) {
    const id = column ?? "''";
    const counts = grouped(await rows(database, clientsSql(id)));
    const countries = grouped(await rows(database, countriesSql(id)));
    const files = column === 'repository_uid' ? grouped(await rows(database, topFilesSql)) : new Map<string, Row[]>();
    for (const [scoped, found] of counts) {
      yield { scope: scopeOf(scoped), record: record(found, countries.get(scoped) ?? [], files.get(scoped) ?? []) };
    }
  }
}

const clientsSql = (id: string) => `SELECT ${id} AS id, kind,
    ${countTables.clients.sums.map((field) => `sum(${field})::BIGINT AS ${field}`).join(', ')}
  FROM clients GROUP BY ALL ORDER BY id, kind`;

const countriesSql = (id: string) => `SELECT ${id} AS id, country,
    sum(downloads)::BIGINT AS downloads, sum(visitors)::BIGINT AS visitors
  FROM countries GROUP BY ALL ORDER BY id, downloads DESC, country`;

const topFilesSql = `SELECT repository_uid AS id, path, requests, downloads, bytes FROM files
  QUALIFY row_number() OVER (PARTITION BY repository_uid ORDER BY downloads DESC, bytes DESC, path) <= ${limits.usageFilesMax}
  ORDER BY id, downloads DESC, bytes DESC, path`;

/** Groups rows by their field `id`, and removes this field from them. */
function grouped(found: readonly Row[]): Map<string, Row[]> {
  const groups = [...Map.groupBy(found, ({ id }) => String(id))];
  return new Map(groups.map(([id, ofId]) => [id, ofId.map(({ id: _, ...row }) => row)]));
}
