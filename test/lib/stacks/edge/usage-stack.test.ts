import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { limits } from '../../../../lib/domain/limits.ts';
import { loggedColumns } from '../../../../lib/domain/usage/log-records.ts';
import { domain, propertiesOf, rightsOf, synthesize } from '../synthesized.ts';

const { usage, edgeWatching } = synthesize();
const [bucket] = propertiesOf(usage, 'AWS::S3::Bucket');

describe('the log for usage', () => {
  it('has the columns that are counted, and no query string, cookie, referrer, or credential', () => {
    const [{ RecordFields: fields }] = propertiesOf(usage, 'AWS::Logs::Delivery');
    // Source: the Athena table for Parquet files of CloudFront in the Amazon Athena User Guide.
    const columnOf = (field: string) =>
      field
        .toLowerCase()
        .replace(/[-()]+/g, '_')
        .replace(/_$/, '');
    expect(fields.map(columnOf)).toEqual(loggedColumns);
    expect(fields.join()).not.toMatch(/query|cookie|refer|authorization/i);
  });

  it('is a second delivery of the source of the data proxy', () => {
    const sources = propertiesOf(edgeWatching, 'AWS::Logs::DeliverySource').map(({ Name }) => Name);
    usage.hasResourceProperties('AWS::Logs::Delivery', { DeliverySourceName: 'sluice-data' });
    expect(sources).toContain('sluice-data');
    usage.hasResourceProperties('AWS::Logs::DeliveryDestination', { OutputFormat: 'parquet' });
  });

  it('is deleted after four days, and counts after 62 days', () => {
    expect(bucket.LifecycleConfiguration.Rules).toMatchObject([
      { ExpirationInDays: limits.usageLogRetentionDays, Status: 'Enabled' },
      { ExpirationInDays: limits.usageCountRetentionDays, Status: 'Enabled' },
      { AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 } },
    ]);
  });

  it('is encrypted with a key of its own, and not public', () => {
    expect(bucket.BucketEncryption.ServerSideEncryptionConfiguration).toMatchObject([
      { BucketKeyEnabled: true, ServerSideEncryptionByDefault: { SSEAlgorithm: 'aws:kms' } },
    ]);
    expect(Object.values(bucket.PublicAccessBlockConfiguration)).toEqual([true, true, true, true]);
  });

  it('is written by log delivery for this account alone', () => {
    const [{ PolicyDocument }] = propertiesOf(usage, 'AWS::S3::BucketPolicy');
    const allowed = PolicyDocument.Statement.filter(({ Effect }: { Effect: string }) => Effect === 'Allow');
    expect(allowed).toEqual([
      expect.objectContaining({
        Action: 's3:PutObject',
        Principal: { Service: 'delivery.logs.amazonaws.com' },
        Condition: {
          StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } },
          ArnLike: { 'aws:SourceArn': expect.anything() },
        },
      }),
    ]);
    expect(JSON.stringify(allowed[0].Resource)).toMatch(/AWSLogs.*CloudFront\/\*/);
  });
});

describe('the counting function', () => {
  it('writes counts, and cannot change a log file', () => {
    const written = rightsOf([usage], 'sluice-count-usage').filter(({ Action }) => Action.includes('s3:PutObject'));
    expect(written).toHaveLength(1);
    expect(JSON.stringify(written[0]?.Resource)).not.toMatch(/AWSLogs|"\/\*"/);
  });

  it('runs each hour', () => {
    usage.hasResourceProperties('AWS::Events::Rule', { ScheduleExpression: 'rate(1 hour)' });
  });

  it('knows the host of virtual-host requests', () => {
    const { usage: named } = synthesize({
      dataDomain: domain('data.example.org'),
      virtualHostBase: 'data.example.org',
    });
    const Variables = Match.objectLike({ SLUICE_VIRTUAL_HOST_BASE: 'data.example.org' });
    expect(() => named.hasResourceProperties('AWS::Lambda::Function', { Environment: { Variables } })).not.toThrow();
  });
});
