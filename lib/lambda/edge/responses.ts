import { createBucketWatch } from '../../edge/bucket-watch.ts';
import { readEdgeConfig } from '../../edge/config.ts';
import type { ResponseServices } from '../../edge/shape-response-handler.ts';
import { edgeLog } from './log.ts';

/** Creates the services of the deployed origin-response function. It reads neither secrets nor the table. */
export function createDeployedResponses(): ResponseServices {
  const { open_data_cache_seconds: openDataCacheSeconds, site } = readEdgeConfig();
  return { isBucketMissing: createBucketWatch(Date.now), clock: Date.now, openDataCacheSeconds, log: edgeLog, site };
}
