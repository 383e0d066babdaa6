import { lazyFunction } from '../../lib/lambda/functions/lazy-function.ts';
import { createRotationHandler } from '../../lib/lambda/rotations/rotation.ts';
import { createDeployedRotation, rotateApiKeyMaster } from '../../lib/lambda/rotations/rotations.ts';

/** Adds a version of the master secret, for API keys made from now on; every key keeps working with its own. */
export const handler = lazyFunction(createRotationHandler, () => createDeployedRotation(rotateApiKeyMaster));
