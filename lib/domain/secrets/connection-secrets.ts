import type { DataConnectionAuthentication } from '../data/data-connections.ts';

/**
 * Encrypts the credentials of data connections, so that the table never contains them in plain text. A ciphertext opens
 * only for its own connection, so an item copied in the table gives no access to another storage.
 */
export interface ConnectionSecrets {
  seal(authentication: DataConnectionAuthentication, dataConnectionId: string): Promise<string>;
  open(sealed: string, dataConnectionId: string): Promise<DataConnectionAuthentication>;
}
