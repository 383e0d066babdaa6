import type { Schemas } from '../api/client.ts';

type Connection = Schemas['DataConnection'];

/** Sorts read-only connections after writable ones. Connections that accept no repositories come last. */
export function inUseFirst<One extends Pick<Connection, 'read_only' | 'allowed_data_modes'>>(
  connections: readonly One[],
): One[] {
  const rank = ({ read_only, allowed_data_modes }: One) => (allowed_data_modes.length === 0 ? 2 : read_only ? 1 : 0);
  return connections.toSorted((a, b) => rank(a) - rank(b));
}
