import { describe, expect, it } from 'vitest';
import { copierOfFiles, ownResources, readStatement, rightsByRole, synthesize } from './synthesized.ts';

/** Every wildcard in a resource, and why AWS offers no alternative. */
const wildcards: readonly (readonly [resource: RegExp, actions: RegExp, reason: string])[] = [
  [/^\*$/, /^dynamodb:ListStreams$/, 'takes no resource'],
  [
    /:function:sluice-\*"/,
    /^lambda:InvokeFunction$/,
    'the API invokes its functions, whose names would not fit into a policy one by one',
  ],
  [/secret:sluice\/[a-z0-9-]+-\?{6}"/, /^secretsmanager:GetSecretValue$/, 'a suffix that Secrets Manager makes up'],
  [/arn:aws:logs:\*:.*:log-group:\/aws\/lambda\/us-east-1\.sluice-/, /^logs:/, 'edge functions run in every region'],
  [/:distribution\/\*"/, /^cloudfront:(?:Create|Get|List)Invalidations?$/, 'made later, and named by a parameter'],
  [
    /"Bucket\w+","Arn"\]},"\/(?:\*|(?:days|runs|shards|state)\/\*)"/,
    /^s3:(?:Get|Put)Object$/,
    'objects of its own bucket',
  ],
  [/:kms:.*:key\/\*"/, /^kms:Decrypt$/, 'a key of another region, named by a condition on its alias'],
];

const templates = synthesize({ homeRegion: 'eu-west-1' });

const all = () => Object.entries(templates);
const resourcesOf = (type: string) =>
  all().flatMap(([stack, template]) =>
    Object.entries(ownResources(template, type)).map(([id, { Properties }]) => ({
      name: `${stack} ${id}`,
      Properties,
    })),
  );

describe('the rights of every role', () => {
  const statements = () => all().flatMap(([, template]) => Object.values(rightsByRole(template)).flat());

  it('name each action', () => {
    expect(statements().flatMap(({ Action }) => Action.filter((action) => action.includes('*')))).toEqual([]);
  });

  it('name each resource, except wildcards that AWS requires', () => {
    const wild = statements().flatMap(({ Action, Resource }) =>
      Resource.filter((resource) => /[*?]/.test(resource)).flatMap((resource) =>
        Action.map((action) => ({ resource, action })),
      ),
    );
    const isListed = ({ resource, action }: { resource: string; action: string }) =>
      wildcards.some(([pattern, actions]) => pattern.test(resource) && actions.test(action));
    expect(wild.filter((one) => !isListed(one))).toEqual([]);
    for (const [pattern] of wildcards) expect(wild.some(({ resource }) => pattern.test(resource))).toBe(true);
  });

  it('can be assumed only by AWS services', () => {
    for (const { name, Properties } of resourcesOf('AWS::IAM::Role')) {
      const services = Properties.AssumeRolePolicyDocument.Statement.flatMap(
        ({ Principal }: { Principal: { Service: string | string[] } }) => Principal.Service,
      );
      expect(['lambda.amazonaws.com', 'edgelambda.amazonaws.com', 'apigateway.amazonaws.com'], name).toEqual(
        expect.arrayContaining(services),
      );
    }
  });
});

it('the deployment of assets reads the CDK assets and writes only to the bucket of the assets', () => {
  const copiers = all().flatMap(([stack, template]) =>
    Object.entries(template.findResources('AWS::IAM::Policy'))
      .filter(([id]) => copierOfFiles.test(id))
      .map(([, { Properties }]) => ({ stack, statements: Properties.PolicyDocument.Statement.map(readStatement) })),
  );
  expect(copiers.map(({ stack }) => stack)).toEqual(['assets']);
  for (const { Action, Resource } of copiers[0]?.statements ?? []) {
    const writes = Action.filter((action: string) => !/^s3:(?:Get|List)/.test(action));
    const place = writes.length > 0 ? /"Bucket[0-9A-F]{8}"/ : /cdk-hnb659fds-assets-/;
    for (const resource of Resource) expect(resource).toMatch(place);
  }
});

describe('every function', () => {
  it('runs on Node 24, has a timeout, and has no function URL', () => {
    for (const { name, Properties } of resourcesOf('AWS::Lambda::Function')) {
      expect(Properties.Runtime, name).toBe('nodejs24.x');
      // The index builder reads the whole catalogue, on a schedule, one run at a time.
      const isBuilder = Properties.FunctionName === 'sluice-build-search-index';
      // The jobs of versions start no more work after ten minutes. Their last request has its own timeout.
      const isRepositoryJobs = Properties.FunctionName === 'sluice-run-repository-jobs';
      // The function that counts usage starts no more work after ten minutes, but finishes the shard that it has begun.
      const isCounter = Properties.FunctionName === 'sluice-count-usage';
      const seconds = isCounter ? 900 : isRepositoryJobs ? 780 : isBuilder ? 600 : 60;
      expect(Properties.Timeout, name).toBeLessThanOrEqual(seconds);
      expect(Properties.MemorySize, name).toBeLessThanOrEqual(isCounter ? 3072 : isBuilder ? 2048 : 1024);
    }
    expect(resourcesOf('AWS::Lambda::Url')).toEqual([]);
  });

  it('can be invoked only by Secrets Manager for one secret, by a schedule, or by a role', () => {
    for (const { Properties } of resourcesOf('AWS::Lambda::Permission')) {
      expect(['secretsmanager.amazonaws.com', 'events.amazonaws.com']).toContain(Properties.Principal);
      expect(Properties.SourceArn).toBeDefined();
    }
  });
});

describe('stateful resources', () => {
  it('are encrypted, and accept only TLS', () => {
    for (const { Properties } of resourcesOf('AWS::DynamoDB::Table'))
      expect(Properties.SSESpecification.SSEType).toBe('KMS');
    for (const { Properties } of resourcesOf('AWS::SQS::Queue')) expect(Properties.SqsManagedSseEnabled).toBe(true);
    const policies = [...resourcesOf('AWS::SQS::QueuePolicy'), ...resourcesOf('AWS::SNS::TopicPolicy')];
    expect(policies).toHaveLength(resourcesOf('AWS::SQS::Queue').length + resourcesOf('AWS::SNS::Topic').length);
    for (const { Properties } of policies) {
      expect(JSON.stringify(Properties.PolicyDocument)).toContain('{"aws:SecureTransport":"false"}');
    }
    for (const { Properties } of resourcesOf('AWS::CloudFront::Distribution')) {
      expect(Properties.DistributionConfig.DefaultCacheBehavior.ViewerProtocolPolicy).toBe('https-only');
      for (const origin of Properties.DistributionConfig.Origins) {
        // CloudFront sends the viewer's protocol to a bucket with origin access control, and the distribution accepts
        // only TLS.
        if (origin.OriginAccessControlId !== undefined) continue;
        expect(origin.CustomOriginConfig).toMatchObject({
          OriginProtocolPolicy: 'https-only',
          OriginSSLProtocols: ['TLSv1.2'],
        });
      }
    }
  });

  it('include log groups with a limited retention', () => {
    const logs = resourcesOf('AWS::Logs::LogGroup');
    expect(logs.length).toBeGreaterThan(resourcesOf('AWS::Lambda::Function').length - 3);
    for (const { name, Properties } of logs) expect(Properties.RetentionInDays, name).toBe(90);
  });

  it('have no secret in any template', () => {
    const text = JSON.stringify(all().map(([, template]) => template.toJSON()));
    expect(text).not.toMatch(/"SecretString"|BEGIN [A-Z ]*PRIVATE KEY|\bAKIA[A-Z0-9]{16}\b|\bsck_[0-9A-Za-z]{30}/);
  });
});

it('each resource name fits the limit of AWS with the longest name of a deployment', () => {
  const name = 'a'.repeat(20);
  const lengthsMax = {
    'AWS::Lambda::Function': ['FunctionName', 64],
    'AWS::CloudFront::Function': ['Name', 64],
    'AWS::Logs::DeliverySource': ['Name', 60],
    'AWS::Logs::DeliveryDestination': ['Name', 60],
    'AWS::SQS::Queue': ['QueueName', 80],
    'AWS::WAFv2::WebACL': ['Name', 128],
  } as const;
  for (const template of Object.values(synthesize({ name }))) {
    for (const [type, [property, max]] of Object.entries(lengthsMax)) {
      for (const { Properties } of Object.values(ownResources(template, type))) {
        // CloudFormation chooses the names of the edge functions.
        if (Properties[property] === undefined) continue;
        expect(Properties[property].length, Properties[property]).toBeLessThanOrEqual(max);
      }
    }
    // A reference counts with the length of the longest ARN that it can resolve to.
    for (const { Properties } of Object.values(ownResources(template, 'AWS::IAM::Role'))) {
      const policies = JSON.stringify(Properties.Policies).replace(/\{"(?:Fn::\w+|Ref)":[^{}]*\}/g, 'x'.repeat(110));
      expect(policies.length).toBeLessThan(10_240);
    }
  }
});
