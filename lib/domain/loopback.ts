/**
 * Returns true if the host name in a URL is `localhost` or a loopback IP address. IPv6 addresses have brackets, as in a
 * URL.
 */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || /^127\.\d+\.\d+\.\d+$/.test(host) || host === '[::1]';
}
