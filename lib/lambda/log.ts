import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import type { RequestLogEntry } from '../http/api-handler.ts';

/**
 * Creates the request log: one structured line for each request, and metrics in CloudWatch's embedded metric format.
 * The namespace is `Sluice`. The metrics for each operation are `Requests`, `Duration`, `ClientErrors`, and
 * `ServerErrors`. The log contains only the fields that the code lists, and no other data of a request.
 */
export function createRequestLog(): (entry: RequestLogEntry) => void {
  const logger = new Logger({ serviceName: 'sluice' });
  const metrics = new Metrics({ namespace: 'Sluice', serviceName: 'sluice' });
  return ({ request_id, operation, caller_account_id, caller_kind, status, duration_ms, cause }) => {
    const fields = { request_id, operation, caller_account_id, caller_kind, status, duration_ms };
    if (cause === undefined) logger.info('request', fields);
    else logger.error('request', { ...fields, error: cause instanceof Error ? cause : new Error(String(cause)) });

    metrics.addDimension('operation', operation);
    metrics.addMetric('Requests', MetricUnit.Count, 1);
    metrics.addMetric('Duration', MetricUnit.Milliseconds, duration_ms);
    metrics.addMetric('ClientErrors', MetricUnit.Count, status >= 400 && status < 500 ? 1 : 0);
    metrics.addMetric('ServerErrors', MetricUnit.Count, status >= 500 ? 1 : 0);
    metrics.publishStoredMetrics();
  };
}
