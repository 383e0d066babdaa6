import { ArnFormat, Duration, Fn } from 'aws-cdk-lib';
import { CfnIntegration, CfnRoute } from 'aws-cdk-lib/aws-apigatewayv2';
import { limits } from '../domain/limits.ts';
import { type Operation, routeKeys } from '../operations/operation.ts';
import { pages } from '../operations/pages.ts';
import { revokeFoundKey, revokeFoundKeys } from '../operations/public.ts';
import { listCatalogue } from '../operations/repositories.ts';
import type { Config } from './config.ts';
import { ServiceStack, type Shared } from './functions.ts';
import { apiUrlOutput, edgeRegion, pagesSecretName } from './names.ts';
import { operationRights, type ReachableArns } from './rights.ts';

/** The values that the functions of all operations in one stack have in common. */
export interface OperationFunctionProps {
  config: Config;
  environment: Record<string, string>;
  arns: ReachableArns;
}

/**
 * A stack that contains functions of operations. There are two such stacks, because a stack may have at most 500
 * resources.
 */
export type FunctionStack = 'api' | 'api-operations';

/** The stack in which the functions of a group of operations are. */
export interface Placement {
  stack: FunctionStack;
  /**
   * The number of times that a group of operations has moved to another stack. Each move changes the names of its
   * functions, because the old and the new functions both exist for one release.
   */
  moves?: number;
  /**
   * The stack that a group of operations leaves with this release. Its old functions stay in that stack until the
   * routes point to the new functions.
   */
  alsoIn?: FunctionStack;
}

type Group = Operation['group'];
export type Placements = Readonly<Partial<Record<Group, Placement>>>;

/**
 * Groups without an entry are in the stack `api-operations`. docs/operating/upgrading.md describes how to move a group.
 */
export const currentPlacements: Placements = {
  accounts: { stack: 'api' },
  'api-keys': { stack: 'api' },
  public: { stack: 'api' },
  repositories: { stack: 'api' },
};

function placementOf({ group }: Pick<Operation, 'group'>, placements: Placements): Placement {
  return placements[group] ?? { stack: 'api-operations' };
}

/** Returns the name of the Lambda function of an operation, without the deployment's prefix. */
export function functionNameOf(
  operation: Pick<Operation, 'group' | 'name'>,
  placements: Placements = currentPlacements,
): string {
  return nameAfter(placementOf(operation, placements).moves ?? 0, operation);
}

function nameAfter(moves: number, { name }: Pick<Operation, 'name'>): string {
  return moves === 0 ? name : `${name}-${moves + 1}`;
}

const publicRevocations: readonly string[] = [revokeFoundKey.name, revokeFoundKeys.name];

function reservedFor(name: string, { reservedConcurrency }: Config): number | undefined {
  if (name === listCatalogue.name) return reservedConcurrency.catalogue;
  return publicRevocations.includes(name) ? reservedConcurrency.publicRevocation : undefined;
}

/** Adds the functions of the operations in this stack, and the functions that leave this stack with this release. */
export function addPlacedFunctions(
  stack: ServiceStack,
  name: FunctionStack,
  operations: readonly Operation[],
  placements: Placements,
  props: OperationFunctionProps,
): void {
  for (const operation of operations) {
    const { stack: home, moves = 0, alsoIn } = placementOf(operation, placements);
    if (home === name) addOperationFunction(stack, operation, props, nameAfter(moves, operation));
    else if (alsoIn === name) addOperationFunction(stack, operation, props, nameAfter(moves - 1, operation));
  }
}

/** Adds the Lambda function of one operation. Its route is in the stack of the routes. */
export function addOperationFunction(
  stack: ServiceStack,
  operation: Operation,
  { config, environment, arns }: OperationFunctionProps,
  name: string = operation.name,
): void {
  stack.addFunction(operation.name, {
    name,
    description: operation.summary,
    memoryMb: operation.memoryMb ?? 512,
    timeout: Duration.seconds(limits.operationSecondsMax),
    reservedConcurrency: reservedFor(operation.name, config),
    environment: {
      ...environment,
      ...(operation.sealsSessions ? { SLUICE_SESSION_KEY_SECRET_ARN: arns.sessionKeys } : {}),
      ...(operation.registersDois && config.dataCite !== undefined
        ? { SLUICE_DATACITE: JSON.stringify(config.dataCite) }
        : {}),
      ...(operation.showsSite ? siteEnvironment(stack, config) : {}),
      ...(operation.showsSiteDesign ? { SLUICE_SITE: JSON.stringify(config.site) } : {}),
      ...(operation.readsOpenData
        ? { SLUICE_PAGES_SECRET_NAME: pagesSecretName(config), SLUICE_PAGES_SECRET_REGION: edgeRegion }
        : {}),
    },
    rights: operationRights(operation, arns),
  });
}

/**
 * Returns the environment variables with the site's texts and its URL, which pages and citations give to other
 * services. Without a configured domain, CloudFront chooses the domain name, so the value comes from a stack output.
 */
export function siteEnvironment(stack: ServiceStack, { site, siteDomain, apiDomain }: Config): Record<string, string> {
  const name = siteDomain ?? apiDomain?.name;
  return {
    SLUICE_SITE: JSON.stringify(site),
    SLUICE_SITE_URL: name === undefined ? stack.outputOf('api-edge', apiUrlOutput, edgeRegion) : `https://${name}`,
  };
}

/** The API to which routes are added. */
export interface RoutedApi {
  apiId: string;
  /** The ARN of the role with which API Gateway invokes Lambda functions. */
  invokerArn: string;
  authorizerId: string;
}

/**
 * The construct IDs of an operation's first routes. They must not change, because CloudFormation would create the
 * existing routes a second time.
 */
const routeNames: readonly string[] = ['route', 'head-route'];

/**
 * The routes of all operations and pages. A route contains only the name of its function, which can be in any stack
 * that is deployed earlier. A function can therefore move to another stack: the route changes after the new function
 * exists.
 */
export class RoutesStack extends ServiceStack {
  constructor(
    shared: Shared,
    { apiId, invokerArn, authorizerId }: RoutedApi,
    operations: readonly Operation[],
    placements: Placements,
  ) {
    super(shared, 'routes');
    for (const operation of [...operations, ...pages]) {
      const integration = new CfnIntegration(this, `${operation.name}-integration`, {
        apiId,
        integrationType: 'AWS_PROXY',
        integrationUri: this.formatArn({
          service: 'lambda',
          resource: 'function',
          resourceName: `${this.config.name}-${functionNameOf(operation, placements)}`,
          arnFormat: ArnFormat.COLON_RESOURCE_NAME,
        }),
        payloadFormatVersion: '2.0',
        credentialsArn: invokerArn,
      });
      for (const [at, routeKey] of routeKeys(operation).entries()) {
        new CfnRoute(this, `${operation.name}-${routeNames[at] ?? `route${at + 1}`}`, {
          apiId,
          routeKey,
          target: Fn.join('/', ['integrations', integration.ref]),
          authorizationType: 'CUSTOM',
          authorizerId,
        });
      }
    }
  }
}
