import { lazyFunction } from '../../lib/deployed/functions/lazy-function.ts';
import { createDeployedChangesLane } from '../../lib/deployed/lanes/changes-lane.ts';
import { createChangesLane } from '../../lib/streams/changes-lane.ts';

/** Carries on whatever else a change of the table means: events, audit events, markers of expiry, removal of remains. */
export const handler = lazyFunction(createChangesLane, createDeployedChangesLane);
