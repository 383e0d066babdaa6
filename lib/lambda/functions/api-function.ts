import { type ApiHandler, createApiHandler } from '../../http/api-handler.ts';
import type { Run } from '../../http/pipeline.ts';
import type { Operation } from '../../operations/operation.ts';
import { createDeployedServices } from '../deployed-services.ts';
import type { Services } from '../services.ts';
import { type LazyFunction, lazyFunction } from './lazy-function.ts';

export type ApiFunction = LazyFunction<Services, Parameters<ApiHandler>, Awaited<ReturnType<ApiHandler>>>;

/** Creates the Lambda of an operation. */
export function apiFunction<Op extends Operation>(operation: Op, run: Run<Op, Services>): ApiFunction {
  return lazyFunction((services: Services) => createApiHandler(operation, run, services), createDeployedServices);
}
