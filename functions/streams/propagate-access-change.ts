import { lazyFunction } from '../../lib/lambda/functions/lazy-function.ts';
import { createLambdaAccessConsumer } from '../../lib/lambda/stream-consumers/access-consumer.ts';
import { createAccessConsumer } from '../../lib/streams/access-consumer.ts';

/** Writes changes of authorization data to the change feed, which warm instances of the data proxy read. */
export const handler = lazyFunction(createAccessConsumer, createLambdaAccessConsumer);
