import type { DataConnectionAuthentication } from '../data/data-connections.ts';

/**
 * Seals the credentials of data connections, so that the table never holds them in plain. What is sealed for one
 * connection does not open for another: an item copied by hand gives nobody another's storage.
 */
export interface ConnectionSecrets {
  seal(authentication: DataConnectionAuthentication, dataConnectionId: string): Promise<string>;
  open(sealed: string, dataConnectionId: string): Promise<DataConnectionAuthentication>;
}
