import { deployedRotation, rotateApiKeyMaster } from '../../lib/runtime/deployed-rotations.ts';
import { rotationFunction } from '../../lib/runtime/rotation.ts';

/** Adds a version of the master secret, for API keys made from now on; every key keeps working with its own. */
export const handler = rotationFunction(() => deployedRotation(rotateApiKeyMaster));
