/** Returns the parameters of a path for a pattern such as `/accounts/:account_id`, or undefined for another path. */
export function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return undefined;
  const found: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? '';
    if (!part.startsWith(':')) {
      if (part !== value) return undefined;
      continue;
    }
    try {
      found[part.slice(1)] = decodeURIComponent(value);
    } catch {
      return undefined;
    }
    if (value === '') return undefined;
  }
  return found;
}

/** Returns a pattern's path with its parameters. */
export function pathOf(pattern: string, parameters: Readonly<Record<string, string>>): string {
  return pattern.replace(/:([a-z_]+)/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ''));
}
