import type { DuckDBConnection } from '@duckdb/node-api';
import { type ClientKind, type CountryUsage, clientKinds, type FileUsage, type UsageCounts } from '../domain/usage.ts';
import { clientKindSql } from './client-kinds.ts';

/** Requests of a visitor for a file with gaps of at most this time are one download. */
const downloadGapSeconds = 30 * 60;
/** Double clicks: COUNTER Code of Practice 5.1, section 7.2. */
const doubleClickSeconds = 30;

export interface DayInput {
  /** A day in UTC, such as `2026-11-28`. Lines of other days are ignored. */
  day: string;
  /** Parquet files with the columns `loggedColumns`. A line can be in several files. */
  files: readonly string[];
  /** Counts only the visitors of one shard. The results of all shards are added. */
  shard?: { index: number; of: number };
  /** The host below which virtual-host requests name their account. */
  virtualHostBase?: string | undefined;
  /** Returns the uid of each repository that exists, in the order of the names. */
  findRepositories(names: readonly RepositoryName[]): Promise<readonly (string | undefined)[]>;
}

export interface RepositoryName {
  account_id: string;
  repository_id: string;
}

/** The counts of a day or of one shard. Each list is sorted, so that equal input gives equal bytes. */
export interface DayCounts {
  clients: ({ repository_uid: string; kind: ClientKind } & UsageCounts)[];
  countries: ({ repository_uid: string } & CountryUsage)[];
}

/**
 * Counts the reads of one day. The result depends only on the set of lines, and not on their order, their files, or
 * repetitions. Leaves the counts of each file in the table `files` of the connection.
 */
export async function countDay(database: DuckDBConnection, input: DayInput): Promise<DayCounts> {
  if (input.files.length === 0) return { clients: [], countries: [] };
  await database.run(agentsSql(input));
  await database.run(stemsSql(input));
  await storeRepositories(database, input);
  await database.run(objectsSql);
  await database.run(readsSql(input));
  await database.run(countedSql);
  await database.run(filesSql);
  const clients = await rows(database, clientsSql);
  const countries = await rows(database, countriesSql);
  for (const table of ['counted', 'reads', 'objects', 'repositories', 'stems', 'agents']) {
    await database.run(`DROP TABLE ${table}`);
  }
  return { clients: clients as DayCounts['clients'], countries: countries as DayCounts['countries'] };
}

/** Returns the files with the most downloads of each repository, from the table `files`. */
export async function topFiles(
  database: DuckDBConnection,
  filesMax: number,
): Promise<({ repository_uid: string } & FileUsage)[]> {
  const sql = `SELECT repository_uid, path, requests, downloads, bytes FROM files
    QUALIFY row_number() OVER (PARTITION BY repository_uid ORDER BY downloads DESC, bytes DESC, path) <= ${filesMax}
    ORDER BY repository_uid, downloads DESC, bytes DESC, path`;
  return (await rows(database, sql)) as ({ repository_uid: string } & FileUsage)[];
}

/** The lines of the log that can be reads of files. */
function linesSql({ day, files }: DayInput): string {
  const list = files.map(text).join(', ');
  return `(FROM read_parquet([${list}], union_by_name = true) WHERE "date" = ${text(day)} AND cs_method = 'GET' AND sc_status IN ('200', '206', '304'))`;
}

// Each distinct User-Agent and each distinct path is decoded and classified once.

function agentsSql(input: DayInput): string {
  return `CREATE TABLE agents AS
    SELECT agent, list_position(${list(clientKinds)}, ${clientKindSql('url_decode(agent)')})::UTINYINT AS kind
    FROM (SELECT DISTINCT cs_user_agent AS agent FROM ${linesSql(input)})`;
}

function stemsSql(input: DayInput): string {
  const { virtualHostBase } = input;
  // In a virtual-host request, the first label of the host is the account.
  const complete =
    virtualHostBase === undefined
      ? 'stem'
      : `CASE WHEN ends_with(lower(host), ${text(`.${virtualHostBase}`)}) THEN '/' || split_part(lower(host), '.', 1) || stem ELSE stem END`;
  return `CREATE TABLE stems AS
    SELECT host, stem, parts[1] AS account_id, parts[2] AS repository_id, parts[3] AS path
    FROM (
      SELECT host, stem, regexp_extract(url_decode(${complete}), '^/([^/]+)/([^/@]+)(?:@[^/]*)?/((?s:.+))$', ['1', '2', '3']) AS named,
        [named['1'], named['2'], named['3']] AS parts
      FROM (SELECT DISTINCT cs_host AS host, cs_uri_stem AS stem FROM ${linesSql(input)})
    ) WHERE path <> ''`;
}

async function storeRepositories(database: DuckDBConnection, { findRepositories }: DayInput): Promise<void> {
  const names = (await rows(
    database,
    'SELECT DISTINCT account_id, repository_id FROM stems ORDER BY ALL',
  )) as RepositoryName[];
  const uids = await findRepositories(names);
  await database.run('CREATE TABLE repositories (account_id VARCHAR, repository_id VARCHAR, repository_uid VARCHAR)');
  const insert = await database.createAppender('repositories');
  for (const [at, { account_id, repository_id }] of names.entries()) {
    const uid = uids[at];
    if (uid === undefined) continue;
    for (const value of [account_id, repository_id, uid]) insert.appendVarchar(value);
    insert.endRow();
  }
  insert.closeSync();
}

/** Two paths that decode to the same key, and a repository under two names, are one object. */
const objectsSql = `CREATE TABLE objects AS
  SELECT row_number() OVER ()::UINTEGER AS object, repository_uid, path
  FROM (SELECT DISTINCT repository_uid, path FROM stems JOIN repositories USING (account_id, repository_id))`;

/** One row for each read, in numbers only. */
function readsSql(input: DayInput): string {
  const { shard } = input;
  const isOfShard = shard === undefined ? '' : `WHERE visitor % ${shard.of} = ${shard.index}`;
  return `CREATE TABLE reads AS SELECT * FROM (
    SELECT object, kind, hash(c_ip, cs_user_agent) AS visitor, hash(x_edge_request_id) AS request,
      epoch(("date" || ' ' || "time")::TIMESTAMP)::UINTEGER AS second,
      coalesce(try_cast(sc_bytes AS UBIGINT), 0) AS bytes,
      CASE WHEN regexp_full_match(c_country, '[A-Z]{2}') THEN c_country ELSE 'ZZ' END AS country
    FROM ${linesSql(input)}
    JOIN stems ON host = cs_host AND stem = cs_uri_stem
    JOIN repositories USING (account_id, repository_id)
    JOIN objects USING (repository_uid, path)
    JOIN agents ON agent = cs_user_agent
  ) ${isOfShard}`;
}

/**
 * The reads of each object by each visitor. A line that the log contains twice follows itself in this order, because
 * both have the same time and the same request ID.
 */
const countedSql = `CREATE TABLE counted AS
  SELECT object, visitor, kind, second // 3600 AS hour, country, count(*) AS requests, sum(bytes) AS bytes,
    count(*) FILTER (gap IS NULL OR gap > ${downloadGapSeconds}) AS downloads,
    count(*) FILTER (gap IS NULL OR gap > ${doubleClickSeconds}) AS total_requests
  FROM (
    SELECT *, second - lag(second) OVER visit AS gap, request IS NOT DISTINCT FROM lag(request) OVER visit AS is_repeated
    FROM reads
    WINDOW visit AS (PARTITION BY visitor, object ORDER BY second, request)
  ) WHERE NOT is_repeated
  GROUP BY ALL`;

const filesSql = `CREATE OR REPLACE TABLE files AS
  SELECT repository_uid, path, sum(requests)::BIGINT AS requests, sum(downloads)::BIGINT AS downloads, sum(bytes)::BIGINT AS bytes
  FROM counted JOIN objects USING (object)
  WHERE kind <> ${clientKinds.indexOf('robots') + 1}
  GROUP BY ALL ORDER BY repository_uid, path`;

const clientsSql = `SELECT repository_uid, (${list(clientKinds)})[kind] AS kind,
    sum(requests) AS requests, sum(downloads) AS downloads, sum(bytes) AS bytes, count(DISTINCT visitor) AS visitors,
    sum(total_requests) AS total_requests, count(DISTINCT (visitor, hour)) AS unique_requests
  FROM counted JOIN objects USING (object) GROUP BY repository_uid, counted.kind ORDER BY repository_uid, counted.kind`;

const countriesSql = `SELECT repository_uid, country, sum(downloads) AS downloads, count(DISTINCT visitor) AS visitors
  FROM counted JOIN objects USING (object)
  WHERE kind <> ${clientKinds.indexOf('robots') + 1}
  GROUP BY ALL ORDER BY repository_uid, country`;

/** Runs a query. Integers become numbers: a count of bytes above 2^53 is not exact. */
async function rows(database: DuckDBConnection, sql: string): Promise<Record<string, string | number>[]> {
  const result = await database.runAndReadAll(sql);
  return result
    .getRowObjectsJS()
    .map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [
          name,
          typeof value === 'bigint' ? Number(value) : (value as string),
        ]),
      ),
    );
}

function text(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}

function list(values: readonly string[]): string {
  return `[${values.map(text).join(', ')}]`;
}
