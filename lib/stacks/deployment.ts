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

export interface Deployment {
  data: DataStack;
  rotation: RotationStack;
  api: ApiStack;
  apiOperations: ApiOperationsStack;
  assets: AssetsStack;
  pages: PagesStack;
  events: EventsStack;
  edge: EdgeStack;
  apiEdge: ApiEdgeStack;
  /** The sign-in stack, if the deployment has a user pool. */
  people?: PeopleStack;
  watching: WatchingStack;
  edgeWatching: EdgeWatchingStack;
}

/** Adds all stacks. The account comes from the deploying environment, so synthesis does not need one. */
export function addStacks(
  app: App,
  config: Config,
  bundles: FunctionBundles,
  site: SiteBundle,
  operations: readonly Operation[] = registry,
): Deployment {
  const terminationProtection = config.terminationProtection ?? config.removalPolicy === 'retain';
  const home = { env: { region: config.homeRegion }, terminationProtection };
  const data = new DataStack(app, `${config.name}-data`, config, home);
  const events = new EventsStack(app, `${config.name}-events`, config, { ...home, data, bundles });
  const rotation = new RotationStack(app, `${config.name}-rotation`, config, { ...home, data, bundles });
  const atTheEdge = { env: { region: edgeRegion }, terminationProtection };
  const edge = new EdgeStack(app, `${config.name}-edge`, config, { ...atTheEdge, bundles });
  edge.addStackDependency(data);
  const api = new ApiStack(app, `${config.name}-api`, config, {
    ...home,
    data,
    dataProxyUrl: dataProxyUrl(config, edge),
    bundles,
    operations,
  });
  api.addStackDependency(edge);
  // The events stack checks whether the table is new, so it comes before all stacks that write to the table.
  api.addStackDependency(events);
  const apiOperations = new ApiOperationsStack(app, `${config.name}-api-operations`, { ...home, api, operations });
  apiOperations.addStackDependency(api);
  const assets = new AssetsStack(app, `${config.name}-assets`, config, { ...atTheEdge, site });
  const apiEdge = new ApiEdgeStack(app, `${config.name}-api-edge`, config, { ...atTheEdge, api, assets, bundles });
  apiEdge.addStackDependency(api);
  const pages = new PagesStack(app, `${config.name}-pages`, {
    ...home,
    api,
    siteUrl: siteUrl(config, apiEdge),
    siteEntries: site.entries,
    logoFile: site.logoFile,
  });
  // The edge stack of the API depends on the files that the pages refer to, and comes before the pages.
  pages.addStackDependency(apiEdge);
  const people =
    api.people && new PeopleStack(app, `${config.name}-people`, config, { ...home, people: api.people, apiEdge });
  people?.addStackDependency(apiEdge);
  const watching = new WatchingStack(app, `${config.name}-watching`, config, { ...home, api });
  const edgeWatching = new EdgeWatchingStack(app, `${config.name}-edge-watching`, config, {
    ...atTheEdge,
    api,
    edge,
    apiEdge,
  });
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

/**
 * Returns the URL that the API shows to users. The distribution's domain name is unknown until it exists, possibly in
 * another region.
 */
function dataProxyUrl({ dataDomain }: Config, edge: EdgeStack): string {
  return dataDomain === undefined
    ? Fn.getStackOutput(edge.stackName, dataProxyUrlOutput, edgeRegion)
    : `https://${dataDomain.name}`;
}
