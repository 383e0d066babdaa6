import { lazyFunction } from '../../lib/lambda/functions/lazy-function.ts';
import { createRotationHandler } from '../../lib/lambda/rotations/rotation.ts';
import { createDeployedRotation, rotateApiKeyMaster } from '../../lib/lambda/rotations/rotations.ts';

/**
 * Adds a version of the master secret, from which the secrets of new API keys are derived. Existing keys stay valid,
 * because each uses the version of its creation.
 */
export const handler = lazyFunction(createRotationHandler, () => createDeployedRotation(rotateApiKeyMaster));
