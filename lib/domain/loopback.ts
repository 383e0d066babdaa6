/** Returns true for a host name of this machine in the form that it has in a URL. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || /^127\.\d+\.\d+\.\d+$/.test(host) || host === '[::1]';
}
