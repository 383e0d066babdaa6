import { CfnOutput, Duration, Fn, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  CfnIntegration,
  CfnRoute,
  CorsHttpMethod,
  HttpApi,
  HttpStage,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { type Operation, routeKey } from '../operations/operation.ts';
import { registry } from '../operations/registry.ts';
import { bundleOf, type FunctionBundles } from './bundle.ts';
import type { Config } from './config.ts';
import type { DataStack } from './data-stack.ts';
import { LoggedFunction } from './logged-function.ts';
import { operationRights } from './operation-rights.ts';
import { PeoplePool } from './user-pool.ts';

interface ApiStackProps extends StackProps {
  data: DataStack;
  dataProxyUrl: string;
  bundles: FunctionBundles;
}

/** The management API: an HTTP API with one Lambda and one route for each entry of the registry. */
export class ApiStack extends Stack {
  constructor(scope: Construct, id: string, config: Config, { data, dataProxyUrl, bundles, ...props }: ApiStackProps) {
    super(scope, id, props);
    const people = config.userIssuer ?? new PeoplePool(this, 'People', config);
    const arns = {
      table: data.table.tableArn,
      apiKeyMasterSecret: data.apiKeyMasterSecret.secretArn,
      connectionKey: data.connectionKey.keyArn,
    };
    const environment = {
      SLUICE_TABLE_NAME: data.table.tableName,
      SLUICE_API_KEY_MASTER_SECRET_ARN: arns.apiKeyMasterSecret,
      SLUICE_CONNECTION_KEY_ARN: arns.connectionKey,
      SLUICE_USER_ISSUER: people.issuer,
      SLUICE_USER_AUDIENCE: people.audience,
      SLUICE_ADMIN_IDENTITY_IDS: JSON.stringify(config.adminIdentityIds),
      SLUICE_CI_ISSUERS: JSON.stringify(config.ciIssuers),
      SLUICE_DATA_PROXY_URL: dataProxyUrl,
      SLUICE_CI_AUDIENCE: config.audience ?? dataProxyUrl,
      ...(config.secretScanningKeysUrl === undefined
        ? {}
        : { SLUICE_SECRET_SCANNING_KEYS_URL: config.secretScanningKeysUrl }),
    };

    const functions = registry.map((operation) => ({
      operation,
      arn: new LoggedFunction(this, operation.name, {
        functionName: `${config.name}-${operation.name}`,
        bundle: bundleOf(bundles, operation.name),
        description: operation.summary,
        memoryMb: 512,
        timeout: Duration.seconds(15),
        environment,
        rights: operationRights(operation, arns),
      }).function.functionArn,
    }));

    const api = this.#createApi(config);
    // One role that the API takes on to invoke, instead of a permission on each function: a resource less for each.
    const invoker = new Role(this, 'Invoker', {
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      inlinePolicies: {
        invoke: new PolicyDocument({
          statements: [
            new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: functions.map(({ arn }) => arn) }),
          ],
        }),
      },
    });
    for (const { operation, arn } of functions) this.#addRoute(operation, arn, api.apiId, invoker.roleArn);

    new CfnOutput(this, 'ApiUrl', { value: api.apiEndpoint });
    new CfnOutput(this, 'UserIssuer', { value: people.issuer });
    new CfnOutput(this, 'UserAudience', { value: people.audience });
  }

  #createApi(config: Config): HttpApi {
    const api = new HttpApi(this, 'Api', {
      apiName: config.name,
      createDefaultStage: false,
      ...(config.corsOrigins.length === 0 ? {} : { corsPreflight: corsOf(config.corsOrigins) }),
    });
    const accessLog = new LogGroup(this, 'AccessLog', {
      logGroupName: `/aws/vendedlogs/${config.name}/api-access`,
      retention: RetentionDays.THREE_MONTHS,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    new HttpStage(this, 'Stage', {
      httpApi: api,
      stageName: '$default',
      autoDeploy: true,
      throttle: { rateLimit: 500, burstLimit: 1000 },
      accessLogSettings: {
        destination: new LogGroupLogDestination(accessLog),
        // Never the path or the query: a key pasted into a URL must not come to rest in a log.
        format: AccessLogFormat.custom(
          JSON.stringify({
            requestId: '$context.requestId',
            routeKey: '$context.routeKey',
            status: '$context.status',
            responseLatency: '$context.responseLatency',
            ip: '$context.identity.sourceIp',
          }),
        ),
      },
    });
    return api;
  }

  #addRoute(operation: Operation, functionArn: string, apiId: string, credentialsArn: string): void {
    const integration = new CfnIntegration(this, `${operation.name}-integration`, {
      apiId,
      integrationType: 'AWS_PROXY',
      integrationUri: functionArn,
      payloadFormatVersion: '2.0',
      credentialsArn,
    });
    new CfnRoute(this, `${operation.name}-route`, {
      apiId,
      routeKey: routeKey(operation),
      target: Fn.join('/', ['integrations', integration.ref]),
    });
  }
}

function corsOf(allowOrigins: string[]) {
  return {
    allowOrigins,
    allowMethods: [
      CorsHttpMethod.GET,
      CorsHttpMethod.POST,
      CorsHttpMethod.PUT,
      CorsHttpMethod.PATCH,
      CorsHttpMethod.DELETE,
    ],
    allowHeaders: ['authorization', 'content-type', 'idempotency-key'],
    exposeHeaders: ['link', 'location'],
    maxAge: Duration.hours(1),
  };
}
