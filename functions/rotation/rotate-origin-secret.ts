import { lazyFunction } from '../../lib/lambda/functions/lazy-function.ts';
import { createDeployedOriginRotation } from '../../lib/lambda/rotations/origin-rotation.ts';
import { createRotationHandler } from '../../lib/lambda/rotations/rotation.ts';

/** Makes the API's distribution send the next origin secret, and creates the one after it. */
export const handler = lazyFunction(createRotationHandler, createDeployedOriginRotation);
