import { lazyFunction } from '../../lib/lambda/functions/lazy-function.ts';
import { createLambdaChangesConsumer } from '../../lib/lambda/stream-consumers/changes-consumer.ts';
import { createChangesConsumer } from '../../lib/streams/changes-consumer.ts';

/**
 * Handles all effects of a table change except revocations: published events, audit events, expiry markers, and
 * cleanup.
 */
export const handler = lazyFunction(createChangesConsumer, createLambdaChangesConsumer);
