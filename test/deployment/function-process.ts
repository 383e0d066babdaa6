import { Agent } from 'node:https';
import { connect } from 'node:net';

/**
 * Runs one bundle in a process of its own, as Lambda does. Connections to AWS services go to local servers without TLS.
 * Any other connection fails.
 *
 * Usage: function-process.ts <file of the bundle> <JSON of ports by the first label of a host, `*` for all others>
 */
const [file = '', ports = '{}'] = process.argv.slice(2);
const portByLabel: Record<string, number> = JSON.parse(ports);

Agent.prototype.createConnection = ({ host }) => {
  if (!host?.endsWith('.amazonaws.com')) throw new Error(`a function connects to ${host}`);
  return connect(portByLabel[host.split('.')[0] ?? ''] ?? portByLabel['*'] ?? 0, '127.0.0.1');
};

const { handler } = await import(file);
process.on('message', async ({ id, event }: { id: number; event: unknown }) => {
  try {
    process.send?.({ id, result: await handler(event) });
  } catch (error) {
    process.send?.({ id, error: error instanceof Error ? error.stack : String(error) });
  }
});
