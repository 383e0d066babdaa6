import { deployedOriginRotation } from '../../lib/runtime/deployed-origin-rotation.ts';
import { rotationFunction } from '../../lib/runtime/rotation.ts';

/** Has the API's distribution name itself by the next value of the origin secret, and makes the one after it. */
export const handler = rotationFunction(deployedOriginRotation);
