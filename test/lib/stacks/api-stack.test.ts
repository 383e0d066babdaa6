import { isDeepStrictEqual } from 'node:util';
import { Match } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { readIdempotentRequest } from '../../../lib/http/idempotency.ts';
import { readEnvironment } from '../../../lib/lambda/environment.ts';
import { routeKey } from '../../../lib/operations/operation.ts';
import { registry } from '../../../lib/operations/registry.ts';
import { keys } from '../../../lib/store/keys.ts';
import { rightsByRole, type Statement, synthesize, type Templates } from './synthesized.ts';

let templates: Templates;
beforeAll(() => {
  templates = synthesize();
});
/** Returns both stacks of an API: the main one, and one for operations that exceed its limit. */
const stacksOf = ({ api, apiOperations }: Templates) => [api, apiOperations];

describe('the management API', () => {
  it('has one Lambda and one route for each operation, and no others', () => {
    const functions = operationFunctions(templates);
    expect(functions.map(([, { Properties }]) => Properties.FunctionName).sort()).toEqual(
      registry.map(({ name }) => `sluice-${name}`).sort(),
    );
    const functionOfRoute = Object.fromEntries(
      stacksOf(templates).flatMap((template) => {
        const integrations = template.findResources('AWS::ApiGatewayV2::Integration');
        const ofStack = template.findResources('AWS::Lambda::Function');
        return Object.values(template.findResources('AWS::ApiGatewayV2::Route')).map(({ Properties }) => {
          const integration = integrations[Properties.Target['Fn::Join'][1][1].Ref];
          const functionId = integration?.['Properties'].IntegrationUri['Fn::GetAtt'][0];
          return [Properties.RouteKey, ofStack[functionId]?.['Properties'].FunctionName];
        });
      }),
    );
    expect(functionOfRoute).toEqual(
      Object.fromEntries(registry.map((operation) => [routeKey(operation), `sluice-${operation.name}`])),
    );
  });

  it('runs on Node 24 and arm64, with payload 2.0 and an end to its time before the gateway gives up', () => {
    for (const [, { Properties }] of operationFunctions(templates)) {
      expect(Properties).toMatchObject({ Runtime: 'nodejs24.x', Architectures: ['arm64'], Timeout: 15 });
      expect(Properties.LoggingConfig).toBeDefined();
    }
    for (const template of stacksOf(templates)) {
      template.allResourcesProperties('AWS::ApiGatewayV2::Integration', {
        PayloadFormatVersion: '2.0',
        IntegrationType: 'AWS_PROXY',
        CredentialsArn: Match.anyValue(),
      });
    }
  });

  it('is told where the data proxy is: its own name, or else that of the distribution', () => {
    const told = (given: Templates) => {
      const variables = operationFunctions(given).map(([, { Properties }]) => Properties.Environment.Variables);
      const addresses = variables.map(({ SLUICE_DATA_PROXY_URL: url, SLUICE_CI_AUDIENCE: audience }) => ({
        url,
        audience,
      }));
      const [first] = addresses;
      for (const each of addresses) expect(each).toEqual(first);
      return first;
    };
    const output = { StackName: 'sluice-edge', OutputName: 'DataProxyUrl', Region: 'us-east-1' };
    const distribution = { 'Fn::GetStackOutput': output };
    for (const settings of [{}, { homeRegion: 'eu-west-1' }]) {
      expect(told(synthesize(settings))).toEqual({ url: distribution, audience: distribution });
    }

    const dataDomain = { name: 'data.example.org', certificateArn: 'arn:aws:acm:us-east-1:111111111111:certificate/a' };
    const named = synthesize({ dataDomain, audience: 'https://old.example.org' });
    expect(told(named)).toEqual({ url: 'https://data.example.org', audience: 'https://old.example.org' });
  });

  it('has no route that can be called past its distribution, whose secret is checked rarely', () => {
    const [[authorizerId, authorizer] = ['', undefined]] = Object.entries(
      templates.api.findResources('AWS::ApiGatewayV2::Authorizer'),
    );
    expect(authorizer?.['Properties']).toMatchObject({
      AuthorizerType: 'REQUEST',
      EnableSimpleResponses: true,
      IdentitySource: ['$request.header.x-sluice-origin'],
      AuthorizerResultTtlInSeconds: 300,
    });
    templates.api.allResourcesProperties('AWS::ApiGatewayV2::Route', {
      AuthorizationType: 'CUSTOM',
      AuthorizerId: { Ref: authorizerId },
    });
    templates.apiOperations.allResourcesProperties('AWS::ApiGatewayV2::Route', {
      AuthorizationType: 'CUSTOM',
      AuthorizerId: { 'Fn::ImportValue': Match.stringLikeRegexp(`${authorizerId}`) },
    });
    expect(rightsOf('authorize-origin').flatMap(({ Action }) => Action)).toEqual([
      'secretsmanager:GetSecretValue',
      'logs:CreateLogStream',
      'logs:PutLogEvents',
    ]);
  });

  it('is throttled as configured, and its access log names neither paths nor queries', () => {
    const { api } = synthesize({ throttles: { apiPerSecond: 50, apiBurst: 70 } });
    const [stage] = Object.values(api.findResources('AWS::ApiGatewayV2::Stage'));
    expect(stage?.['Properties'].DefaultRouteSettings).toEqual({
      ThrottlingRateLimit: 50,
      ThrottlingBurstLimit: 70,
    });
    const format = JSON.parse(stage?.['Properties'].AccessLogSettings.Format);
    expect(Object.values(format).sort()).toEqual([
      '$context.authorizer.error',
      '$context.requestId',
      '$context.responseLatency',
      '$context.routeKey',
      '$context.status',
    ]);
  });

  it('keeps its logs for a time that is configured', () => {
    for (const template of stacksOf(synthesize({ logRetentionDays: 30 }))) {
      template.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 30 });
    }
  });

  it('keeps concurrent runs for the authorizer and the public revocations where they are configured, and for no others', () => {
    const reserved = (settings: object) =>
      Object.fromEntries(
        stacksOf(synthesize(settings))
          .flatMap((template) => Object.values(template.findResources('AWS::Lambda::Function')))
          .flatMap(({ Properties }) =>
            Properties.ReservedConcurrentExecutions === undefined
              ? []
              : [[Properties.FunctionName, Properties.ReservedConcurrentExecutions]],
          ),
      );
    expect(reserved({})).toEqual({});
    expect(reserved({ reservedConcurrency: { authorizer: 5, publicRevocation: 6 } })).toEqual({
      'sluice-authorize-origin': 5,
      'sluice-revoke-found-key': 6,
      'sluice-revoke-found-keys': 6,
    });
  });

  it('lets anyone sign up in its user pool, or nobody', () => {
    const isClosed = (settings: object) => {
      const [pool] = Object.values(synthesize(settings).api.findResources('AWS::Cognito::UserPool'));
      return pool?.['Properties'].AdminCreateUserConfig.AllowAdminCreateUserOnly;
    };
    expect([isClosed({}), isClosed({ selfSignUp: false })]).toEqual([false, true]);
  });

  it('gives every function the environment that it asks for', () => {
    const [some] = operationFunctions(templates);
    const variables: Record<string, unknown> = some?.[1]['Properties'].Environment.Variables;
    for (const [name, value] of Object.entries(variables)) {
      vi.stubEnv(name, typeof value === 'string' ? value : JSON.stringify(value));
    }
    expect(Object.keys(readEnvironment()).sort()).toEqual(Object.keys(variables).sort());
    vi.unstubAllEnvs();
  });

  it('answers the browsers of configured origins only', () => {
    templates.api.hasResourceProperties('AWS::ApiGatewayV2::Api', { CorsConfiguration: Match.absent() });
    synthesize({ corsOrigins: ['https://app.example.org'] }).api.hasResourceProperties('AWS::ApiGatewayV2::Api', {
      CorsConfiguration: Match.objectLike({
        AllowOrigins: ['https://app.example.org'],
        AllowCredentials: Match.absent(),
      }),
    });
  });

  it('takes reports of a secret scanning partner only where its keys are named', () => {
    const secretScanningKeysUrl = 'https://api.github.com/meta/public_keys/secret_scanning';
    const name = 'SLUICE_SECRET_SCANNING_KEYS_URL';
    const urls = (given: Templates) =>
      operationFunctions(given).map(([, { Properties }]) => Properties.Environment.Variables[name]);
    expect(new Set(urls(templates))).toEqual(new Set([undefined]));
    expect(new Set(urls(synthesize({ secretScanningKeysUrl })))).toEqual(new Set([secretScanningKeysUrl]));
  });

  it('makes a user pool only where no issuer is configured', () => {
    templates.api.resourceCountIs('AWS::Cognito::UserPool', 1);
    const other = synthesize({ userIssuer: { issuer: 'https://id.example.org', audience: 'web' } });
    other.api.resourceCountIs('AWS::Cognito::UserPool', 0);
    for (const [, { Properties }] of operationFunctions(other)) {
      expect(Properties.Environment.Variables).toMatchObject({
        SLUICE_USER_ISSUER: 'https://id.example.org',
        SLUICE_USER_AUDIENCE: 'web',
      });
    }
  });
});

describe('the rights of an operation', () => {
  it.each(registry.map((operation) => [operation.name, operation] as const))(
    'of %s are those of its registry entry',
    (name, operation) => {
      const { partitions } = operation.tableAccess;
      const bound = partitions && {
        'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': partitions.map((start) => `${start}*`) },
      };
      const isOfTable = ({ Action, Resource }: Statement) =>
        Action.join().includes('dynamodb:') && !Resource.join().includes('/index/');
      const statements = rightsOf(name).filter((statement) =>
        isDeepStrictEqual(statement.Condition, isOfTable(statement) ? bound : undefined),
      );
      const actions = (prefix: string) =>
        statements
          .flatMap(({ Action }) => Action)
          .filter((action) => action.startsWith(prefix))
          .map((action) => action.slice(prefix.length));
      const authenticates = !operation.ignoresAuthorization;
      const loads = authenticates || operation.target !== 'nothing';
      const pipeline = loads ? ['BatchGetItem', 'GetItem'] : [];
      const indexQueries = operation.tableAccess.indexes.length > 0 ? ['Query'] : [];
      expect(new Set(actions('dynamodb:'))).toEqual(
        new Set([...pipeline, ...operation.tableAccess.actions, ...indexQueries]),
      );
      expect(actions('secretsmanager:')).toEqual(authenticates || operation.kind === 'list' ? ['GetSecretValue'] : []);
      const keyActions = { seal: 'Encrypt', open: 'Decrypt' };
      expect(actions('kms:').sort()).toEqual((operation.connectionSecrets ?? []).map((use) => keyActions[use]).sort());
    },
  );

  it('change the answers stored for retries where the pipeline stores them, and no other item by that', () => {
    const changing = registry.filter(({ tableAccess }) => !tableAccess.actions.includes('UpdateItem'));
    const input = { path: {}, query: {}, body: undefined };
    for (const operation of changing) {
      const isRetained = readIdempotentRequest(operation, 'key', { kind: 'anonymous' }, input, 'id') !== undefined;
      const updates = rightsOf(operation.name).filter(({ Action }) => Action.includes('dynamodb:UpdateItem'));
      const ofKeptAnswers = { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['IDEMPOTENCY#*'] } };
      expect(
        updates.map(({ Condition }) => Condition),
        operation.name,
      ).toEqual(isRetained ? [ofKeptAnswers] : []);
    }
    expect(keys.idempotency('scope').pk).toMatch(/^IDEMPOTENCY#/);
  });

  it('reach the indexes that the entry names, and no others', () => {
    for (const operation of registry) {
      const indexes = rightsOf(operation.name)
        .flatMap(({ Resource }) => Resource)
        .flatMap((resource) => resource.match(/\/index\/[^"]*/g) ?? []);
      expect(indexes.sort()).toEqual(operation.tableAccess.indexes.map((index) => `/index/${index}`).sort());
    }
  });

  it('read the clients of people where there is a user pool, and where a token is looked at', () => {
    const reads = (given: Templates) =>
      operationFunctions(given)
        .filter(([, { Properties }]) => Properties.Environment.Variables['SLUICE_PEOPLE_CLIENTS_PARAMETER'])
        .map(([, { Properties }]) => Properties.Environment.Variables['SLUICE_PEOPLE_CLIENTS_PARAMETER']);
    expect(new Set(reads(templates))).toEqual(new Set(['/sluice/people-clients']));
    expect(reads(synthesize({ userIssuer: { issuer: 'https://id.example.org', audience: 'web' } }))).toEqual([]);
    for (const { name, ignoresAuthorization } of registry) {
      const read = rightsOf(name).filter(({ Action }) => Action.includes('ssm:GetParameter'));
      expect(read.flatMap(({ Resource }) => Resource).join(), name).toMatch(
        ignoresAuthorization ? /^$/ : /parameter\/sluice\/people-clients/,
      );
    }
  });

  it('read what temporary credentials are sealed with in one function alone', () => {
    const readers = registry.filter(({ name }) =>
      rightsOf(name).some(({ Resource }) => Resource.some((resource) => resource.includes('SessionKeys'))),
    );
    expect(readers.map(({ name }) => name)).toEqual(['create-data-credentials']);
    const told = operationFunctions(templates).filter(
      ([, { Properties }]) => Properties.Environment.Variables['SLUICE_SESSION_KEY_SECRET_ARN'] !== undefined,
    );
    expect(told.map(([, { Properties }]) => Properties.FunctionName)).toEqual(['sluice-create-data-credentials']);
  });

  it('seal credentials of a connection where a body brings them, and open them where an answer shows them or the storage is asked', () => {
    const kmsActions = (name: string) =>
      rightsOf(name)
        .flatMap(({ Action }) => Action)
        .filter((action) => action.startsWith('kms:'));
    expect(kmsActions('create-data-connection')).toEqual(['kms:Encrypt']);
    for (const { name, group, body, secretFields } of registry.filter(
      (operation) => operation.group === 'data-connections',
    )) {
      expect(kmsActions(name).includes('kms:Encrypt'), `${group}/${name}`).toBe(
        body !== undefined && name !== 'test-data-connection',
      );
      const isShown = secretFields?.includes('authentication') === true;
      if (!isShown && name !== 'test-data-connection') expect(kmsActions(name)).not.toContain('kms:Decrypt');
    }
  });

  it('are bound to named resources: no wildcard stands in an action or a resource', () => {
    const all = stacksOf(templates).flatMap((template) => Object.values(rightsByRole(template)).flat());
    for (const { Effect, Action, Resource } of all) {
      expect(Effect).toBe('Allow');
      // The API has permission by a name pattern, because a policy cannot list this many functions.
      const isInvoker = Action.every((action) => action === 'lambda:InvokeFunction');
      if (isInvoker) for (const resource of Resource) expect(resource).toContain(':function:sluice-*');
      else expect([...Action, ...Resource].filter((part) => part.includes('*'))).toEqual([]);
    }
  });
});

/** Returns every Lambda except the authorizer. */
function operationFunctions(given: Templates) {
  return stacksOf(given)
    .flatMap((template) => Object.entries(template.findResources('AWS::Lambda::Function')))
    .filter(([, { Properties }]) => !Properties.FunctionName.endsWith('-authorize-origin'));
}

function rightsOf(name: string): Statement[] {
  return stacksOf(templates).flatMap((template) => {
    const functions = Object.values(template.findResources('AWS::Lambda::Function'));
    const found = functions.find(({ Properties }) => Properties.FunctionName === `sluice-${name}`);
    return rightsByRole(template)[found?.['Properties'].Role['Fn::GetAtt'][0]] ?? [];
  });
}
