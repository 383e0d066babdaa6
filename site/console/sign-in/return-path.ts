/**
 * Returns the path to open after sign-in. Accepts only paths of the console, and checks their syntax alone.
 * Returns the start view for any other text, such as an attacker's path with a host, a backslash, or a scheme.
 */
export function safeReturnPath(path: unknown, consolePath: string): string {
  if (typeof path !== 'string' || path.length > 2000) return consolePath;
  const isBelow = path === consolePath || path.startsWith(`${consolePath}/`) || path.startsWith(`${consolePath}?`);
  if (!isBelow || !/^[\w\-./~%?=&+:,@!$'()*;]+$/.test(path) || /\/\/|\/\.\.?(?:[/?]|$)|%2e|%2f|%5c/i.test(path)) {
    return consolePath;
  }
  return path;
}
