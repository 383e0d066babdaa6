import { lazyFunction } from '../../lib/lambda/functions/lazy-function.ts';
import { createLambdaChangesConsumer } from '../../lib/lambda/stream-consumers/changes-lane.ts';
import { createChangesConsumer } from '../../lib/streams/changes-consumer.ts';

/** Carries on whatever else a change of the table means: events, audit events, markers of expiry, removal of remains. */
export const handler = lazyFunction(createChangesConsumer, createLambdaChangesConsumer);
