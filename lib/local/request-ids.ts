/** Ids that start alike and then count. They are no secret, and random bytes for each would cost as much as all else of a small request. */
export function createRequestIds(beginning: string): () => string {
  let count = 0;
  return () => `${beginning}${(count++).toString(16).toUpperCase().padStart(8, '0')}`;
}
