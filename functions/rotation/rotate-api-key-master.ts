import { lazyFunction } from '../../lib/lambda/functions/lazy-function.ts';
import { createRotationHandler } from '../../lib/lambda/rotations/rotation.ts';
import { createDeployedRotation, rotateApiKeyMaster } from '../../lib/lambda/rotations/rotations.ts';

/** Adds a version of the master secret for new API keys. Each existing key stays valid with its own version. */
export const handler = lazyFunction(createRotationHandler, () => createDeployedRotation(rotateApiKeyMaster));
