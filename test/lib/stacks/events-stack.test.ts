import type { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { entitiesWithoutConsequence } from '../../../lib/domain/changes/table-changes.ts';
import { rightsByRole, synthesize } from './synthesized.ts';

let events: Template;
beforeAll(() => {
  events = synthesize().events;
});

describe('the stream of the table', () => {
  it('is read with an end to retries, bisecting, and a place for what failed', () => {
    events.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      MaximumRetryAttempts: 10,
      MaximumRecordAgeInSeconds: 21_600,
      BisectBatchOnFunctionError: true,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      StartingPosition: 'TRIM_HORIZON',
      DestinationConfig: { OnFailure: { Destination: { 'Fn::GetAtt': [failureQueueId(), 'Arn'] } } },
    });
  });

  it('wakes the function for nothing that is without consequence, new or deleted, what it writes itself among it', () => {
    const [mapping] = Object.values(events.findResources('AWS::Lambda::EventSourceMapping'));
    const patterns: { Pattern: string }[] = mapping?.['Properties'].FilterCriteria.Filters;
    const without = [...entitiesWithoutConsequence];
    expect(without).toEqual(expect.arrayContaining(['audit_event', 'feed', 'idempotency']));
    expect(patterns.map(({ Pattern }) => JSON.parse(Pattern))).toEqual([
      { dynamodb: { NewImage: { entity: { S: [{ 'anything-but': without }] } } } },
      { dynamodb: { OldImage: { entity: { S: [{ 'anything-but': without }] } } } },
    ]);
  });

  it('is read by a function that may read, put and delete items and publish events, with the one wildcard that AWS asks for', () => {
    const statements = Object.values(rightsByRole(events)).flat();
    expect(statements.flatMap(({ Action }) => Action).sort()).toEqual([
      'dynamodb:DeleteItem',
      'dynamodb:DescribeStream',
      'dynamodb:GetItem',
      'dynamodb:GetRecords',
      'dynamodb:GetShardIterator',
      'dynamodb:ListStreams',
      'dynamodb:PutItem',
      'dynamodb:Query',
      'events:PutEvents',
      'logs:CreateLogStream',
      'logs:PutLogEvents',
      'sqs:SendMessage',
    ]);
    const unbound = statements.filter(({ Resource }) => Resource.some((resource) => resource.includes('*')));
    expect(unbound.flatMap(({ Action }) => Action)).toEqual(['dynamodb:ListStreams']);
  });

  it('runs on Node 24 and arm64', () => {
    events.allResourcesProperties('AWS::Lambda::Function', { Runtime: 'nodejs24.x', Architectures: ['arm64'] });
  });
});

function failureQueueId(): string | undefined {
  return Object.keys(events.findResources('AWS::SQS::Queue'))[0];
}
