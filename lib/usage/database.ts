import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';

export interface UsageDatabase {
  connection: DuckDBConnection;
  close(): void;
}

/**
 * Opens an empty database in memory. If the memory is not sufficient, DuckDB writes to the given directory. DuckDB
 * loads no extensions from the network.
 */
export async function openUsageDatabase({
  directory,
  memoryMb,
  threads,
}: {
  /** A writable directory that only this database uses. */
  directory: string;
  memoryMb: number;
  threads: number;
}): Promise<UsageDatabase> {
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: `${memoryMb}MB`,
    threads: String(threads),
    home_directory: directory,
    temp_directory: `${directory}/spilled`,
    // DuckDB needs less memory if it does not keep the order of inserted rows. Each query states its own order.
    preserve_insertion_order: 'false',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  });
  const connection = await instance.connect();
  return {
    connection,
    close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}
