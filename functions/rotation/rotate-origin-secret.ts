import { lazyFunction } from '../../lib/deployed/functions/lazy-function.ts';
import { createDeployedOriginRotation } from '../../lib/deployed/rotations/origin-rotation.ts';
import { createRotationHandler } from '../../lib/deployed/rotations/rotation.ts';

/** Has the API's distribution name itself by the next value of the origin secret, and makes the one after it. */
export const handler = lazyFunction(createRotationHandler, createDeployedOriginRotation);
