import { runInNewContext } from 'node:vm';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { viewerFunctionSource } from '../../../../lib/assets/viewer-functions.ts';
import { keys } from '../../../../lib/store/keys.ts';
import { rightsByRole, type Statement, synthesize } from '../synthesized.ts';

const noCaching = '4135ea2d-6df8-44a3-9df3-4b5a84be39ad';
const allViewer = '216adef6-5c7f-47e4-b989-5492eafa07d3';

interface Behavior {
  PathPattern?: string;
  CachePolicyId: unknown;
  LambdaFunctionAssociations?: { EventType: string; IncludeBody?: boolean; LambdaFunctionARN: { Ref: string } }[];
  FunctionAssociations: { EventType: string }[];
}

let edge: Template;
let behaviors: Behavior[];
beforeAll(() => {
  edge = synthesize().edge;
  behaviors = behaviorsOf(edge);
});

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
  it('keep to what Lambda@Edge takes', () => {
    const functions = Object.values(edge.findResources('AWS::Lambda::Function'));
    expect(functions.map(({ Properties }) => Properties.FunctionName).sort()).toEqual([
      'sluice-exchange-credentials',
      'sluice-serve-object',
      'sluice-shape-response',
    ]);
    for (const { Properties } of functions) {
      expect(Properties.Runtime).toBe('nodejs24.x');
      expect(Properties.Architectures).toEqual(['x86_64']);
      expect(Properties.Timeout).toBeLessThanOrEqual(30);
      expect(Properties.MemorySize).toBeLessThanOrEqual(10_240);
      for (const refused of refusedAtTheEdge) expect(Properties).not.toHaveProperty(refused);
    }
    edge.allResourcesProperties('AWS::Lambda::Version', { ProvisionedConcurrencyConfig: Match.absent() });
  });

  it('are numbered versions that a later deployment leaves alone', () => {
    edge.resourceCountIs('AWS::Lambda::Version', 3);
    edge.allResources('AWS::Lambda::Version', { DeletionPolicy: 'Retain' });
  });

  it('may be run by the edge', () => {
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

  it.each([
    [
      'exchange-credentials',
      [
        'dynamodb:BatchGetItem',
        'dynamodb:GetItem',
        'dynamodb:PutItem',
        'dynamodb:UpdateItem',
        'secretsmanager:GetSecretValue',
        'ssm:GetParameter',
      ],
    ],
    [
      'serve-object',
      [
        // Twice: for authorization data, and for exchanges.
        'dynamodb:BatchGetItem',
        'dynamodb:BatchGetItem',
        'dynamodb:GetItem',
        'dynamodb:GetItem',
        'dynamodb:PutItem',
        'dynamodb:Query',
        'dynamodb:Query',
        'dynamodb:UpdateItem',
        'kms:Decrypt',
        'secretsmanager:GetSecretValue',
        'ssm:GetParameter',
      ],
    ],
    ['shape-response', []],
  ])('of %s are what it needs', (name, actions) => {
    expect(
      rightsOf(name)
        .flatMap(({ Action }) => Action)
        .sort(),
    ).toEqual([...actions, ...logActions].sort());
  });

  // The object function also exchanges credentials, for clients that send the exchange to `/`.
  it.each(['exchange-credentials', 'serve-object'])(
    'of %s write when a key was used, what a workflow is pinned to, and records of sign-ins, and no audit event',
    (name) => {
      const writes = rightsOf(name).filter(({ Action }) =>
        Action.some((action) => /^dynamodb:(Put|Update|Delete|BatchWrite|\*)/.test(action)),
      );
      expect(writes.map(({ Action, Condition }) => [Action, Condition])).toEqual([
        [['dynamodb:UpdateItem'], leadingKeys('KEY_USE#*', 'SIGN_IN_REFUSALS#*', 'WORKFLOW#*')],
        [['dynamodb:PutItem'], leadingKeys('SIGN_INS#*', 'SIGN_IN_REFUSALS#*')],
      ]);
      expect(keys.signIn('account', 'time', 'tool-FullAccess').pk).toMatch(/^SIGN_INS#/);
      expect(keys.refusedSignIn('account--name').pk).toMatch(/^SIGN_IN_REFUSALS#/);
      expect(keys.refusedSignInCause('account--name', 'x').pk).toMatch(/^SIGN_IN_REFUSALS#/);
      expect(keys.refusedSignInsFrom('issuer', '77', 'minute').pk).toMatch(/^SIGN_IN_REFUSALS#/);
      expect(keys.serviceKeyUse('x').pk).toMatch(/^KEY_USE#/);
      expect(keys.workflow('account--name', 'issuer', 'subject').pk).toMatch(/^WORKFLOW#/);
    },
  );

  it('query the revocation feed, rights of accounts and service accounts, and the names of repositories', () => {
    const queries = rightsOf('serve-object').filter(({ Action }) => Action.includes('dynamodb:Query'));
    expect(queries.map(({ Resource, Condition }) => [Resource.join().includes('/index/names'), Condition])).toEqual([
      [false, leadingKeys('FEED#*', 'ACCOUNT#*', 'SERVICE_ACCOUNT#*')],
      // The IAM documentation does not say whether a condition on the partition key applies to an index.
      [true, undefined],
    ]);
    expect(keys.role('ada', '').pk).toMatch(/^ACCOUNT#/);
    expect(keys.grant('uid', '').pk).toMatch(/^SERVICE_ACCOUNT#/);
  });

  it('assume the roles that the configuration names, and none without', () => {
    const assume = (template: Template) =>
      Object.values(rightsByRole(template))
        .flat()
        .filter(({ Action }) => Action.includes('sts:AssumeRole'));
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

  it('use wildcards only for log groups of all regions, the suffix of a secret and the key that an alias names', () => {
    for (const { Action, Resource, Condition } of Object.values(rightsByRole(edge)).flat()) {
      expect(Action.filter((action) => action.includes('*'))).toEqual([]);
      for (const resource of Resource.filter((part) => /[*?]/.test(part))) {
        expect(resource).toMatch(
          /arn:aws:logs:\*:.*:log-group:\/aws\/lambda\/us-east-1\.sluice-[a-z-]+:\*|secret:sluice\/[a-z-]+-\?{6}"|:key\/\*"/,
        );
        if (resource.includes(':key/*')) {
          expect(Condition).toEqual({
            'ForAnyValue:StringEquals': { 'kms:ResourceAliases': 'alias/sluice-connections' },
          });
        }
      }
    }
  });

  it('reach into the home region, wherever that is', () => {
    // The data domain needs its own name. Otherwise CDK passes the distribution's domain name to the other region with
    // a role of its own.
    const dataDomain = { name: 'data.example.org', certificateArn: 'arn:aws:acm:us-east-1:111111111111:certificate/a' };
    const elsewhere = synthesize({ homeRegion: 'eu-west-1', dataDomain }).edge;
    const resources = Object.values(rightsByRole(elsewhere))
      .flat()
      .flatMap(({ Resource }) => Resource);
    expect(resources.filter((resource) => resource.includes('us-east-1:'))).toEqual([]);
    expect(resources.filter((resource) => resource.includes('arn:aws:dynamodb:eu-west-1:'))).not.toEqual([]);
  });
});

describe('the distribution', () => {
  it('serves the exchange at /.sts with and without a slash, a health answer, and objects everywhere else', () => {
    expect(
      Object.fromEntries(
        behaviors.map(({ PathPattern = '*', LambdaFunctionAssociations = [] }) => [
          PathPattern,
          LambdaFunctionAssociations.map(({ EventType, IncludeBody, LambdaFunctionARN }) => [
            EventType,
            LambdaFunctionARN.Ref.replace(/Function.*/, ''),
            IncludeBody ?? false,
          ]),
        ]),
      ),
    ).toEqual({
      '/.sts': [['origin-request', 'exchangecredentials', true]],
      '/.sts/': [['origin-request', 'exchangecredentials', true]],
      '/.health': [],
      '*': [
        ['origin-request', 'serveobject', true],
        ['origin-response', 'shaperesponse', false],
      ],
    });
  });

  it('keeps answers about objects alone, by host, query and mark, for five minutes at most and without a word not at all', () => {
    const [[id, policy], ...others] = Object.entries(edge.findResources('AWS::CloudFront::CachePolicy')) as [
      [string, { Properties: { CachePolicyConfig: object } }],
    ];
    expect(others).toEqual([]);
    expect(policy.Properties.CachePolicyConfig).toEqual({
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
    const policies = behaviors.map(({ PathPattern = '*', CachePolicyId }) => [PathPattern, CachePolicyId]);
    expect(Object.fromEntries(policies)).toEqual({
      '/.sts': noCaching,
      '/.sts/': noCaching,
      '/.health': noCaching,
      '*': { Ref: id },
    });
  });

  it('keeps no error by itself, compresses nothing, takes every method over https alone, and passes all the viewer sent', () => {
    for (const behavior of behaviors) {
      expect(behavior).toMatchObject({
        OriginRequestPolicyId: allViewer,
        Compress: false,
        ViewerProtocolPolicy: 'https-only',
        AllowedMethods: ['GET', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'POST', 'DELETE'],
      });
    }
    const events = behaviors.map(({ PathPattern = '*', FunctionAssociations }) => [
      PathPattern,
      FunctionAssociations.map(({ EventType }) => EventType),
    ]);
    expect(Object.fromEntries(events)).toEqual({
      '/.sts': ['viewer-request'],
      '/.sts/': ['viewer-request'],
      '/.health': ['viewer-request'],
      '*': ['viewer-request', 'viewer-response'],
    });
    const { CustomErrorResponses, Logging } = configOf(edge);
    expect(CustomErrorResponses).toHaveLength(11);
    for (const response of CustomErrorResponses)
      expect(response).toEqual({ ErrorCode: expect.any(Number), ErrorCachingMinTTL: 0 });
    expect(Logging).toBeUndefined();
  });

  it('is found by the home region under the name of a parameter', () => {
    const [[id] = []] = Object.entries(edge.findResources('AWS::CloudFront::Distribution'));
    edge.hasResourceProperties('AWS::SSM::Parameter', { Name: '/sluice/data-distribution', Value: { Ref: id } });
  });

  it('answers from all locations of CloudFront, or from those that cost less', () => {
    const classes = (settings: object) => {
      const { edge: data, apiEdge } = synthesize(settings);
      return [data, apiEdge].map((template) => configOf(template).PriceClass);
    };
    expect(classes({})).toEqual(['PriceClass_All', 'PriceClass_All']);
    expect(classes({ priceClass: 'PriceClass_100' })).toEqual(['PriceClass_100', 'PriceClass_100']);
  });

  it('speaks TLS 1.2 or later under a name of its own', () => {
    const dataDomain = { name: 'data.example.org', certificateArn: 'arn:aws:acm:us-east-1:111111111111:certificate/a' };
    expect(configOf(synthesize({ dataDomain, virtualHostBase: 'data.example.org' }).edge)).toMatchObject({
      Aliases: ['data.example.org', '*.data.example.org'],
      ViewerCertificate: { MinimumProtocolVersion: 'TLSv1.2_2021', SslSupportMethod: 'sni-only' },
    });
  });
});

describe('the functions that run for every viewer request', () => {
  const copyHeaders = viewerFunctionSource('exchange-request');

  it('copy what the viewer sent and let no viewer write a copy', () => {
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

function configOf(template: Template) {
  const [distribution] = Object.values(template.findResources('AWS::CloudFront::Distribution'));
  return distribution?.['Properties'].DistributionConfig;
}

function behaviorsOf(template: Template): Behavior[] {
  const { DefaultCacheBehavior, CacheBehaviors } = configOf(template);
  return [DefaultCacheBehavior, ...CacheBehaviors];
}

function rightsOf(name: string): Statement[] {
  const functions = Object.values(edge.findResources('AWS::Lambda::Function'));
  const found = functions.find(({ Properties }) => Properties.FunctionName === `sluice-${name}`);
  return rightsByRole(edge)[found?.['Properties'].Role['Fn::GetAtt'][0]] ?? [];
}
