import type { App } from 'aws-cdk-lib';
import { ApiStack } from './api-stack.ts';
import type { FunctionBundles } from './bundle.ts';
import type { Config } from './config.ts';
import { DataStack } from './data-stack.ts';
import { EdgeStack } from './edge-stack.ts';
import { EventsStack } from './events-stack.ts';

export interface Deployment {
  data: DataStack;
  api: ApiStack;
  events: EventsStack;
  edge: EdgeStack;
}

/** Adds the four stacks. The account is left to whoever deploys, so that synthesizing needs none. */
export function addStacks(app: App, config: Config, bundles: FunctionBundles): Deployment {
  const home = { env: { region: config.homeRegion } };
  const data = new DataStack(app, `${config.name}-data`, config, home);
  const events = new EventsStack(app, `${config.name}-events`, config, { ...home, data, bundles });
  // Lambda@Edge functions are made in this region and nowhere else.
  const edge = new EdgeStack(app, `${config.name}-edge`, config, {
    env: { region: 'us-east-1' },
    // The distribution's name is not known before it is made, and the API tells it to people.
    crossRegionReferences: true,
    bundles,
  });
  edge.addStackDependency(data);
  const api = new ApiStack(app, `${config.name}-api`, config, {
    ...home,
    crossRegionReferences: true,
    data,
    dataProxyUrl: edge.url,
    bundles,
  });
  return { data, api, events, edge };
}
