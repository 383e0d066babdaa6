import { lazyFunction } from '../../lib/lambda/functions/lazy-function.ts';
import { createDeployedOriginRotation } from '../../lib/lambda/rotations/origin-rotation.ts';
import { createRotationHandler } from '../../lib/lambda/rotations/rotation.ts';

/** Has the API's distribution name itself by the next value of the origin secret, and makes the one after it. */
export const handler = lazyFunction(createRotationHandler, createDeployedOriginRotation);
