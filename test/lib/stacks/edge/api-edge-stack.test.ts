import { Match, type Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { originSecretSchema } from '../../../../lib/domain/secrets/origin-secret.ts';
import {
  domain,
  onlyDistribution,
  propertiesOf,
  rightsByRole,
  type Statement,
  synthesize,
  withOutputs,
} from '../synthesized.ts';

const { apiEdge: template, assets, pages, events, edgeWatching } = synthesize();

describe('the distribution of the management API', () => {
  it('forwards everything over TLS, and caches no answer of the API and no error', () => {
    const { DefaultCacheBehavior, CustomErrorResponses, Logging, CacheBehaviors } = onlyDistribution(template);
    const [, ...ofApi] = CacheBehaviors;
    expect(ofApi.map(({ PathPattern }: { PathPattern: string }) => PathPattern)).toEqual(['/api/*', '/health']);
    for (const behavior of [DefaultCacheBehavior, ...ofApi]) {
      expect(behavior).toMatchObject({
        OriginRequestPolicyId: 'b689b0a8-53d0-40ab-baf2-68738e2966ac',
        ViewerProtocolPolicy: 'https-only',
        AllowedMethods: ['GET', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'POST', 'DELETE'],
        TargetOriginId: DefaultCacheBehavior.TargetOriginId,
      });
    }
    for (const behavior of ofApi) {
      expect(behavior.CachePolicyId).toBe('4135ea2d-6df8-44a3-9df3-4b5a84be39ad');
      expect(behavior.FunctionAssociations).toBeUndefined();
    }
    for (const response of CustomErrorResponses) expect(response.ErrorCachingMinTTL).toBe(0);
    expect(Logging).toBeUndefined();
  });

  it('caches pages by the host that its function sets and the parameters of pages, for at most five minutes and only with a Cache-Control header', () => {
    const [id, ...others] = Object.keys(template.findResources('AWS::CloudFront::CachePolicy'));
    expect(others).toEqual([]);
    expect(propertiesOf(template, 'AWS::CloudFront::CachePolicy')[0].CachePolicyConfig).toEqual({
      Name: 'sluice-pages',
      Comment: expect.any(String),
      MinTTL: 0,
      DefaultTTL: 0,
      MaxTTL: 300,
      ParametersInCacheKeyAndForwardedToOrigin: {
        // The Host header must not be forwarded: API Gateway refuses foreign host names.
        HeadersConfig: { HeaderBehavior: 'whitelist', Headers: ['x-sluice-host'] },
        QueryStringsConfig: {
          QueryStringBehavior: 'whitelist',
          QueryStrings: ['q', 'tag', 'account_id', 'license', 'format', 'sort', 'cursor', 'path', 'version'],
        },
        CookiesConfig: { CookieBehavior: 'none' },
        EnableAcceptEncodingBrotli: false,
        EnableAcceptEncodingGzip: false,
      },
    });
    const { DefaultCacheBehavior } = onlyDistribution(template);
    expect(DefaultCacheBehavior).toMatchObject({ CachePolicyId: { Ref: id }, Compress: false });
    const associated = DefaultCacheBehavior.FunctionAssociations.map(
      ({ EventType, FunctionARN }: { EventType: string; FunctionARN: { 'Fn::GetAtt': string[] } }) => [
        EventType,
        template.findResources('AWS::CloudFront::Function')[String(FunctionARN['Fn::GetAtt'][0])]?.['Properties'].Name,
      ],
    );
    expect(associated).toEqual([
      ['viewer-request', 'sluice-mark-page-requests'],
      ['viewer-response', 'sluice-put-back-page-headers'],
    ]);
  });

  it('passes the configured names to the pages, and its own ID to the invalidation', () => {
    const named = synthesize({ apiDomain: domain('api.example.org'), siteDomain: 'data.example.org' });
    const codes = (made: Template) =>
      propertiesOf(made, 'AWS::CloudFront::Function').map(({ FunctionCode }) => FunctionCode);
    expect(codes(named.apiEdge).join()).toContain('{"siteHosts":["api.example.org","data.example.org"]}');
    expect(codes(template).join()).toContain('{"siteHosts":[]}');
    edgeWatching.hasResourceProperties('AWS::SSM::Parameter', { Name: '/sluice/site-distribution' });
    events.hasResourceProperties('AWS::Lambda::Function', {
      FunctionName: 'sluice-invalidate-caches',
      Environment: {
        Variables: Match.objectLike({
          SLUICE_DATA_DISTRIBUTION_PARAMETER: '/sluice/data-distribution',
          SLUICE_SITE_DISTRIBUTION_PARAMETER: '/sluice/site-distribution',
        }),
      },
    });
  });

  it('serves the assets from their own bucket, compressed, and caches only them', () => {
    const { CacheBehaviors, Origins } = onlyDistribution(template);
    expect(CacheBehaviors[0]).toMatchObject({
      PathPattern: '/-/assets/*',
      AllowedMethods: ['GET', 'HEAD'],
      CachePolicyId: '658327ea-f89d-4fab-a63d-7e88639e58f6',
      Compress: true,
      ViewerProtocolPolicy: 'https-only',
    });
    const origin = Origins.find(({ Id }: { Id: string }) => Id === CacheBehaviors[0].TargetOriginId);
    expect(origin.OriginAccessControlId).toBeDefined();
    expect(origin.S3OriginConfig).toEqual({ OriginAccessIdentity: '' });
    // The bucket must not receive the secret by which the API recognizes its distribution.
    expect(origin.OriginCustomHeaders).toBeUndefined();
    assets.hasResourceProperties('AWS::S3::Bucket', {
      PublicAccessBlockConfiguration: { BlockPublicAcls: true, BlockPublicPolicy: true, RestrictPublicBuckets: true },
    });
    assets.hasResourceProperties('Custom::CDKBucketDeployment', {
      DestinationBucketKeyPrefix: '-/assets/',
      SystemMetadata: { 'cache-control': 'public, max-age=31536000, immutable' },
      Prune: false,
      RetainOnDelete: true,
    });
    const [policy] = propertiesOf(assets, 'AWS::S3::BucketPolicy');
    const allowed = policy.PolicyDocument.Statement.filter(({ Effect }: Statement) => Effect === 'Allow');
    expect(allowed).toMatchObject([{ Action: 's3:GetObject', Principal: { Service: 'cloudfront.amazonaws.com' } }]);
    expect(JSON.stringify(allowed[0].Resource)).toContain('/-/assets/*');
    expect(JSON.stringify(pages.toJSON())).toContain('console-a.js');
  });

  it('finds the API in the home region, and identifies itself with a secret that no template contains', () => {
    const { apiEdge } = synthesize({ homeRegion: 'eu-west-1' });
    const [origin] = onlyDistribution(apiEdge).Origins;
    const [apiId, rest] = origin.DomainName['Fn::Join'][1];
    expect(withOutputs(apiEdge, apiId)).toBe('sluice-api.ApiId of eu-west-1');
    expect(rest).toBe('.execute-api.eu-west-1.');
    expect(origin.CustomOriginConfig).toMatchObject({
      OriginProtocolPolicy: 'https-only',
      OriginSSLProtocols: ['TLSv1.2'],
    });
    const [header] = origin.OriginCustomHeaders;
    expect(header.HeaderName).toBe('x-sluice-origin');
    expect(JSON.stringify(header.HeaderValue)).toMatch(/\{\{resolve:secretsmanager:.*:SecretString:current/);
  });

  it('uses TLS 1.2 or later with a custom domain', () => {
    const named = synthesize({ apiDomain: domain('api.example.org') }).apiEdge;
    expect(onlyDistribution(named)).toMatchObject({
      Aliases: ['api.example.org'],
      ViewerCertificate: { MinimumProtocolVersion: 'TLSv1.2_2021' },
    });
    named.hasOutput('ApiUrl', { Value: 'https://api.example.org' });
  });

  it('sends headers for TLS, content types, frames, and referrers', () => {
    template.hasResourceProperties('AWS::CloudFront::ResponseHeadersPolicy', {
      ResponseHeadersPolicyConfig: {
        SecurityHeadersConfig: Match.objectLike({
          StrictTransportSecurity: { AccessControlMaxAgeSec: 31_536_000, IncludeSubdomains: false, Override: true },
          ContentTypeOptions: { Override: true },
          FrameOptions: { FrameOption: 'DENY', Override: true },
          ReferrerPolicy: { ReferrerPolicy: 'no-referrer', Override: true },
        }),
      },
    });
  });
});

it('the access logs of both distributions are stored for the configured time and name no part of a URL but the behavior', () => {
  const logged = synthesize({ logRetentionDays: 7 }).edgeWatching;
  logged.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 7 });
  const deliveries = propertiesOf(logged, 'AWS::Logs::Delivery');
  expect(deliveries).toHaveLength(2);
  for (const { RecordFields: fields } of deliveries) {
    expect(fields).toContain('cache-behavior-path-pattern');
    expect(fields.join()).not.toMatch(/uri|query|referer|cookie|user-agent|host|forwarded/i);
  }
});

describe('the origin secret', () => {
  it('is generated during the deployment in the form that functions read', () => {
    const generate = propertiesOf(template, 'AWS::SecretsManager::Secret')[0].GenerateSecretString;
    const text = 'a'.repeat(generate.PasswordLength);
    const made = { ...JSON.parse(generate.SecretStringTemplate), [generate.GenerateStringKey]: text };
    expect(originSecretSchema.parse(made)).toEqual({ current: 'a'.repeat(64) });
  });

  it('is rotated by a function that can use only this secret and this distribution, and that only Secrets Manager can invoke', () => {
    const statements = Object.values(rightsByRole(template)).flat();
    expect(statements.flatMap(({ Action }) => Action).sort()).toEqual([
      'cloudfront:GetDistributionConfig',
      'cloudfront:UpdateDistribution',
      'logs:CreateLogStream',
      'logs:PutLogEvents',
      'secretsmanager:DescribeSecret',
      'secretsmanager:GetSecretValue',
      'secretsmanager:PutSecretValue',
      'wafv2:GetWebACL',
    ]);
    expect(statements.flatMap(({ Resource }) => Resource).filter((resource) => /[*?]/.test(resource))).toEqual([]);
    template.hasResourceProperties('AWS::Lambda::Permission', {
      Principal: 'secretsmanager.amazonaws.com',
      SourceAccount: { Ref: 'AWS::AccountId' },
      SourceArn: Match.anyValue(),
    });
  });
});
