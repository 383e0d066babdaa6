/** A name of this machine, as a URL has it. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || /^127\.\d+\.\d+\.\d+$/.test(host) || host === '[::1]';
}
