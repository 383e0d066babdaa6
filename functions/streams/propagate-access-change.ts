import { lazyFunction } from '../../lib/lambda/functions/lazy-function.ts';
import { createLambdaAccessConsumer } from '../../lib/lambda/stream-consumers/access-lane.ts';
import { createAccessConsumer } from '../../lib/streams/access-consumer.ts';

/** Tells the data proxy's warm instances what changed about who may reach which data. */
export const handler = lazyFunction(createAccessConsumer, createLambdaAccessConsumer);
