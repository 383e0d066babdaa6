import { Duration, Fn } from 'aws-cdk-lib';
import { CfnIntegration, CfnRoute } from 'aws-cdk-lib/aws-apigatewayv2';
import { limits } from '../domain/limits.ts';
import { type Operation, routeKeys } from '../operations/operation.ts';
import { revokeFoundKey, revokeFoundKeys } from '../operations/public.ts';
import { listCatalogue } from '../operations/repositories.ts';
import type { Config } from './config.ts';
import type { ServiceStack } from './functions.ts';
import { edgeRegion, pagesSecretName } from './names.ts';
import { operationRights, type ReachableArns } from './rights.ts';

/** Values that all operations of the API share, in every stack. */
export interface ApiOperationProps {
  config: Config;
  environment: Record<string, string>;
  arns: ReachableArns;
  apiId: string;
  /** The role with which the API invokes Lambdas. */
  invokerArn: string;
  authorizerId: string;
}

/**
 * The groups of operations in the API's own stack. All others are in a second stack, because each operation has five
 * resources and a stack allows 500. Do not move a deployed group: its routes would be missing during the move.
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

/** Construct IDs of the first routes. They keep the names from before operations could have more routes. */
const routeNames: readonly string[] = ['route', 'head-route'];

/** Adds the Lambda and the routes of one operation. */
export function addOperation(stack: ServiceStack, operation: Operation, props: ApiOperationProps): void {
  const { config, environment, arns, apiId, invokerArn, authorizerId } = props;
  const { function: lambda } = stack.addFunction(operation.name, {
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
