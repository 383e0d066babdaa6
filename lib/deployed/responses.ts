import { createBucketWatch } from '../edge/bucket-watch.ts';
import type { ResponseServices } from '../edge/shape-response-handler.ts';
import { edgeLog } from './edge-log.ts';

/** The real dependencies of the deployed response function: it reads neither secrets nor the table. */
export function createDeployedResponses(): ResponseServices {
  return { isBucketGone: createBucketWatch(Date.now), log: edgeLog };
}
