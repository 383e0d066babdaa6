import type { DuckDBConnection } from '@duckdb/node-api';
import { clientKinds } from '../domain/usage/client-kinds.ts';
import { type CountedRepository, type RepositoryName, usageFields } from '../domain/usage/usage.ts';
import { clientKindSql } from './client-kinds.ts';
import { list, rows, text } from './sql.ts';

/** The longest gap between reads of one file by one visitor that count as one download. */
const downloadGapSeconds = 30 * 60;
/**
 * Requests of a visitor for one file within this time are double clicks and count once (COUNTER Code of Practice 5.1,
 * section 7.2).
 */
const doubleClickSeconds = 30;

export interface DayInput {
  /** The day in UTC, such as `2026-11-28`. Log lines of other days are ignored. */
  day: string;
  /** Parquet files with the columns `loggedColumns`. A line may be in several files. */
  files: readonly string[];
  /** The host below which virtual-host requests name their account. */
  virtualHostBase?: string | undefined;
  findRepositories: FindRepositories;
  /**
   * The number of reads that are counted in one step. If they do not fit into memory, each read takes more time.
   * @default 8 million
   */
  readsAtOnce?: number;
}

/** Returns the repository for each name, in the order of the names. Undefined for a name without a repository. */
export type FindRepositories = (
  names: readonly RepositoryName[],
) => Promise<readonly (CountedRepository | undefined)[]>;

/**
 * The tables of results that `countDay` creates, with their grouping columns and summed columns. For example,
 * `countries` has one row for each repository and country.
 */
export const countTables = {
  clients: { by: ['repository_uid', 'owner', 'kind'], sums: usageFields },
  countries: { by: ['repository_uid', 'owner', 'country'], sums: ['downloads', 'visitors'] },
  files: { by: ['repository_uid', 'path'], sums: ['requests', 'downloads', 'bytes'] },
} as const;
export type CountTable = keyof typeof countTables;

/**
 * Counts the reads of one day into the tables `countTables` of the database. The result depends only on the set of log
 * lines, not on their order, on their files, or on repeated lines.
 */
export async function countDay(database: DuckDBConnection, input: DayInput): Promise<void> {
  await database.run(agentsSql(input));
  await database.run(stemsSql(input));
  await storeRepositories(database, input);
  for (const sql of [objectsSql, readsSql(input)]) await database.run(sql);
  await countReads(database, input);
  for (const table of ['counted', 'reads', 'objects', 'repositories', 'stems', 'agents']) {
    await database.run(`DROP TABLE ${table}`);
  }
}

/** A part of the visitors of a day. One run of the SQL counts one part, and the results of all parts are added. */
export interface Shard {
  index: number;
  of: number;
}

const visitorSql = 'hash(c_ip, cs_user_agent)';

/** Copies the log lines of a shard to a Parquet file. */
export async function copyShard(
  database: DuckDBConnection,
  files: readonly string[],
  { index, of }: Shard,
  to: string,
): Promise<void> {
  const lines = `SELECT * FROM read_parquet(${list(files)}, union_by_name = true) WHERE ${visitorSql} % ${of} = ${index}`;
  await database.run(`COPY (${lines}) TO ${text(to)} (FORMAT parquet)`);
}

/** The log lines that can be reads of files. */
export function linesSql({ day, files }: Pick<DayInput, 'day' | 'files'>): string {
  const from = `read_parquet(${list(files)}, union_by_name = true)`;
  return `FROM ${from} WHERE "date" = ${text(day)} AND cs_method = 'GET' AND sc_status IN ('200', '206', '304')`;
}

// Decodes and classifies each distinct User-Agent and each distinct path only once, because log lines repeat them.

function agentsSql(input: DayInput): string {
  return `CREATE TABLE agents AS
    SELECT agent, list_position(${list(clientKinds)}, ${clientKindSql('url_decode(agent)')})::UTINYINT AS kind
    FROM (SELECT DISTINCT cs_user_agent AS agent ${linesSql(input)})`;
}

function stemsSql(input: DayInput): string {
  const { virtualHostBase } = input;
  // In a virtual-host request, the first label of the host is the account.
  const complete =
    virtualHostBase === undefined
      ? 'stem'
      : `CASE WHEN ends_with(lower(host), ${text(`.${virtualHostBase}`)})
           THEN '/' || split_part(lower(host), '.', 1) || stem ELSE stem END`;
  return `CREATE TABLE stems AS
    SELECT host, stem, unnest(named) FROM (
      SELECT host, stem, regexp_extract(url_decode(${complete}), '^/([^/]+)/([^/@]+)(?:@[^/]*)?/((?s:.+))$',
        ['account_id', 'repository_id', 'path']) AS named
      FROM (SELECT DISTINCT x_host_header AS host, cs_uri_stem AS stem ${linesSql(input)})
    ) WHERE named.path <> ''`;
}

async function storeRepositories(database: DuckDBConnection, { findRepositories }: DayInput): Promise<void> {
  const named = await rows(database, 'SELECT DISTINCT account_id, repository_id FROM stems ORDER BY ALL');
  const names = named as unknown as RepositoryName[];
  const found = await findRepositories(names);
  await database.run(
    `CREATE TABLE repositories (account_id VARCHAR, repository_id VARCHAR, repository_uid VARCHAR, owner VARCHAR, created_at VARCHAR)`,
  );
  const insert = await database.createAppender('repositories');
  for (const [at, { account_id, repository_id }] of names.entries()) {
    const repository = found[at];
    if (repository === undefined) continue;
    const { uid, owner, created_at } = repository;
    for (const value of [account_id, repository_id, uid, owner, created_at]) insert.appendVarchar(value);
    insert.endRow();
  }
  insert.closeSync();
}

/** Counts the reads of visitors, one group of visitors after another, and adds the counts. */
async function countReads(database: DuckDBConnection, { readsAtOnce = 8_000_000 }: DayInput): Promise<void> {
  const [all] = await rows(database, 'SELECT count(*)::DOUBLE AS reads FROM reads');
  const parts = Math.max(1, Math.ceil(Number(all?.['reads']) / readsAtOnce));
  for (let part = 0; part < parts; part += 1) {
    await database.run(countedSql(`visitor % ${parts} = ${part}`));
    for (const [table, sql] of Object.entries(countSql)) {
      await database.run(part === 0 ? `CREATE OR REPLACE TABLE ${table} AS ${sql}` : `INSERT INTO ${table} ${sql}`);
    }
  }
  await sumCounts(database, (table) => table);
}

/** Replaces the tables of results by sums of their rows. `from` returns the SQL that selects the rows for a table. */
export async function sumCounts(database: DuckDBConnection, from: (table: CountTable) => string): Promise<void> {
  for (const [table, { by, sums }] of Object.entries(countTables)) {
    const summed = sums.map((field) => `sum(${field})::BIGINT AS ${field}`).join(', ');
    await database.run(
      `CREATE OR REPLACE TABLE ${table} AS SELECT ${by.join(', ')}, ${summed} FROM ${from(table as CountTable)} GROUP BY ALL`,
    );
  }
}

/**
 * Assigns a number to each file. Two paths that decode to one key are one file. Paths of one repository under two names
 * are one file as well.
 */
const objectsSql = `CREATE TABLE objects AS
  SELECT row_number() OVER ()::UINTEGER AS object, repository_uid, owner, path
  FROM (SELECT DISTINCT repository_uid, owner, path FROM stems JOIN repositories USING (account_id, repository_id))`;

/** Creates a table with one row for each read. All values are numbers, to save memory. */
function readsSql(input: DayInput): string {
  return `CREATE TABLE reads AS SELECT * EXCLUDE (read_at, created_at) FROM (
    SELECT object, kind, ${visitorSql} AS visitor, hash(x_edge_request_id) AS request,
      epoch(("date" || ' ' || "time")::TIMESTAMP)::UINTEGER AS second, "date" || 'T' || "time" AS read_at, created_at,
      coalesce(try_cast(sc_bytes AS UBIGINT), 0) AS bytes,
      CASE WHEN regexp_full_match(c_country, '[A-Z]{2}') THEN c_country ELSE 'ZZ' END AS country
    FROM (SELECT * ${linesSql(input)})
    JOIN stems ON host = x_host_header AND stem = cs_uri_stem
    JOIN repositories USING (account_id, repository_id)
    JOIN objects USING (repository_uid, path)
    JOIN agents ON agent = cs_user_agent
    WHERE read_at >= created_at[:19]
  )`;
}

/**
 * Groups the reads by file and visitor. If the log contains a line twice, both rows have the same time and request ID,
 * so they are neighbors, and the second one can be dropped.
 */
const countedSql = (visitors: string) => `CREATE OR REPLACE TABLE counted AS
  SELECT object, visitor, kind, second // 3600 AS hour, country, count(*) AS requests, sum(bytes) AS bytes,
    count(*) FILTER (gap IS NULL OR gap > ${downloadGapSeconds}) AS downloads,
    count(*) FILTER (gap IS NULL OR gap > ${doubleClickSeconds}) AS total_requests
  FROM (
    SELECT *, second - lag(second) OVER visit AS gap, request IS NOT DISTINCT FROM lag(request) OVER visit AS is_repeated
    FROM reads WHERE ${visitors}
    WINDOW visit AS (PARTITION BY visitor, object ORDER BY second, request)
  ) WHERE NOT is_repeated
  GROUP BY ALL`;

const withoutRobots = `kind <> ${clientKinds.indexOf('robots') + 1}`;

const clientsSql = `SELECT repository_uid, owner, (${list(clientKinds)})[kind] AS kind,
    sum(requests)::BIGINT AS requests, sum(downloads)::BIGINT AS downloads, sum(bytes)::BIGINT AS bytes,
    count(DISTINCT visitor) AS visitors, sum(total_requests)::BIGINT AS total_requests,
    count(DISTINCT hash(visitor, hour)) AS unique_requests
  FROM counted JOIN objects USING (object) GROUP BY repository_uid, owner, counted.kind`;

const countriesSql = `SELECT repository_uid, owner, country, sum(downloads)::BIGINT AS downloads, count(DISTINCT visitor) AS visitors
  FROM counted JOIN objects USING (object) WHERE ${withoutRobots} GROUP BY ALL`;

const filesSql = `SELECT repository_uid, path, sum(requests)::BIGINT AS requests, sum(downloads)::BIGINT AS downloads,
    sum(bytes)::BIGINT AS bytes
  FROM counted JOIN objects USING (object) WHERE ${withoutRobots} GROUP BY ALL`;

const countSql: Record<CountTable, string> = { clients: clientsSql, countries: countriesSql, files: filesSql };
