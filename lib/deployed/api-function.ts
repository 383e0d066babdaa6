import type { ApiHandler } from '../http/api-handler.ts';
import { createApiHandler } from '../http/api-handler.ts';
import type { Run } from '../http/pipeline.ts';
import type { Services } from '../management/services.ts';
import type { Operation } from '../operations/operation.ts';
import { createDeployedServices } from './services.ts';

export interface ApiFunction extends ApiHandler {
  /** The same handler over other services: how one machine runs what is deployed. */
  withServices(services: Services): ApiHandler;
}

/** The Lambda of an operation. Its services are made from the environment at the first request and kept. */
export function apiFunction<Op extends Operation>(operation: Op, run: Run<Op, Services>): ApiFunction {
  let deployed: Promise<ApiHandler> | undefined;
  const handler: ApiHandler = async (event, context) => {
    deployed ??= createDeployedServices().then((services) => createApiHandler(operation, run, services));
    try {
      return (await deployed)(event, context);
    } catch (error) {
      deployed = undefined;
      throw error;
    }
  };
  return Object.assign(handler, { withServices: (services: Services) => createApiHandler(operation, run, services) });
}
