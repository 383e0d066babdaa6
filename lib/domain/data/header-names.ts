/** Creates a test for header names. A name in the text that ends in `*` matches any rest of the name. */
export function headerMatcher(text: string): (name: string) => boolean {
  const names = text.split(/\s+/);
  const exact = new Set(names.filter((name) => !name.endsWith('*')));
  const starts = names.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1));
  return (name) => exact.has(name) || starts.some((start) => name.startsWith(start));
}
