import { createDeployedAccessLane } from '../../lib/deployed/lanes/access-lane.ts';
import { lazyFunction } from '../../lib/deployed/lazy-function.ts';
import { createAccessLane } from '../../lib/streams/access-lane.ts';

/** Tells the data proxy's warm instances what changed about who may reach which data. */
export const handler = lazyFunction(createAccessLane, createDeployedAccessLane);
