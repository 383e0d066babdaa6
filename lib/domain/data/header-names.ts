/**
 * Returns a function that checks whether a header name is in the list. A listed name that ends in `*` matches all names
 * with the same beginning.
 */
export function headerMatcher(text: string): (name: string) => boolean {
  const names = text.split(/\s+/);
  const exact = new Set(names.filter((name) => !name.endsWith('*')));
  const starts = names.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1));
  return (name) => exact.has(name) || starts.some((start) => name.startsWith(start));
}
