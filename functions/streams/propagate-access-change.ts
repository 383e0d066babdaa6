import { createDeployedAccessLane } from '../../lib/deployed/access-lane.ts';
import { createAccessLane } from '../../lib/streams/access-lane.ts';
import { streamFunction } from '../../lib/streams/stream-function.ts';

/** Tells the data proxy's warm instances what changed about who may reach which data. */
export const handler = streamFunction(createAccessLane, createDeployedAccessLane);
