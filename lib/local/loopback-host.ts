/**
 * Reports whether a Host header names this machine.
 *
 * A web page can point its own host name at 127.0.0.1 and would then share an origin with a local server (DNS
 * rebinding). Only the Host header reveals that name.
 *
 * @param subdomains also allows `<name>.localhost`, which always resolves to this machine (RFC 6761, section 6.3)
 */
export function isLoopbackHost(host: string | undefined, { subdomains = false } = {}): boolean {
  if (host === undefined) return false;
  const name = host.toLowerCase().replace(/:\d{1,5}$/, '');
  if (name === '127.0.0.1' || name === 'localhost' || name === '[::1]') return true;
  return subdomains && /^[a-z0-9.-]+\.localhost$/.test(name);
}

/** Returns the origins under which a browser on this machine can have opened a page. */
export function originsOnThisMachine(url: string): string[] {
  return ['127.0.0.1', 'localhost'].map((host) => Object.assign(new URL(url), { hostname: host }).origin);
}

export const misdirectedSentence =
  'This server answers on this machine only: use 127.0.0.1 or localhost as the host of the URL.';
