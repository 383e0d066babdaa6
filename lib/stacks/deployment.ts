import { type App, Tags } from 'aws-cdk-lib';
import type { Operation } from '../operations/operation.ts';
import { registry } from '../operations/registry.ts';
import { currentPlacements, type Placements, RoutesStack } from './api-operations.ts';
import { ApiOperationsStack, ApiStack, PagesStack } from './api-stack.ts';
import { AssetsStack } from './assets-stack.ts';
import type { FunctionBundles, SiteBundle } from './bundle.ts';
import type { Config } from './config.ts';
import { DataStack } from './data-stack.ts';
import { ApiEdgeStack } from './edge/api-edge-stack.ts';
import { EdgeStack } from './edge/edge-stack.ts';
import { EdgeWatchingStack } from './edge/edge-watching-stack.ts';
import { UsageStack } from './edge/usage-stack.ts';
import { EventsStack } from './events-stack.ts';
import { PeopleStack } from './people-stack.ts';
import { RotationStack } from './rotation-stack.ts';
import { WatchingStack } from './watching-stack.ts';

/** All stacks of a deployment. */
export type Deployment = ReturnType<typeof addStacks>;

/**
 * Adds all stacks to the app. The AWS account is taken from the environment of the deployment, so `cdk synth` does not
 * need one.
 */
export function addStacks(
  app: App,
  config: Config,
  bundles: FunctionBundles,
  site: SiteBundle,
  operations: readonly Operation[] = registry,
  placements: Placements = currentPlacements,
) {
  const shared = { app, config, bundles };
  const data = new DataStack(shared);
  const events = new EventsStack(shared, data);
  const rotation = new RotationStack(shared, data);
  const edge = new EdgeStack(shared);
  edge.addStackDependency(data);
  // Deploy the edge stack first. The repository jobs, which are in the events stack, assume the role of the data proxy.
  events.addStackDependency(edge);
  const api = new ApiStack(shared, { data, operations, placements });
  api.addStackDependency(edge);
  // The events stack checks whether the table is new. Deploy it before all stacks that write to the table.
  api.addStackDependency(events);
  const assets = new AssetsStack(shared, site);
  const apiEdge = new ApiEdgeStack(shared, { assets });
  apiEdge.addStackDependency(api);
  const apiOperations = new ApiOperationsStack(shared, api, operations, placements);
  // Deploy the API's edge stack first. The functions in this stack show the URL of the site, which CloudFront may
  // choose.
  apiOperations.addStackDependency(apiEdge);
  const pages = new PagesStack(shared, { api, site });
  // Deploy the API's edge stack before the pages. It comes after the assets stack, which contains the files that pages
  // load.
  pages.addStackDependency(apiEdge);
  const routes = new RoutesStack(shared, api, operations, placements);
  for (const functions of [api, apiOperations, pages]) routes.addStackDependency(functions);
  const people = new PeopleStack(shared);
  people.addStackDependency(routes);
  const watching = new WatchingStack(shared, api);
  const edgeWatching = new EdgeWatchingStack(shared, { edge, apiEdge });
  edgeWatching.addStackDependency(api);
  const usage = new UsageStack(shared);
  // Deploy the edge watching stack first. It contains the source of the data proxy's access log, from which the usage
  // stack counts reads.
  usage.addStackDependency(edgeWatching);
  for (const [name, value] of Object.entries(config.tags)) Tags.of(app).add(name, value);
  return {
    ...{ data, rotation, api, apiOperations, assets, pages, routes, people },
    ...{ events, edge, apiEdge, watching, edgeWatching, usage },
  };
}
