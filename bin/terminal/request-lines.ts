import { styleText } from 'node:util';
import type { LocalLogLine } from '../../lib/local/service-options.ts';
import type { AccessLogEntry } from '../../lib/local/web-server.ts';

export type Verbosity = 'quiet' | 'normal' | 'verbose';

/**
 * The maximum number of requests whose caller is remembered. The caller of a request is known before its response is
 * complete, and its line is printed after the response.
 */
const callersMax = 1_000;

/**
 * Returns a function that prints log lines in the terminal. With `normal`, it prints one line for each request. With
 * `verbose`, the line also has the operation, and events on the event bus are printed. Internal errors are always
 * printed.
 */
export function createRequestLines(verbosity: () => Verbosity): (line: LocalLogLine) => void {
  const callers = new Map<string, { operation: string; caller: string }>();
  return (line) => {
    if ('access' in line) {
      const { request_id = '', access_key_id } = line.access;
      const known = callers.get(request_id);
      callers.delete(request_id);
      if (verbosity() === 'quiet') return;
      const caller = known?.caller ?? access_key_id ?? 'anonymous';
      console.log(requestLine(line.access, caller, verbosity() === 'verbose' ? known?.operation : undefined));
    } else if ('event' in line) {
      if (verbosity() === 'verbose') console.log(`    event ${line.event.type}`);
    } else if ('operation' in line) {
      if (callers.size >= callersMax) callers.clear();
      callers.set(line.request_id, { operation: line.operation, caller: line.caller_account_id ?? 'anonymous' });
      if (line.cause !== undefined) console.error(`${line.operation} ${line.request_id}:`, line.cause);
    } else {
      console.error(`${line.source}:`, line.failure);
    }
  };
}

function requestLine(
  { method, path, status, duration_ms }: AccessLogEntry,
  caller: string,
  operation: string | undefined,
): string {
  // Print colors only in a terminal, and not if NO_COLOR is set.
  const style = status >= 500 ? 'red' : status >= 400 ? 'yellow' : 'green';
  const shownStatus = styleText(style, String(status), { stream: process.stdout });
  return [shownStatus, method.padEnd(6), path, `${duration_ms} ms`, caller, operation]
    .filter((part) => part !== undefined)
    .join('  ');
}
