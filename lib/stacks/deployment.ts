import { type App, Fn, Tags } from 'aws-cdk-lib';
import type { Operation } from '../operations/operation.ts';
import { registry } from '../operations/registry.ts';
import { ApiOperationsStack, ApiStack, PagesStack } from './api-stack.ts';
import { AssetsStack } from './assets-stack.ts';
import type { FunctionBundles, SiteBundle } from './bundle.ts';
import type { Config } from './config.ts';
import { DataStack } from './data-stack.ts';
import { ApiEdgeStack, apiUrlOutput } from './edge/api-edge-stack.ts';
import { dataProxyUrlOutput, EdgeStack } from './edge/edge-stack.ts';
import { EdgeWatchingStack } from './edge/edge-watching-stack.ts';
import { EventsStack } from './events-stack.ts';
import { edgeRegion } from './names.ts';
import { PeopleStack } from './people-stack.ts';
import { RotationStack } from './rotation-stack.ts';
import { WatchingStack } from './watching-stack.ts';

/** The stacks of a deployment. `people` is there if it has a user pool. */
export type Deployment = ReturnType<typeof addStacks>;

/** Adds all stacks. The account comes from the deploying environment, so synthesis does not need one. */
export function addStacks(
  app: App,
  config: Config,
  bundles: FunctionBundles,
  site: SiteBundle,
  operations: readonly Operation[] = registry,
) {
  const shared = { app, config, bundles };
  const data = new DataStack(shared);
  const events = new EventsStack(shared, data);
  const rotation = new RotationStack(shared, data);
  const edge = new EdgeStack(shared);
  edge.addStackDependency(data);
  // The distribution's domain name is unknown until it exists, possibly in another region.
  const { dataDomain } = config;
  const dataProxyUrl =
    dataDomain === undefined
      ? Fn.getStackOutput(edge.stackName, dataProxyUrlOutput, edgeRegion)
      : `https://${dataDomain.name}`;
  const api = new ApiStack(shared, { data, dataProxyUrl, operations });
  api.addStackDependency(edge);
  // The events stack checks whether the table is new, so it comes before all stacks that write to the table.
  api.addStackDependency(events);
  const apiOperations = new ApiOperationsStack(shared, api, operations);
  apiOperations.addStackDependency(api);
  const assets = new AssetsStack(shared, site);
  const apiEdge = new ApiEdgeStack(shared, { api, assets });
  apiEdge.addStackDependency(api);
  const pages = new PagesStack(shared, { api, siteUrl: siteUrl(config, apiEdge), site });
  // The edge stack of the API depends on the files that the pages refer to, and comes before the pages.
  pages.addStackDependency(apiEdge);
  const people = api.people && new PeopleStack(shared, { people: api.people, apiEdge });
  people?.addStackDependency(apiEdge);
  const watching = new WatchingStack(shared, api);
  const edgeWatching = new EdgeWatchingStack(shared, { api, edge, apiEdge });
  for (const [name, value] of Object.entries(config.tags)) Tags.of(app).add(name, value);
  return {
    ...{ data, rotation, api, apiOperations, assets, pages, events, edge, apiEdge, watching, edgeWatching },
    ...(people === undefined ? {} : { people }),
  };
}

/** Returns the URL that pages give to search engines, which need one URL for each page. */
function siteUrl({ siteDomain, apiDomain }: Config, apiEdge: ApiEdgeStack): string {
  const name = siteDomain ?? apiDomain?.name;
  return name === undefined ? Fn.getStackOutput(apiEdge.stackName, apiUrlOutput, edgeRegion) : `https://${name}`;
}
