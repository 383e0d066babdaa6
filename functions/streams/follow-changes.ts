import { createDeployedChangesLane } from '../../lib/deployed/changes-lane.ts';
import { createChangesLane } from '../../lib/streams/changes-lane.ts';
import { streamFunction } from '../../lib/streams/stream-function.ts';

/** Carries on whatever else a change of the table means: events, audit events, markers of expiry, removal of remains. */
export const handler = streamFunction(createChangesLane, createDeployedChangesLane);
