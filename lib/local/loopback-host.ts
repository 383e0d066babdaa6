/**
 * Whether a Host header names this machine. A page on the web can point a name of its own at 127.0.0.1 and would then
 * be of the same origin as a local server (DNS rebinding); the name it used is in Host, and only there.
 *
 * @param subdomains allows `<name>.localhost` too, which resolves to this machine and nowhere else (RFC 6761, 6.3)
 */
export function isLoopbackHost(host: string | undefined, { subdomains = false } = {}): boolean {
  if (host === undefined) return false;
  const name = host.toLowerCase().replace(/:\d{1,5}$/, '');
  if (name === '127.0.0.1' || name === 'localhost' || name === '[::1]') return true;
  return subdomains && /^[a-z0-9.-]+\.localhost$/.test(name);
}

/** Both names by which a page of this machine can have been opened. */
export function originsOnThisMachine(url: string): string[] {
  return ['127.0.0.1', 'localhost'].map((host) => Object.assign(new URL(url), { hostname: host }).origin);
}

export const misdirectedSentence =
  'This server answers on this machine only: use 127.0.0.1 or localhost as the host of the URL.';
