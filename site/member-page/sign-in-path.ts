/** Returns the path of the console's sign-in, after which the user returns to the current page. */
export function signInPath(): string {
  const path = encodeURIComponent(location.pathname + location.search).replaceAll('%2F', '/');
  return `/-/console?return=${path}`;
}
