import type { DuckDBConnection } from '@duckdb/node-api';

export type Row = Record<string, string | number>;

/** Runs a query. Integers become numbers, so a count of bytes above 2^53 is not exact. */
export async function rows(database: DuckDBConnection, sql: string): Promise<Row[]> {
  const result = await database.runAndReadAll(sql);
  return result.getRowObjectsJS().map((row) => {
    const values = Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'bigint' ? Number(value) : value,
    ]);
    return Object.fromEntries(values) as Row;
  });
}

/** Returns a text as an SQL literal. */
export function text(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}

/** Returns a list of texts as an SQL literal. */
export function list(values: readonly string[]): string {
  return `[${values.map(text).join(', ')}]`;
}
