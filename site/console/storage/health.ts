import type { Schemas } from '../api/client.ts';

/** Returns true if the storage of a connection has failed and has not worked since. */
export function isFailing({ health }: { health?: Schemas['DataConnection']['health'] | undefined }): boolean {
  return health !== undefined && (health.worked_at === undefined || health.worked_at <= health.failed_at);
}
