import { type LogLine, loggedColumns } from '../domain/usage/log-records.ts';
import type { UsageDatabase } from './database.ts';
import { text } from './sql.ts';

/** Writes a Parquet file with the same columns as CloudFront's log files. */
export async function writeLogFile(
  { connection }: UsageDatabase,
  file: string,
  lines: readonly LogLine[],
): Promise<void> {
  await connection.run(
    `CREATE OR REPLACE TABLE lines (${loggedColumns.map((name) => `"${name}" VARCHAR`).join(', ')})`,
  );
  const insert = await connection.createAppender('lines');
  for (const line of lines) {
    for (const name of loggedColumns) insert.appendVarchar(line[name]);
    insert.endRow();
  }
  insert.closeSync();
  await connection.run(`COPY lines TO ${text(file)} (FORMAT parquet)`);
  await connection.run('DROP TABLE lines');
}
