import { lazyFunction } from '../../lib/deployed/functions/lazy-function.ts';
import { createRotationHandler } from '../../lib/deployed/rotations/rotation.ts';
import { createDeployedRotation, rotateSessionKeys } from '../../lib/deployed/rotations/rotations.ts';

/** Adds a session key, which seals ten minutes later; what older ones sealed is opened while it may live. */
export const handler = lazyFunction(createRotationHandler, () => createDeployedRotation(rotateSessionKeys));
