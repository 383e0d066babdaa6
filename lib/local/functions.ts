import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type { ApiFunction } from '../deployed/api-function.ts';
import { createOpenDataReader } from '../deployed/open-data.ts';
import type { PageFunction } from '../deployed/page-function.ts';
import { defaultSite } from '../domain/site.ts';
import type { ApiHandler } from '../http/api-handler.ts';
import { createCatalogueSearch } from '../management/catalogue-search.ts';
import type { ConnectionServices, SealingServices } from '../management/services.ts';
import { type Operation, routePath } from '../operations/operation.ts';
import { pages } from '../operations/pages.ts';
import { registry } from '../operations/registry.ts';
import type { GatewayRoute } from './gateway/routes.ts';
import { runAs } from './running-function.ts';

/** Invokes a management function by the name of its operation. */
export type InvokeFunction = (
  name: string,
  event: APIGatewayProxyEventV2,
) => Promise<APIGatewayProxyStructuredResultV2>;

const operations = [...registry, ...pages];

export const gatewayRoutes: readonly GatewayRoute[] = operations.map((operation) => ({
  method: operation.method,
  path: operation.method === 'ANY' ? '$default' : routePath(operation),
  name: operation.name,
}));

/** The same files that are deployed, each with this machine's services. */
export async function loadFunctions(services: ConnectionServices & SealingServices): Promise<InvokeFunction> {
  const searchCatalogue = createCatalogueSearch(services.store.searchIndex, services.clock);
  const ofPages = { searchCatalogue, site: defaultSite, openData: createOpenDataReader(services.dataProxy) };
  // The same object: a test that puts another service into it means every function.
  const all = Object.assign(services, ofPages);
  const load = async (operation: Operation): Promise<[string, ApiHandler]> => {
    const module: { handler: ApiFunction | PageFunction } = await import(
      `../../functions/${operation.group}/${operation.name}.ts`
    );
    return [operation.name, module.handler.withServices(all)];
  };
  const handlers = new Map(await Promise.all(operations.map(load)));
  return async (name, event) => {
    const handler = handlers.get(name);
    if (handler === undefined) throw new Error(`no function ${name}`);
    return runAs(name, () => handler(event, lambdaContext(name, event.requestContext.requestId)));
  };
}

/** What a function may read of its invocation; ours read nothing of it, middy passes it on. */
function lambdaContext(functionName: string, awsRequestId: string): Context {
  return { functionName, awsRequestId, getRemainingTimeInMillis: () => 30_000 } as Context;
}
