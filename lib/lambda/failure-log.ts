import type { StreamLog } from '../streams/stream-records.ts';

/** Logs one line for a failure of a background function. It never logs the content of an item. */
export function logFailure(failure: unknown, fields: Readonly<Record<string, string>> = {}): void {
  const { name, message } = failure instanceof Error ? failure : new Error(String(failure));
  console.error(JSON.stringify({ level: 'ERROR', ...fields, error: name, message }));
}

/** Logs one line for each batch that must be retried. */
export const logStreamFailure: StreamLog = ({ sequence_number, failure }) => logFailure(failure, { sequence_number });
