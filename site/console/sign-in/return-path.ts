/**
 * Where somebody goes who has signed in: a path of the console and nothing else, by its form alone. Whatever another made
 * up, with a host, a backslash or a scheme in it, is the beginning of the console.
 */
export function safeReturnPath(path: unknown, consolePath: string): string {
  if (typeof path !== 'string' || path.length > 2000) return consolePath;
  const isBelow = path === consolePath || path.startsWith(`${consolePath}/`) || path.startsWith(`${consolePath}?`);
  if (!isBelow || !/^[\w\-./~%?=&+:,@!$'()*;]+$/.test(path) || /\/\/|\/\.\.?(?:[/?]|$)|%2e|%2f|%5c/i.test(path)) {
    return consolePath;
  }
  return path;
}
