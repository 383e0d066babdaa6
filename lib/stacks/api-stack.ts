import { ArnFormat, CfnOutput, Duration, RemovalPolicy } from 'aws-cdk-lib';
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
import {
  addOperationFunction,
  addPlacedFunctions,
  type OperationFunctionProps,
  type Placements,
  type RoutedApi,
  siteEnvironment,
} from './api-operations.ts';
import type { SiteBundle } from './bundle.ts';
import type { Config } from './config.ts';
import type { DataStack } from './data-stack.ts';
import { ServiceStack, type Shared } from './functions.ts';
import { dataProxyUrlOutput, edgeRegion, pagesSecretName, physicalNames, storageIssuerConfig } from './names.ts';
import { allow, arnsByName, type ReachableArns, roleOf } from './rights.ts';
import { PeoplePool } from './user-pool.ts';

interface ApiStackProps {
  data: DataStack;
  operations: readonly Operation[];
  placements: Placements;
}

/**
 * Names of stack outputs. They replace exports where other stacks cannot import a value: in another region, or when the
 * value may change.
 */
const apiIdOutput = 'ApiId';
const userIssuerOutput = 'UserIssuer';
export const userPoolIdOutput = 'UserPoolId';

/** Returns the ID of the API, for a stack in us-east-1. */
export function apiIdIn(stack: ServiceStack, { homeRegion }: Config): string {
  return stack.outputOf('api', apiIdOutput, homeRegion);
}

/**
 * Returns the URL of the users' issuer, for stacks other than the API's stack. The value comes from a stack output,
 * because a change of the settings may remove the user pool while other stacks use the URL.
 */
export function userIssuerIn(stack: ServiceStack, { homeRegion, userIssuer }: Config): string {
  return userIssuer?.issuer ?? stack.outputOf('api', userIssuerOutput, homeRegion);
}

/**
 * Returns the URL of the data proxy, for use in a stack. Without a configured domain, CloudFront chooses the domain
 * name when it creates the distribution, so the value comes from a stack output.
 */
function dataProxyUrlIn(stack: ServiceStack, { dataDomain }: Config): string {
  return dataDomain === undefined
    ? stack.outputOf('edge', dataProxyUrlOutput, edgeRegion)
    : `https://${dataDomain.name}`;
}

/**
 * The management API: an HTTP API, and some of its functions. The other functions are in a second stack, and the routes
 * are in a third one. An HTTP API cannot have a WAF, so the API refuses requests that did not come through its
 * CloudFront distribution.
 */
export class ApiStack extends ServiceStack implements RoutedApi {
  readonly apiId: string;
  readonly invokerArn: string;
  readonly authorizerId: string;
  readonly #arns: ReachableArns;
  readonly #tableName: string;
  readonly #issuer: string;

  constructor(shared: Shared, { data, operations, placements }: ApiStackProps) {
    super(shared, 'api');
    const { config } = this;
    const people = config.userIssuer === undefined ? new PeoplePool(this, 'People', config) : undefined;
    this.#issuer = config.userIssuer?.issuer ?? people?.issuer ?? '';
    this.#tableName = data.table.tableName;
    const storageIssuer = storageIssuerConfig(config);
    this.#arns = {
      table: data.table.tableArn,
      apiKeyMasterSecret: data.apiKeyMasterSecret.secretArn,
      connectionKey: data.connectionKey.keyArn,
      sessionKeys: data.sessionKeys.secretArn,
      pagesSecret: arnsByName(this, edgeRegion).secret(pagesSecretName(config)),
      ...(storageIssuer === undefined
        ? {}
        : { identityKeys: { keys: arnsByName(this).anyKey(), aliases: storageIssuer.key_ids } }),
      ...(config.dataCite === undefined ? {} : { dataCiteSecret: config.dataCite.secretArn }),
      ...(people === undefined
        ? {}
        : { userClients: arnsByName(this).parameter(physicalNames(config).userClientsParameter) }),
    };
    const authorizeOrigin = this.#createOriginFunction();

    const api = this.#createApi(config);
    this.apiId = api.apiId;
    // Use one role for all functions. Permissions on single functions would need one more resource for each function.
    const functions = this.formatArn({
      service: 'lambda',
      resource: 'function',
      // Use a pattern, because a policy with the names of all functions could be too large.
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
      // The API refuses a request without the secret header. It caches the authorizer's result for each value of the
      // header. For requests through the distribution, the authorizer therefore runs about once in five minutes.
      identitySource: [`$request.header.${originHeader}`],
      authorizerResultTtlInSeconds: 300,
      authorizerUri: `arn:${this.partition}:apigateway:${this.region}:lambda:path/2015-03-31/functions/${authorizeOrigin}/invocations`,
      authorizerCredentialsArn: invoker.roleArn,
    });
    this.invokerArn = invoker.roleArn;
    this.authorizerId = authorizer.ref;
    addPlacedFunctions(this, 'api', operations, placements, this.functionPropsIn(this));

    new CfnOutput(this, apiIdOutput, { value: api.apiId });
    new CfnOutput(this, userIssuerOutput, { value: this.#issuer });
    if (people !== undefined) new CfnOutput(this, userPoolIdOutput, { value: people.pool.userPoolId });
  }

  /**
   * Returns the properties that a stack needs to create the Lambda functions of API operations. Values that may change are
   * parameters of each stack and no CloudFormation exports, because an export cannot change while another stack imports it.
   */
  functionPropsIn(stack: ServiceStack): OperationFunctionProps {
    const { config } = this;
    const { apiDomain, siteDomain, virtualHostBase } = config;
    const storageIssuer = storageIssuerConfig(config);
    const arns = this.#arns;
    const dataProxyUrl = dataProxyUrlIn(stack, config);
    const environment = {
      SLUICE_TABLE_NAME: this.#tableName,
      SLUICE_API_KEY_MASTER_SECRET_ARN: arns.apiKeyMasterSecret,
      SLUICE_CONNECTION_KEY_ARN: arns.connectionKey,
      SLUICE_USER_ISSUER: stack === this ? this.#issuer : userIssuerIn(stack, config),
      ...(config.userIssuer === undefined
        ? { SLUICE_USER_CLIENTS_PARAMETER: physicalNames(config).userClientsParameter }
        : { SLUICE_USER_AUDIENCE: config.userIssuer.audience }),
      SLUICE_ADMIN_IDENTITY_IDS: JSON.stringify(config.adminIdentityIds),
      SLUICE_CI_ISSUERS: JSON.stringify(config.ciIssuers),
      ...(storageIssuer === undefined ? {} : { SLUICE_STORAGE_ISSUER: JSON.stringify(storageIssuer) }),
      SLUICE_ACCOUNT_CONNECTIONS: config.accountConnections,
      SLUICE_DATA_PROXY_URL: dataProxyUrl,
      SLUICE_DEPLOYMENT_HOSTS: JSON.stringify([apiDomain?.name, siteDomain, virtualHostBase].filter(Boolean)),
      SLUICE_CI_AUDIENCE: config.audience ?? dataProxyUrl,
      ...(config.secretScanningKeysUrl === undefined
        ? {}
        : { SLUICE_SECRET_SCANNING_KEYS_URL: config.secretScanningKeysUrl }),
    };
    return { config, environment, arns };
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
        // Log no path and no query, because a URL may contain a key. Log no IP address, because the API sees only those
        // of CloudFront. The distribution's log has the IP addresses of clients.
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

/**
 * Returns the CORS settings of the API. API Gateway adds the headers to every response, including a function's response
 * to a preflight.
 */
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

/** The functions of operations for which the API's own stack has no space. */
export class ApiOperationsStack extends ServiceStack {
  constructor(shared: Shared, api: ApiStack, operations: readonly Operation[], placements: Placements) {
    super(shared, 'api-operations');
    addPlacedFunctions(this, 'api-operations', operations, placements, api.functionPropsIn(this));
  }
}

interface PagesStackProps {
  api: ApiStack;
  site: Pick<SiteBundle, 'entries' | 'logoFile'>;
}

/** The HTML pages, with a Lambda function for each. */
export class PagesStack extends ServiceStack {
  constructor(shared: Shared, { api, site: { entries, logoFile } }: PagesStackProps) {
    super(shared, 'pages');
    const { userIssuer, openDataCacheSeconds } = this.config;
    const props = api.functionPropsIn(this);
    const environment = {
      ...props.environment,
      ...siteEnvironment(this, this.config),
      SLUICE_OPEN_DATA_CACHE_SECONDS: String(openDataCacheSeconds),
      ...(logoFile === undefined ? {} : { SLUICE_SITE_LOGO: logoFile }),
      SLUICE_SITE_ENTRIES: JSON.stringify(entries),
      ...(userIssuer?.clientId === undefined ? {} : { SLUICE_SITE_CLIENT_ID: userIssuer.clientId }),
    };
    for (const page of pages) addOperationFunction(this, page, { ...props, environment });
  }
}
