import { lazyFunction } from '../../lib/lambda/functions/lazy-function.ts';
import { createDeployedOriginRotation } from '../../lib/lambda/rotations/origin-rotation.ts';
import { createRotationHandler } from '../../lib/lambda/rotations/rotation.ts';

/**
 * Makes the API's CloudFront distribution send the next version of the origin secret, and creates the version after
 * it.
 */
export const handler = lazyFunction(createRotationHandler, createDeployedOriginRotation);
