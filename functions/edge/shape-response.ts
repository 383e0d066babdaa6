import { createBucketWatch } from '../../lib/edge/bucket-watch.ts';
import { readEdgeConfig } from '../../lib/edge/config.ts';
import { createResponseHandler } from '../../lib/edge/shape-response-handler.ts';
import { edgeLog } from '../../lib/lambda/edge/log.ts';
import { lazyFunction } from '../../lib/lambda/functions/lazy-function.ts';

/** Origin-response function: passes on the allowed headers of an object, and removes all others of the storage. */
export const handler = lazyFunction(createResponseHandler, () => {
  const { open_data_cache_seconds: openDataCacheSeconds, site } = readEdgeConfig();
  return { isBucketMissing: createBucketWatch(Date.now), clock: Date.now, openDataCacheSeconds, log: edgeLog, site };
});
