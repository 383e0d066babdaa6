import type { DuckDBConnection } from '@duckdb/node-api';
import { loggedColumns } from '../../../lib/usage/log-records.ts';
import type { LogLine } from './made-up-visitors.ts';

/** Writes a Parquet file with these lines, as CloudFront does. Returns its path. */
export async function writeLogFile(
  database: DuckDBConnection,
  file: string,
  lines: readonly LogLine[],
): Promise<string> {
  await database.run(
    `CREATE OR REPLACE TABLE written (${loggedColumns.map((name) => `"${name}" VARCHAR`).join(', ')})`,
  );
  const insert = await database.createAppender('written');
  for (const line of lines) {
    for (const name of loggedColumns) insert.appendVarchar(line[name] as string);
    insert.endRow();
  }
  insert.closeSync();
  await database.run(`COPY written TO '${file}' (FORMAT parquet)`);
  await database.run('DROP TABLE written');
  return file;
}
