import { lazyFunction } from '../../lib/lambda/functions/lazy-function.ts';
import { createRotationHandler } from '../../lib/lambda/rotations/rotation.ts';
import { createDeployedRotation, rotateSessionKeys } from '../../lib/lambda/rotations/rotations.ts';

/**
 * Adds a session key, which comes into use after ten minutes. Tokens that earlier keys encrypted stay valid until they
 * expire.
 */
export const handler = lazyFunction(createRotationHandler, () => createDeployedRotation(rotateSessionKeys));
