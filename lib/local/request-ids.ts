/**
 * Creates ids with a common prefix and a counter. They are not secret, and random bytes for each would double the cost
 * of a small request.
 */
export function createRequestIds(beginning: string): () => string {
  let count = 0;
  return () => `${beginning}${(count++).toString(16).toUpperCase().padStart(8, '0')}`;
}
