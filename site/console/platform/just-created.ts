const made = new Set<string>();

/** Records a connection that was created in this page. */
export function rememberCreated(data_connection_id: string): void {
  made.add(data_connection_id);
}

/**
 * Returns true once for a connection that was created in this page. Its first test, which writes to the bucket, then
 * starts without a click.
 * The URL does not carry this state: an attacker could send an administrator a link that starts a test.
 */
export function takeCreated(data_connection_id: string): boolean {
  return made.delete(data_connection_id);
}
