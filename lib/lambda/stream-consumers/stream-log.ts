import type { StreamLog } from '../../streams/stream-records.ts';

/** Logs one line for each batch that must be retried. It never logs the content of an item. */
export const logStreamFailure: StreamLog = ({ sequence_number, failure }) => {
  const { name, message } = failure instanceof Error ? failure : new Error(String(failure));
  console.error(JSON.stringify({ level: 'ERROR', sequence_number, error: name, message }));
};
