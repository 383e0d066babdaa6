import { deployedRotation, rotateSessionKeys } from '../../lib/runtime/deployed-rotations.ts';
import { rotationFunction } from '../../lib/runtime/rotation.ts';

/** Adds a session key, which seals ten minutes later; what older ones sealed is opened while it may live. */
export const handler = rotationFunction(() => deployedRotation(rotateSessionKeys));
