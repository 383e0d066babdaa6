import { runInNewContext } from 'node:vm';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { viewerFunctionSource } from '../../../../lib/assets/viewer-functions.ts';
import { edgeRuntime } from '../../../../lib/stacks/functions.ts';
import { keys } from '../../../../lib/store/keys.ts';
import { domain, onlyDistribution, propertiesOf, rightsByRole, synthesize } from '../synthesized.ts';

const noCaching = '4135ea2d-6df8-44a3-9df3-4b5a84be39ad';
const allViewer = '216adef6-5c7f-47e4-b989-5492eafa07d3';

interface Behavior {
  PathPattern?: string;
  CachePolicyId: unknown;
  LambdaFunctionAssociations?: { EventType: string; IncludeBody?: boolean; LambdaFunctionARN: { Ref: string } }[];
  FunctionAssociations: { EventType: string }[];
}

const { edge, edgeWatching } = synthesize();
const { DefaultCacheBehavior, CacheBehaviors } = onlyDistribution(edge);
const behaviors: Behavior[] = [DefaultCacheBehavior, ...CacheBehaviors];
const statementsOf = (template: Template) => Object.values(rightsByRole(template)).flat();
/** Edge functions have no name, so the logical ID of the role names the function. */
const edgeRights = (name: string) => {
  const [found] = Object.entries(rightsByRole(edge)).filter(([id]) => id.startsWith(name.replace('-', '')));
  return found?.[1] ?? [];
};
/** Returns a value for each behavior, by its path. */
const byPath = (value: (behavior: Behavior) => unknown) =>
  Object.fromEntries(behaviors.map((behavior) => [behavior.PathPattern ?? '*', value(behavior)]));

/** CloudFront developer guide, "Restrictions on Lambda@Edge". CDK does not check most of them. */
const refusedAtTheEdge = [
  'CodeSigningConfigArn',
  'DeadLetterConfig',
  'Environment',
  'EphemeralStorage',
  'FileSystemConfigs',
  'KmsKeyArn',
  'Layers',
  'LoggingConfig',
  'PackageType',
  'ReservedConcurrentExecutions',
  'RuntimeManagementConfig',
  'SnapStart',
  'TracingConfig',
  'VpcConfig',
];

describe('the edge functions', () => {
  it('stay within the limits of Lambda@Edge', () => {
    const functions = propertiesOf(edge, 'AWS::Lambda::Function');
    expect(functions).toHaveLength(3);
    for (const each of functions) {
      expect(each.Runtime).toBe(edgeRuntime.name);
      expect(each.Architectures).toEqual(['x86_64']);
      expect(each.Timeout).toBeLessThanOrEqual(30);
      for (const refused of refusedAtTheEdge) expect(each).not.toHaveProperty(refused);
    }
    edge.allResourcesProperties('AWS::Lambda::Version', { ProvisionedConcurrencyConfig: Match.absent() });
  });

  it('have no fixed name, which would block a retry until AWS deletes their replicas', () => {
    for (const each of propertiesOf(edge, 'AWS::Lambda::Function')) expect(each).not.toHaveProperty('FunctionName');
  });

  it('are numbered versions that a later deployment does not change', () => {
    edge.resourceCountIs('AWS::Lambda::Version', 3);
    edge.allResources('AWS::Lambda::Version', { DeletionPolicy: 'Retain' });
  });

  it('may be invoked by the edge', () => {
    edge.allResourcesProperties('AWS::IAM::Role', {
      AssumeRolePolicyDocument: Match.objectLike({
        Statement: [Match.objectLike({ Principal: { Service: ['edgelambda.amazonaws.com', 'lambda.amazonaws.com'] } })],
      }),
    });
  });
});

const leadingKeys = (...partitions: string[]) => ({
  'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': partitions },
});

describe('the rights at the edge', () => {
  const logActions = ['logs:CreateLogGroup', 'logs:CreateLogStream', 'logs:PutLogEvents'];

  const items = ['dynamodb:BatchGetItem', 'dynamodb:GetItem'];
  const writes = ['dynamodb:PutItem', 'dynamodb:UpdateItem'];
  const ofExchanges = [...items, ...writes, 'secretsmanager:GetSecretValue', 'ssm:GetParameter'];
  it.each([
    ['exchange-credentials', ofExchanges],
    // The function that serves objects also reads items for authorization data.
    [
      'serve-object',
      [...ofExchanges, ...items, 'dynamodb:Query', 'dynamodb:Query', 'dynamodb:UpdateItem', 'kms:Decrypt'],
    ],
    ['shape-response', ['dynamodb:UpdateItem']],
  ])('of %s are the required ones', (name, actions) => {
    const granted = edgeRights(name).flatMap(({ Action }) => Action);
    expect(granted.sort()).toEqual([...actions, ...logActions].sort());
  });

  // The object function also exchanges credentials, for clients that send the exchange to `/`.
  it.each(['exchange-credentials', 'serve-object'])(
    'of %s write the last use of a key, pinned IDs of a workflow, and records of sign-ins, and no audit event',
    (name) => {
      const writes = edgeRights(name).filter(({ Action }) =>
        Action.some((action) => /^dynamodb:(Put|Update|Delete|BatchWrite|\*)/.test(action)),
      );
      expect(writes.map(({ Action, Condition }) => [Action, Condition])).toEqual([
        [['dynamodb:UpdateItem'], leadingKeys('KEY_USE#*', 'SIGN_IN_REFUSALS#*', 'WORKFLOW#*')],
        [['dynamodb:PutItem'], leadingKeys('ISSUER_KID_MISS#*', 'SIGN_INS#*', 'SIGN_IN_REFUSALS#*', 'WORKFLOW#*')],
        ...(name === 'serve-object' ? [[['dynamodb:UpdateItem'], leadingKeys('STORAGE_HEALTH#*')]] : []),
      ]);
      expect(keys.storageHealth('id').pk).toMatch(/^STORAGE_HEALTH#/);
      expect(keys.signIn('account', 'time', 'tool-FullAccess').pk).toMatch(/^SIGN_INS#/);
      expect(keys.refusedSignIn('account--name').pk).toMatch(/^SIGN_IN_REFUSALS#/);
      expect(keys.refusedSignInCause('account--name', 'x').pk).toMatch(/^SIGN_IN_REFUSALS#/);
      expect(keys.refusedSignInsFrom('issuer', '77', 'minute').pk).toMatch(/^SIGN_IN_REFUSALS#/);
      expect(keys.issuerKidMiss('account', 'issuer').pk).toMatch(/^ISSUER_KID_MISS#/);
      expect(keys.serviceKeyUse('x').pk).toMatch(/^KEY_USE#/);
      expect(keys.workflow('uid', 'id').pk).toMatch(/^WORKFLOW#/);
      expect(keys.workflowMatch('account--name', 'digest').pk).toMatch(/^WORKFLOW#/);
    },
  );

  it('query the revocation feed, rights of accounts and service accounts, and the names of repositories', () => {
    const queries = edgeRights('serve-object').filter(({ Action }) => Action.includes('dynamodb:Query'));
    expect(queries.map(({ Resource, Condition }) => [Resource.join().includes('/index/names'), Condition])).toEqual([
      [false, leadingKeys('FEED#*', 'ACCOUNT#*', 'SERVICE_ACCOUNT#*')],
      // The IAM documentation does not say whether a condition on the partition key applies to an index.
      [true, undefined],
    ]);
    expect(keys.role('ada', '').pk).toMatch(/^ACCOUNT#/);
    expect(keys.grant('uid', '').pk).toMatch(/^SERVICE_ACCOUNT#/);
  });

  it('assume only the configured roles', () => {
    const assume = (template: Template) =>
      statementsOf(template).filter(({ Action }) => Action.includes('sts:AssumeRole'));
    expect(assume(edge)).toEqual([]);
    const storageRoleArns = ['arn:aws:iam::111122223333:role/sluice-storage'];
    expect(assume(synthesize({ storageRoleArns }).edge)).toEqual([
      expect.objectContaining({
        Action: ['sts:AssumeRole'],
        Resource: [expect.stringContaining(storageRoleArns[0] ?? '')],
      }),
    ]);
    expect(() => synthesize({ storageRoleArns: ['arn:aws:iam::111122223333:role/*'] })).toThrow('storageRoleArns');
  });

  it('are the principal of storage roles for the jobs of versions too, and for no other role', () => {
    const storageRoleArns = ['arn:aws:iam::111122223333:role/sluice-storage'];
    const trusted = (template: Template) =>
      Object.values(template.findResources('AWS::IAM::Role')).flatMap(({ Properties }) =>
        Properties.AssumeRolePolicyDocument.Statement.filter(
          ({ Principal }: { Principal: object }) => 'AWS' in Principal,
        ),
      );
    expect(trusted(edge)).toEqual([]);
    const { edge: withRoles, events } = synthesize({ storageRoleArns });
    const [statement, ...others] = trusted(withRoles);
    expect(others).toEqual([]);
    expect(JSON.stringify(statement.Condition)).toMatch(
      /^{"ArnEquals":{"aws:PrincipalArn":.*:role\/sluice-run-repository-jobs"/,
    );
    events.hasResourceProperties('AWS::IAM::Role', { RoleName: 'sluice-run-repository-jobs' });
    const assuming = statementsOf(events).filter(({ Action }) => Action.includes('sts:AssumeRole'));
    expect(assuming.map(({ Action }) => Action)).toEqual([['sts:AssumeRole']]);
    expect(JSON.stringify(assuming)).not.toContain('*');
  });

  it('decrypt with the key that an alias names', () => {
    const [decrypt, ...others] = statementsOf(edge).filter(({ Action }) => Action.includes('kms:Decrypt'));
    expect(others).toEqual([]);
    const alias = { 'kms:ResourceAliases': 'alias/sluice-connections' };
    expect(decrypt?.Condition).toEqual({ 'ForAnyValue:StringEquals': alias });
  });

  it('include the home region for each choice of region', () => {
    // The data domain needs its own name. Otherwise CDK passes the distribution's domain name to the other region with
    // a role of its own.
    const settings = { homeRegion: 'eu-west-1', dataDomain: domain('data.example.org') };
    // Only the keys that sign tokens for storage have a replica in the edge region.
    const others = statementsOf(synthesize(settings).edge).filter(({ Action }) => !Action.includes('kms:Sign'));
    const resources = others.flatMap(({ Resource }) => Resource);
    expect(resources.filter((resource) => resource.includes('us-east-1:'))).toEqual([]);
    expect(resources.filter((resource) => resource.includes('arn:aws:dynamodb:eu-west-1:'))).not.toEqual([]);
  });
});

describe('the distribution', () => {
  it('serves the exchange at /.sts with and without a slash, a health answer, and objects everywhere else', () => {
    const functions = byPath(({ LambdaFunctionAssociations = [] }) =>
      LambdaFunctionAssociations.map(({ EventType, IncludeBody = false, LambdaFunctionARN }) => [
        EventType,
        LambdaFunctionARN.Ref.replace(/Function.*/, ''),
        IncludeBody,
      ]),
    );
    expect(functions).toEqual({
      '/.sts': [['origin-request', 'exchangecredentials', true]],
      '/.sts/': [['origin-request', 'exchangecredentials', true]],
      '/.health': [],
      '*': [
        ['origin-request', 'serveobject', true],
        ['origin-response', 'shaperesponse', false],
      ],
    });
  });

  it('caches only answers about objects, by host, query, and mark, for at most five minutes and only with a Cache-Control header', () => {
    const [id, ...others] = Object.keys(edge.findResources('AWS::CloudFront::CachePolicy'));
    expect(others).toEqual([]);
    expect(propertiesOf(edge, 'AWS::CloudFront::CachePolicy')[0].CachePolicyConfig).toEqual({
      Name: 'sluice-objects',
      Comment: expect.any(String),
      MinTTL: 0,
      DefaultTTL: 0,
      MaxTTL: 300,
      ParametersInCacheKeyAndForwardedToOrigin: {
        HeadersConfig: { HeaderBehavior: 'whitelist', Headers: ['Host', 'x-sluice-cache'] },
        QueryStringsConfig: { QueryStringBehavior: 'all' },
        CookiesConfig: { CookieBehavior: 'none' },
        EnableAcceptEncodingBrotli: false,
        EnableAcceptEncodingGzip: false,
      },
    });
    expect(byPath(({ CachePolicyId }) => CachePolicyId)).toEqual({
      '/.sts': noCaching,
      '/.sts/': noCaching,
      '/.health': noCaching,
      '*': { Ref: id },
    });
  });

  it('caches no error by itself, compresses nothing, accepts every method only over https, and forwards all headers of the viewer', () => {
    for (const behavior of behaviors) {
      expect(behavior).toMatchObject({
        OriginRequestPolicyId: allViewer,
        Compress: false,
        ViewerProtocolPolicy: 'https-only',
        AllowedMethods: ['GET', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'POST', 'DELETE'],
      });
    }
    expect(byPath(({ FunctionAssociations }) => FunctionAssociations.map(({ EventType }) => EventType))).toEqual({
      '/.sts': ['viewer-request'],
      '/.sts/': ['viewer-request'],
      '/.health': ['viewer-request'],
      '*': ['viewer-request', 'viewer-response'],
    });
    const { CustomErrorResponses, Logging } = onlyDistribution(edge);
    expect(CustomErrorResponses).toHaveLength(11);
    for (const response of CustomErrorResponses)
      expect(response).toEqual({ ErrorCode: expect.any(Number), ErrorCachingMinTTL: 0 });
    expect(Logging).toBeUndefined();
  });

  it('is published to the home region in a parameter', () => {
    const [[id = ''] = []] = Object.entries(edge.findResources('AWS::CloudFront::Distribution'));
    edgeWatching.hasResourceProperties('AWS::SSM::Parameter', {
      Name: '/sluice/data-distribution',
      Value: { 'Fn::ImportValue': Match.stringLikeRegexp(`Ref${id}`) },
    });
  });

  it('is the last resource of its stack, because a later failure would delete it', () => {
    const resources: Record<string, unknown> = edge.toJSON()['Resources'];
    const [distribution = ''] = Object.keys(edge.findResources('AWS::CloudFront::Distribution'));
    const reached = new Set([distribution]);
    for (const id of reached) {
      const text = JSON.stringify(resources[id]);
      for (const other of Object.keys(resources)) if (text.includes(`"${other}"`)) reached.add(other);
    }
    expect([...reached].sort()).toEqual(Object.keys(resources).sort());
  });

  it('answers from all locations of CloudFront, or from those of a lower price class', () => {
    const classes = (settings: object) => {
      const { edge: data, apiEdge } = synthesize(settings);
      return [data, apiEdge].map((template) => onlyDistribution(template).PriceClass);
    };
    expect(classes({})).toEqual(['PriceClass_All', 'PriceClass_All']);
    expect(classes({ priceClass: 'PriceClass_100' })).toEqual(['PriceClass_100', 'PriceClass_100']);
  });

  it('requires TLS 1.2 or later with a custom domain', () => {
    const dataDomain = domain('data.example.org');
    expect(onlyDistribution(synthesize({ dataDomain, virtualHostBase: 'data.example.org' }).edge)).toMatchObject({
      Aliases: ['data.example.org', '*.data.example.org'],
      ViewerCertificate: { MinimumProtocolVersion: 'TLSv1.2_2021', SslSupportMethod: 'sni-only' },
    });
  });
});

describe('the functions that run for every viewer request', () => {
  const copyHeaders = viewerFunctionSource('exchange-request');

  it('copy the headers of the viewer, and remove copies that the viewer sent', () => {
    const event = {
      request: {
        headers: {
          range: { value: 'bytes=0-9' },
          'accept-encoding': { value: 'gzip', multiValue: [{ value: 'gzip' }, { value: 'br' }] },
          'x-sluice-viewer-range': { value: 'bytes=5-' },
          host: { value: 'data.example.org' },
        },
      },
    };
    expect(runInNewContext(`${copyHeaders};handler(event)`, { event }).headers).toEqual({
      ...event.request.headers,
      'x-sluice-viewer-range': { value: 'bytes=0-9' },
      'x-sluice-viewer-accept-encoding': { value: 'gzip,br' },
    });
    const forged = { request: { headers: { 'x-sluice-viewer-range': { value: 'bytes=5-' } } } };
    expect(runInNewContext(`${copyHeaders};handler(event)`, { event: forged }).headers).toEqual({});
  });
});
