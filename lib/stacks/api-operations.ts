import { Duration, Fn, type Stack } from 'aws-cdk-lib';
import { CfnIntegration, CfnRoute } from 'aws-cdk-lib/aws-apigatewayv2';
import { limits } from '../domain/limits.ts';
import { type Operation, routeKeys } from '../operations/operation.ts';
import { revokeFoundKey, revokeFoundKeys } from '../operations/public.ts';
import { listCatalogue } from '../operations/repositories.ts';
import type { FunctionBundles } from './bundle.ts';
import type { Config } from './config.ts';
import { LoggedFunction } from './logged-function.ts';
import { edgeRegion, pagesSecretName } from './names.ts';
import { operationRights, type ReachableArns } from './operation-rights.ts';

/** What all operations of the API share, whichever stack they lie in. */
export interface ApiOperationProps {
  config: Config;
  bundles: FunctionBundles;
  environment: Record<string, string>;
  arns: ReachableArns;
  apiId: string;
  /** The role that the API takes on to invoke. */
  invokerArn: string;
  authorizerId: string;
}

/**
 * Groups whose operations lie in the API's own stack, those of all others in a second one: each operation is five
 * resources, and a stack takes 500. A group stays where it was deployed, or its routes are gone while it moves.
 */
const groupsOfFirstStack: ReadonlySet<Operation['group']> = new Set(['accounts', 'api-keys', 'public', 'repositories']);

export function isInFirstStack({ group }: Pick<Operation, 'group'>): boolean {
  return groupsOfFirstStack.has(group);
}

const publicRevocations: readonly string[] = [revokeFoundKey.name, revokeFoundKeys.name];

function reservedFor(name: string, { reservedConcurrency }: Config): number | undefined {
  if (name === listCatalogue.name) return reservedConcurrency.catalogue;
  return publicRevocations.includes(name) ? reservedConcurrency.publicRevocation : undefined;
}

/** What a route is called that was deployed before operations had more of them. */
const routeNames: readonly string[] = ['route', 'head-route'];

/** The Lambda and the routes of one operation. */
export function addOperation(stack: Stack, operation: Operation, props: ApiOperationProps): void {
  const { config, bundles, environment, arns, apiId, invokerArn, authorizerId } = props;
  const { function: lambda } = new LoggedFunction(stack, operation.name, {
    config,
    bundles,
    description: operation.summary,
    memoryMb: operation.memoryMb ?? 512,
    timeout: Duration.seconds(limits.operationSecondsMax),
    reservedConcurrency: reservedFor(operation.name, config),
    environment: {
      ...environment,
      ...(operation.sealsSessions ? { SLUICE_SESSION_KEY_SECRET_ARN: arns.sessionKeys } : {}),
      ...(operation.readsOpenData
        ? { SLUICE_PAGES_SECRET_NAME: pagesSecretName(config), SLUICE_PAGES_SECRET_REGION: edgeRegion }
        : {}),
    },
    rights: operationRights(operation, arns),
  });
  const integration = new CfnIntegration(stack, `${operation.name}-integration`, {
    apiId,
    integrationType: 'AWS_PROXY',
    integrationUri: lambda.functionArn,
    payloadFormatVersion: '2.0',
    credentialsArn: invokerArn,
  });
  for (const [at, routeKey] of routeKeys(operation).entries()) {
    new CfnRoute(stack, `${operation.name}-${routeNames[at] ?? `route${at + 1}`}`, {
      apiId,
      routeKey,
      target: Fn.join('/', ['integrations', integration.ref]),
      authorizationType: 'CUSTOM',
      authorizerId,
    });
  }
}
