import { isDeepStrictEqual } from 'node:util';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { readIdempotentRequest } from '../../../lib/http/idempotency.ts';
import { readEnvironment } from '../../../lib/lambda/environment.ts';
import type { Operation } from '../../../lib/operations/operation.ts';
import { routeKey, routeKeys } from '../../../lib/operations/operation.ts';
import { pages } from '../../../lib/operations/pages.ts';
import { registry } from '../../../lib/operations/registry.ts';
import { keys } from '../../../lib/store/keys.ts';
import {
  domain,
  propertiesOf,
  rightsByRole,
  rightsOf,
  type Statement,
  synthesize,
  type Templates,
  withOutputs,
} from './synthesized.ts';

/** Returns both stacks of an API: the main stack, and a stack for the operations that do not fit into it. */
const stacksOf = ({ api, apiOperations }: Templates): Template[] => [api, apiOperations];
const templates = synthesize();
const stacks = stacksOf(templates);

/** Returns every Lambda except the authorizer. */
const operationFunctions = (given: Templates) =>
  propertiesOf(stacksOf(given), 'AWS::Lambda::Function').filter(
    ({ FunctionName }) => !FunctionName.endsWith('-authorize-origin'),
  );
/** Returns the distinct values of a variable of the functions. */
const variable = (given: Templates, name: string): unknown[] => [
  ...new Set(
    stacksOf(given).flatMap((template) =>
      propertiesOf(template, 'AWS::Lambda::Function')
        .filter(({ FunctionName }) => !FunctionName.endsWith('-authorize-origin'))
        .map(({ Environment }) => withOutputs(template, { value: Environment.Variables[name] }))
        .map((holder) => Object(holder).value),
    ),
  ),
];
const rights = (name: string) => rightsOf(stacks, `sluice-${name}`);
const actionsOf = (name: string) => rights(name).flatMap(({ Action }) => Action);
const userIssuer = { issuer: 'https://id.example.org', audience: 'web' };

describe('the management API', () => {
  it('has one Lambda and one route for each operation, and further ones only for pages', () => {
    const { routes } = templates;
    const integrations = routes.findResources('AWS::ApiGatewayV2::Integration');
    const functionOfRoute = propertiesOf(routes, 'AWS::ApiGatewayV2::Route').map(({ Target, RouteKey }) => {
      const uri = JSON.stringify(integrations[Target['Fn::Join'][1][1].Ref]?.['Properties'].IntegrationUri);
      return [RouteKey, /:function:([\w-]+)"/.exec(uri)?.[1]];
    });
    const expected = registry.map((operation) => [routeKey(operation), `sluice-${operation.name}`] as const);
    const ofPages = pages.flatMap((page) => routeKeys(page).map((key) => [key, `sluice-${page.name}`] as const));
    expect(Object.fromEntries(functionOfRoute)).toEqual(Object.fromEntries([...expected, ...ofPages]));
    expect(
      operationFunctions(templates)
        .map(({ FunctionName }) => FunctionName)
        .sort(),
    ).toEqual(expected.map(([, name]) => name).sort());
  });

  it('runs on arm64, with payload 2.0 and a timeout below that of the gateway', () => {
    for (const each of operationFunctions(templates))
      expect(each).toMatchObject({ Architectures: ['arm64'], Timeout: 15, LoggingConfig: expect.anything() });
    templates.routes.allResourcesProperties('AWS::ApiGatewayV2::Integration', {
      PayloadFormatVersion: '2.0',
      IntegrationType: 'AWS_PROXY',
      CredentialsArn: Match.anyValue(),
    });
  });

  it('has no route that accepts calls without the secret of the distribution', () => {
    const [authorizerId = ''] = Object.keys(templates.api.findResources('AWS::ApiGatewayV2::Authorizer'));
    templates.api.hasResourceProperties('AWS::ApiGatewayV2::Authorizer', {
      AuthorizerType: 'REQUEST',
      EnableSimpleResponses: true,
      IdentitySource: ['$request.header.x-sluice-origin'],
      AuthorizerResultTtlInSeconds: 300,
    });
    templates.routes.allResourcesProperties('AWS::ApiGatewayV2::Route', {
      AuthorizationType: 'CUSTOM',
      AuthorizerId: { 'Fn::ImportValue': Match.stringLikeRegexp(authorizerId) },
    });
    for (const template of stacks) template.resourceCountIs('AWS::ApiGatewayV2::Route', 0);
    const logging = ['logs:CreateLogStream', 'logs:PutLogEvents'];
    expect(actionsOf('authorize-origin')).toEqual(['secretsmanager:GetSecretValue', ...logging]);
  });

  it('is throttled as configured, and its access log contains no paths and no queries', () => {
    const { api } = synthesize({ throttles: { apiPerSecond: 50, apiBurst: 70 } });
    const [stage] = propertiesOf(api, 'AWS::ApiGatewayV2::Stage');
    expect(stage.DefaultRouteSettings).toEqual({ ThrottlingRateLimit: 50, ThrottlingBurstLimit: 70 });
    const logged = ['authorizer.error', 'requestId', 'responseLatency', 'routeKey', 'status'];
    const format: object = JSON.parse(stage.AccessLogSettings.Format);
    expect(Object.values(format).sort()).toEqual(logged.map((name) => `$context.${name}`));
  });

  it('stores its logs for the configured time', () => {
    for (const template of stacksOf(synthesize({ logRetentionDays: 30 })))
      template.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 30 });
  });

  it('reserves concurrency for the authorizer and the public revocations if configured, and for no others', () => {
    const reserved = (settings: object) =>
      Object.fromEntries(
        propertiesOf(stacksOf(synthesize(settings)), 'AWS::Lambda::Function')
          .filter(({ ReservedConcurrentExecutions }) => ReservedConcurrentExecutions !== undefined)
          .map(({ FunctionName, ReservedConcurrentExecutions }) => [FunctionName, ReservedConcurrentExecutions]),
      );
    expect(reserved({})).toEqual({});
    expect(reserved({ reservedConcurrency: { authorizer: 5, publicRevocation: 6 } })).toEqual({
      'sluice-authorize-origin': 5,
      'sluice-revoke-found-key': 6,
      'sluice-revoke-found-keys': 6,
    });
  });

  it('has a user pool only without a configured issuer, with or without open sign-up', () => {
    const isClosed = (settings: object) =>
      propertiesOf(synthesize(settings).api, 'AWS::Cognito::UserPool').map(
        ({ AdminCreateUserConfig }) => AdminCreateUserConfig.AllowAdminCreateUserOnly,
      );
    expect([{}, { selfSignUp: false }, { userIssuer }].map(isClosed)).toEqual([[false], [true], []]);
  });

  it('answers only the browsers of configured origins', () => {
    const corsOf = (settings: object) =>
      propertiesOf(synthesize(settings).api, 'AWS::ApiGatewayV2::Api')[0].CorsConfiguration;
    expect(corsOf({})).toBeUndefined();
    const cors = corsOf({ corsOrigins: ['https://app.example.org'] });
    expect([cors.AllowOrigins, cors.AllowCredentials]).toEqual([['https://app.example.org'], undefined]);
  });
});

describe('the environment of an operation', () => {
  const distribution = 'sluice-edge.DataProxyUrl of us-east-1';
  const elsewhere = { homeRegion: 'eu-west-1' };
  const named = { dataDomain: domain('data.example.org'), audience: 'https://old.example.org' };
  const secretScanningKeysUrl = 'https://api.github.com/meta/public_keys/secret_scanning';

  it.each<[string, object, unknown]>([
    ['SLUICE_DATA_PROXY_URL', {}, distribution],
    ['SLUICE_DATA_PROXY_URL', elsewhere, distribution],
    ['SLUICE_DATA_PROXY_URL', named, 'https://data.example.org'],
    ['SLUICE_CI_AUDIENCE', elsewhere, distribution],
    ['SLUICE_CI_AUDIENCE', named, 'https://old.example.org'],
    ['SLUICE_SECRET_SCANNING_KEYS_URL', {}, undefined],
    ['SLUICE_SECRET_SCANNING_KEYS_URL', { secretScanningKeysUrl }, secretScanningKeysUrl],
    ['SLUICE_USER_ISSUER', { userIssuer }, 'https://id.example.org'],
    ['SLUICE_USER_AUDIENCE', { userIssuer }, 'web'],
    ['SLUICE_USER_CLIENTS_PARAMETER', {}, '/sluice/people-clients'],
    ['SLUICE_USER_CLIENTS_PARAMETER', { userIssuer }, undefined],
  ])('has %s for the settings %j', (name, settings, value) => {
    expect(variable(synthesize(settings), name)).toEqual([value]);
  });

  it('has every variable that the function reads', () => {
    const variables: Record<string, unknown> = operationFunctions(templates)[0].Environment.Variables;
    for (const [name, value] of Object.entries(variables))
      vi.stubEnv(name, typeof value === 'string' ? value : JSON.stringify(value));
    expect(Object.keys(readEnvironment()).sort()).toEqual(Object.keys(variables).sort());
    vi.unstubAllEnvs();
  });
});

describe('the rights of an operation', () => {
  it.each(registry.map((operation) => [operation.name, operation] as const))(
    'of %s are those of its registry entry',
    (name, operation) => {
      const { partitions, indexes } = operation.tableAccess;
      const bound = partitions && {
        'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': partitions.map((start) => `${start}*`) },
      };
      const isOfTable = ({ Action, Resource }: Statement) =>
        Action.join().includes('dynamodb:') && !Resource.join().includes('/index/');
      const actions = rights(name)
        .filter((statement) => isDeepStrictEqual(statement.Condition, isOfTable(statement) ? bound : undefined))
        .flatMap(({ Action }) => Action);
      const of = (prefix: string) =>
        actions.filter((action) => action.startsWith(prefix)).map((action) => action.slice(prefix.length));
      const authenticates = !operation.ignoresAuthorization;
      const loads = authenticates || operation.target !== 'nothing';
      const pipeline = loads ? ['BatchGetItem', 'GetItem'] : [];
      const indexQueries = indexes.length > 0 ? ['Query'] : [];
      expect(new Set(of('dynamodb:'))).toEqual(
        new Set([...pipeline, ...operation.tableAccess.actions, ...indexQueries]),
      );
      const readsSecret = authenticates || operation.kind === 'list' || operation.sealsSessions === true;
      expect(of('secretsmanager:')).toEqual(readsSecret ? ['GetSecretValue'] : []);
      const keyActions = { seal: 'Encrypt', open: 'Decrypt' };
      expect(of('kms:').sort()).toEqual((operation.connectionSecrets ?? []).map((use) => keyActions[use]).sort());
      const resources = rights(name).flatMap(({ Resource }) => Resource);
      const reached = resources.flatMap((resource) => resource.match(/\/index\/[^"]*/g) ?? []);
      expect(reached.sort()).toEqual(indexes.map((index) => `/index/${index}`).sort());
      expect(resources.filter((resource) => resource.includes(':parameter')).join()).toMatch(
        authenticates ? /parameter\/sluice\/people-clients/ : /^$/,
      );
    },
  );

  it('may change only answers stored for retries by the right to change them', () => {
    const input = { path: {}, query: {}, body: undefined };
    const isStored = (operation: Operation) =>
      readIdempotentRequest(operation, 'key', { kind: 'anonymous' }, input, 'id') !== undefined;
    const ofStored = { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['IDEMPOTENCY#*'] } };
    for (const operation of registry.filter(({ tableAccess }) => !tableAccess.actions.includes('UpdateItem'))) {
      const updates = rights(operation.name).filter(({ Action }) => Action.includes('dynamodb:UpdateItem'));
      const conditions = updates.map(({ Condition }) => Condition);
      expect(conditions, operation.name).toEqual(isStored(operation) ? [ofStored] : []);
    }
    expect(keys.idempotency('scope').pk).toMatch(/^IDEMPOTENCY#/);
  });

  it('let no operation that anyone may call write to the audit trail', () => {
    const open = registry.filter(({ ignoresAuthorization }) => ignoresAuthorization);
    const writers = open.filter(({ name }) => JSON.stringify(rights(name)).includes('AUDIT#'));
    expect(open.length).toBeGreaterThan(5);
    expect(writers.map(({ name }) => name)).toEqual([]);
  });

  it('allow only the two functions that issue credentials to read the session keys', () => {
    const readers = registry.filter(({ name }) => JSON.stringify(rights(name)).includes('SessionKeys'));
    expect(readers.map(({ name }) => name)).toEqual(['create-link-credentials', 'create-data-credentials']);
    const told = operationFunctions(templates).filter(
      ({ Environment }) => Environment.Variables['SLUICE_SESSION_KEY_SECRET_ARN'] !== undefined,
    );
    expect(told.map(({ FunctionName }) => FunctionName).sort()).toEqual([
      'sluice-create-data-credentials',
      'sluice-create-link-credentials',
    ]);
  });

  it('allow only one function to read the password of DataCite', () => {
    const secretArn = 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:datacite-AbCdEf';
    const dataCite = { repositoryId: 'TIDES.OPEN', secretArn, prefix: '10.5438' };
    const given = synthesize({ homeRegion: 'eu-west-1', dataCite });
    const readers = Object.values(given).flatMap((template) =>
      Object.entries(rightsByRole(template)).filter(([, statements]) => JSON.stringify(statements).includes(secretArn)),
    );
    expect(readers).toHaveLength(1);
    const told = operationFunctions(given).filter(({ Environment }) => Environment.Variables['SLUICE_DATACITE']);
    expect(told.map(({ FunctionName }) => FunctionName)).toEqual(['sluice-register-version-doi']);
  });

  it('may encrypt credentials of a connection if a body contains them, and decrypt them if an answer or a storage request needs them', () => {
    expect(actionsOf('create-data-connection').filter((action) => action.startsWith('kms:'))).toEqual(['kms:Encrypt']);
    for (const { name, body, secretFields } of registry.filter(({ group }) => group === 'data-connections')) {
      const isTest = name === 'test-data-connection';
      const takesCredentials = body instanceof z.ZodObject && 'authentication' in body.shape;
      expect(actionsOf(name).includes('kms:Encrypt'), name).toBe(takesCredentials);
      const isShown = secretFields?.includes('authentication') === true;
      if (!isShown && !isTest) expect(actionsOf(name)).not.toContain('kms:Decrypt');
    }
  });

  it('are limited to named resources, without a wildcard in an action or resource', () => {
    const all = stacks.flatMap((template) => Object.values(rightsByRole(template)).flat());
    for (const { Effect, Action, Resource } of all) {
      expect(Effect).toBe('Allow');
      // The API has permission by a name pattern, because a policy cannot list this many functions.
      const isInvoker = Action.every((action) => action === 'lambda:InvokeFunction');
      if (isInvoker) for (const resource of Resource) expect(resource).toContain(':function:sluice-*');
      else expect([...Action, ...Resource].filter((part) => part.includes('*'))).toEqual([]);
    }
  });
});
