import { lazyFunction } from '../../lib/deployed/functions/lazy-function.ts';
import { createDeployedAccessLane } from '../../lib/deployed/lanes/access-lane.ts';
import { createAccessLane } from '../../lib/streams/access-lane.ts';

/** Tells the data proxy's warm instances what changed about who may reach which data. */
export const handler = lazyFunction(createAccessLane, createDeployedAccessLane);
