import { lazyFunction } from '../../lib/lambda/functions/lazy-function.ts';
import { createRotationHandler } from '../../lib/lambda/rotations/rotation.ts';
import { createDeployedRotation, rotateSessionKeys } from '../../lib/lambda/rotations/rotations.ts';

/** Adds a session key, which is used after ten minutes. Tokens of earlier keys stay valid until they expire. */
export const handler = lazyFunction(createRotationHandler, () => createDeployedRotation(rotateSessionKeys));
