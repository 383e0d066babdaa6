const made = new Set<string>();

/** A connection was made in this page. */
export function rememberCreated(data_connection_id: string): void {
  made.add(data_connection_id);
}

/**
 * Whether it was, told once: its first test, which writes into the bucket, waits for no click. The address cannot tell, or a
 * link that somebody sends to an administrator would set one off.
 */
export function takeCreated(data_connection_id: string): boolean {
  return made.delete(data_connection_id);
}
