import { lazyFunction } from '../../lib/lambda/functions/lazy-function.ts';
import { createRotationHandler } from '../../lib/lambda/rotations/rotation.ts';
import { createDeployedRotation, rotateSessionKeys } from '../../lib/lambda/rotations/rotations.ts';

/** Adds a session key, which seals ten minutes later; what older ones sealed is opened while it may live. */
export const handler = lazyFunction(createRotationHandler, () => createDeployedRotation(rotateSessionKeys));
