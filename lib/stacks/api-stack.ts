import { ArnFormat, CfnOutput, Duration, Fn, RemovalPolicy } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  CfnAuthorizer,
  CorsHttpMethod,
  HttpApi,
  HttpStage,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { originHeader } from '../domain/secrets/origin-secret.ts';
import { managementCors } from '../operations/cors.ts';
import type { Operation } from '../operations/operation.ts';
import { pages } from '../operations/pages.ts';
import { type ApiOperationProps, addOperation, isInFirstStack } from './api-operations.ts';
import type { SiteBundle } from './bundle.ts';
import type { Config } from './config.ts';
import type { DataStack } from './data-stack.ts';
import { ServiceStack, type Shared } from './functions.ts';
import { edgeRegion, pagesSecretName, physicalNames } from './names.ts';
import { allow, arnsByName, roleOf } from './rights.ts';
import { PeoplePool } from './user-pool.ts';

interface ApiStackProps {
  data: DataStack;
  dataProxyUrl: string;
  operations: readonly Operation[];
}

const apiIdOutput = 'ApiId';

/**
 * Returns the API's ID for stacks in us-east-1. Reads the stack output, because CloudFormation has no cross-region
 * exports.
 */
export function apiIdOf({ stackName }: ApiStack, { homeRegion }: Config): string {
  return Fn.getStackOutput(stackName, apiIdOutput, homeRegion);
}

/**
 * The management API: an HTTP API with one Lambda and its routes for each registry entry. A second stack contains some
 * of them. The API's own URL refuses requests that did not come through CloudFront, because an HTTP API cannot have a
 * WAF.
 */
export class ApiStack extends ServiceStack {
  readonly apiId: string;
  /** The user pool, if the deployment has one. */
  readonly people: PeoplePool | undefined;
  readonly operationProps: ApiOperationProps;

  constructor(shared: Shared, { data, dataProxyUrl, operations }: ApiStackProps) {
    super(shared, 'api');
    const { config } = this;
    const people = config.userIssuer ?? new PeoplePool(this, 'People', config);
    this.people = people instanceof PeoplePool ? people : undefined;
    const { userClientsParameter } = physicalNames(config);
    const arns = {
      table: data.table.tableArn,
      apiKeyMasterSecret: data.apiKeyMasterSecret.secretArn,
      connectionKey: data.connectionKey.keyArn,
      sessionKeys: data.sessionKeys.secretArn,
      pagesSecret: arnsByName(this, edgeRegion).secret(pagesSecretName(config)),
      ...(config.userIssuer === undefined ? { userClients: arnsByName(this).parameter(userClientsParameter) } : {}),
    };
    const environment = {
      SLUICE_TABLE_NAME: data.table.tableName,
      SLUICE_API_KEY_MASTER_SECRET_ARN: arns.apiKeyMasterSecret,
      SLUICE_CONNECTION_KEY_ARN: arns.connectionKey,
      SLUICE_USER_ISSUER: people.issuer,
      ...(config.userIssuer === undefined
        ? { SLUICE_USER_CLIENTS_PARAMETER: userClientsParameter }
        : { SLUICE_USER_AUDIENCE: config.userIssuer.audience }),
      SLUICE_ADMIN_IDENTITY_IDS: JSON.stringify(config.adminIdentityIds),
      SLUICE_CI_ISSUERS: JSON.stringify(config.ciIssuers),
      SLUICE_DATA_PROXY_URL: dataProxyUrl,
      SLUICE_CI_AUDIENCE: config.audience ?? dataProxyUrl,
      ...(config.secretScanningKeysUrl === undefined
        ? {}
        : { SLUICE_SECRET_SCANNING_KEYS_URL: config.secretScanningKeysUrl }),
    };

    const authorizeOrigin = this.#createOriginFunction();

    const api = this.#createApi(config);
    this.apiId = api.apiId;
    // One role for all functions replaces a permission on each function, which saves a resource for each.
    const functions = this.formatArn({
      service: 'lambda',
      resource: 'function',
      // A pattern, because the names of all functions could exceed the size limit of a policy.
      resourceName: `${config.name}-*`,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    const invoker = roleOf(this, 'Invoker', 'apigateway', 'invoke', [allow(['lambda:InvokeFunction'], [functions])]);
    const authorizer = new CfnAuthorizer(this, 'OriginAuthorizer', {
      apiId: api.apiId,
      name: 'origin',
      authorizerType: 'REQUEST',
      authorizerPayloadFormatVersion: '2.0',
      enableSimpleResponses: true,
      // The API refuses a request without the header. It caches the result for a value, so the function runs about once
      // in five minutes for requests through the distribution.
      identitySource: [`$request.header.${originHeader}`],
      authorizerResultTtlInSeconds: 300,
      authorizerUri: `arn:${this.partition}:apigateway:${this.region}:lambda:path/2015-03-31/functions/${authorizeOrigin}/invocations`,
      authorizerCredentialsArn: invoker.roleArn,
    });
    this.operationProps = {
      config,
      environment,
      arns,
      apiId: api.apiId,
      invokerArn: invoker.roleArn,
      authorizerId: authorizer.ref,
    };
    for (const operation of operations)
      if (isInFirstStack(operation)) addOperation(this, operation, this.operationProps);

    new CfnOutput(this, apiIdOutput, { value: api.apiId });
    new CfnOutput(this, 'UserIssuer', { value: people.issuer });
  }

  #createApi(config: Config): HttpApi {
    const api = new HttpApi(this, 'Api', {
      apiName: config.name,
      createDefaultStage: false,
      ...(config.corsOrigins.length === 0 ? {} : { corsPreflight: corsOf(config.corsOrigins) }),
    });
    const accessLog = new LogGroup(this, 'AccessLog', {
      logGroupName: `/aws/vendedlogs/${config.name}/api-access`,
      retention: config.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    new HttpStage(this, 'Stage', {
      httpApi: api,
      stageName: '$default',
      autoDeploy: true,
      throttle: { rateLimit: config.throttles.apiPerSecond, burstLimit: config.throttles.apiBurst },
      accessLogSettings: {
        destination: new LogGroupLogDestination(accessLog),
        // No path and no query, because a key in a URL must not appear in a log. The distribution's log has the client
        // IP addresses; here every IP address belongs to CloudFront.
        format: AccessLogFormat.custom(
          JSON.stringify({
            requestId: '$context.requestId',
            routeKey: '$context.routeKey',
            status: '$context.status',
            responseLatency: '$context.responseLatency',
            error: '$context.authorizer.error',
          }),
        ),
      },
    });
    return api;
  }

  #createOriginFunction(): string {
    const secretName = physicalNames(this.config).originSecret;
    return this.addFunction('authorize-origin', {
      description: "Admits requests that came through the API's distribution",
      memoryMb: 256,
      timeout: Duration.seconds(5),
      reservedConcurrency: this.config.reservedConcurrency.authorizer,
      environment: { SLUICE_ORIGIN_SECRET_NAME: secretName, SLUICE_ORIGIN_SECRET_REGION: edgeRegion },
      rights: [allow(['secretsmanager:GetSecretValue'], [arnsByName(this, edgeRegion).secret(secretName)])],
    }).function.functionArn;
  }
}

/** API Gateway adds these headers to every response, including the function's own response to a preflight. */
function corsOf(allowOrigins: string[]) {
  const { methods, headers, exposedHeaders, maxAgeSeconds } = managementCors;
  return {
    allowOrigins,
    allowMethods: methods.map((method) => CorsHttpMethod[method]),
    allowHeaders: [...headers],
    exposeHeaders: [...exposedHeaders],
    maxAge: Duration.seconds(maxAgeSeconds),
  };
}

/** Operations that do not fit into the API's own stack. */
export class ApiOperationsStack extends ServiceStack {
  constructor(shared: Shared, { operationProps }: ApiStack, operations: readonly Operation[]) {
    super(shared, 'api-operations');
    for (const operation of operations) if (!isInFirstStack(operation)) addOperation(this, operation, operationProps);
  }
}

interface PagesStackProps {
  api: ApiStack;
  /** The URL of the site. */
  siteUrl: string;
  site: Pick<SiteBundle, 'entries' | 'logoFile'>;
}

/** The HTML pages: routes of the same API, each with its own Lambda. */
export class PagesStack extends ServiceStack {
  constructor(shared: Shared, { api, siteUrl, site: { entries, logoFile } }: PagesStackProps) {
    super(shared, 'pages');
    const { operationProps } = api;
    const { site, userIssuer, openDataCacheSeconds } = this.config;
    const environment = {
      ...operationProps.environment,
      SLUICE_SITE: JSON.stringify(site),
      SLUICE_SITE_URL: siteUrl,
      SLUICE_OPEN_DATA_CACHE_SECONDS: String(openDataCacheSeconds),
      ...(logoFile === undefined ? {} : { SLUICE_SITE_LOGO: logoFile }),
      SLUICE_SITE_ENTRIES: JSON.stringify(entries),
      ...(userIssuer?.clientId === undefined ? {} : { SLUICE_SITE_CLIENT_ID: userIssuer.clientId }),
    };
    for (const page of pages) addOperation(this, page, { ...operationProps, environment });
  }
}
