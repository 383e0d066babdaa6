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

/** The paths of public pages. None of them begins with two slashes, which a browser would read as a host. */
const publicPage = /^\/(?:$|(?!api\/)[a-z0-9-]{3,}(?:\/|$)|-\/(?:search$|versions\/|preview\/)|api\/v1\/docs$)/;

/**
 * Returns the public page to which the query of the console's URL sends a user who has signed in. Returns undefined for
 * any other text, such as a URL of another site.
 */
export function returnPage(search: string, origin: string): string | undefined {
  const path = new URLSearchParams(search).get('return') ?? '';
  if (!path.startsWith('/') || !URL.canParse(path, origin)) return undefined;
  const url = new URL(path, origin);
  return url.origin === origin && publicPage.test(url.pathname) ? url.pathname + url.search : undefined;
}
