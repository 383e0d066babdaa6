import { AsyncLocalStorage } from 'node:async_hooks';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type { ShownSite } from '../domain/site.ts';
import type { SiteEntries } from '../domain/site-assets.ts';
import type { ApiHandler } from '../http/api-handler.ts';
import type { ApiFunction } from '../lambda/functions/api-function.ts';
import type { PageFunctionOf } from '../lambda/functions/page-function.ts';
import type { ConnectionServices, DoiServices, IssuerServices, SealingServices } from '../lambda/services.ts';
import { createOpenDataReader } from '../lambda/site/open-data.ts';
import { createSiteSignIn } from '../lambda/site/site-sign-in.ts';
import { type Operation, routePath, takesHead } from '../operations/operation.ts';
import { pages } from '../operations/pages.ts';
import { registry } from '../operations/registry.ts';
import { openCatalogue } from '../search/open-catalogue.ts';
import { fetchJson } from '../sts/fetch-json.ts';
import type { FetchJson } from '../sts/issuer-keys.ts';
import type { GatewayRoute } from './api-gateway/routes.ts';
import type { IdentityIssuers } from './oidc/issuers.ts';
import { loadSiteEntries } from './site-distribution.ts';

/** Runs a function of the management API, identified by the name of its operation. */
export type InvokeFunction = (
  name: string,
  event: APIGatewayProxyEventV2,
) => Promise<APIGatewayProxyStructuredResultV2>;

const operations: readonly Operation[] = [...registry, ...pages];
const operationsByName = new Map(operations.map((operation) => [operation.name, operation]));

export const gatewayRoutes: readonly GatewayRoute[] = operations.flatMap(({ name, morePaths = [], ...operation }) => {
  const paths = [operation.method === 'ANY' ? '$default' : routePath(operation), ...morePaths];
  const methods = takesHead(operation) ? [operation.method, 'HEAD'] : [operation.method];
  return paths.flatMap((path) => methods.map((method) => ({ method, path, name })));
});

/**
 * Runs the same functions as a deployment, with the services of this machine. The code of a function is loaded at its
 * first request.
 */
export function createFunctions(
  services: ConnectionServices & SealingServices & IssuerServices & Pick<DoiServices, 'doiRegistry'>,
  { issuer, client_id }: Pick<IdentityIssuers['people'], 'issuer' | 'client_id'>,
  { site, openDataCacheSeconds }: { site: () => Omit<ShownSite, 'entries'>; openDataCacheSeconds: number },
): InvokeFunction {
  const { clock } = services;
  const findSiteSignIn = createSiteSignIn(
    { issuer, findClientId: async () => client_id },
    { fetchJson: patiently(fetchJson), clock },
  );
  let entries: SiteEntries = {};
  const ofPages = {
    ...openCatalogue(services.store.searchIndex, clock),
    site: () => ({ ...site(), entries }),
    openDataCacheSeconds,
    openData: createOpenDataReader(services.dataProxy),
    findSiteSignIn,
  };
  // Change the given object and do not copy it. When a test replaces a service in the object, all functions then use
  // the replacement.
  const all = Object.assign(services, ofPages);
  const load = async ({ group, name }: Operation): Promise<ApiHandler> => {
    const module: { handler: ApiFunction | PageFunctionOf<typeof all> } = await import(
      `../../functions/${group}/${name}.ts`
    );
    return module.handler.withServices(all);
  };
  const handlers = new Map<string, Promise<ApiHandler>>();
  const find = (name: string): Promise<ApiHandler> => {
    const operation = operationsByName.get(name);
    if (operation === undefined) throw new Error(`no function ${name}`);
    const handler = handlers.get(name) ?? load(operation);
    handlers.set(name, handler);
    return handler;
  };
  return async (name, event) => {
    const handler = await find(name);
    if (operationsByName.get(name)?.group === 'pages') entries = await loadSiteEntries();
    return runAs(name, () => handler(event, lambdaContext(name, event.requestContext.requestId)));
  };
}

/**
 * Returns a fetch function with a longer timeout. The local OpenID Connect provider loads its code at its first
 * request, which takes seconds on a busy machine.
 */
function patiently(fetch: FetchJson): FetchJson {
  return (url, bounds) => fetch(url, { ...bounds, timeoutMs: 20_000 });
}

/** Builds a Lambda context. The functions do not use it, but middy passes it to them. */
function lambdaContext(functionName: string, awsRequestId: string): Context {
  return { functionName, awsRequestId, getRemainingTimeInMillis: () => 30_000 } as Context;
}

const running = new AsyncLocalStorage<string>();

/**
 * Runs code as the deployed function with this name. On one machine, all functions share the same table client. The
 * name tells which function sent a request to the table.
 */
export function runAs<Result>(functionName: string, run: () => Result): Result {
  return running.run(functionName, run);
}

/** Returns the name of the function that is running. Returns undefined when the local service itself uses the table. */
export function findRunningFunction(): string | undefined {
  return running.getStore();
}

/** Returns a handler that runs as the deployed function with this name. */
export function runningAs<Event, Result>(functionName: string, handler: (event: Event) => Result) {
  return (event: Event): Result => runAs(functionName, () => handler(event));
}
