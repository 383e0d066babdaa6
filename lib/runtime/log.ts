import { Logger } from '@aws-lambda-powertools/logger';
import type { RequestLogEntry } from '../http/api-handler.ts';

/** Structured logs of one line a request. The fields are listed here; nothing else of a request is ever logged. */
export function createRequestLog(): (entry: RequestLogEntry) => void {
  const logger = new Logger({ serviceName: 'sluice' });
  return ({ request_id, operation, caller_account_id, status, duration_ms, cause }) => {
    const fields = { request_id, operation, caller_account_id, status, duration_ms };
    if (cause === undefined) logger.info('request', fields);
    else logger.error('request', { ...fields, error: cause instanceof Error ? cause : new Error(String(cause)) });
  };
}
