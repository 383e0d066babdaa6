/** Returns true if the host name of a URL names this machine. IPv6 addresses have brackets, as in a URL. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || /^127\.\d+\.\d+\.\d+$/.test(host) || host === '[::1]';
}
