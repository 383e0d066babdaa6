import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { streamConsumers } from '../../../lib/domain/changes/stream-consumers.ts';
import { entitiesWithoutConsequence } from '../../../lib/domain/changes/table-changes.ts';
import { entitiesOfDataAccess } from '../../../lib/domain/data/cached-data.ts';
import { otherTableRights } from '../../../lib/operations/table-rights.ts';
import { propertiesOf, rightsByRole, rightsOf, synthesize } from './synthesized.ts';

const { events } = synthesize();
const properties = (type: string, id: string) => events.findResources(type)[id]?.['Properties'];

describe('the stream of the table', () => {
  const mappings = () =>
    Object.entries(
      events.findResources('AWS::Lambda::EventSourceMapping', { Properties: { StartingPosition: 'TRIM_HORIZON' } }),
    ).map(([id, { Properties }]) => {
      const [functionId] = Object.values<string>(Properties.FunctionName);
      const name: string = properties('AWS::Lambda::Function', String(functionId)).FunctionName;
      return { id, name, ...Properties };
    });

  it('has two readers, since a shard supports only two', () => {
    const consumers = Object.keys(streamConsumers).sort();
    expect(consumers).toEqual(['follow-changes', 'propagate-access-change']);
    const readers = mappings().map(({ name }) => name);
    expect(readers.sort()).toEqual(consumers.map((name) => `sluice-${name}`));
  });

  it('has parallel batches, limited retries, bisection, and a failure queue', () => {
    const queues = new Set<string>();
    for (const mapping of mappings()) {
      expect(mapping).toMatchObject({
        MaximumRetryAttempts: 10,
        MaximumRecordAgeInSeconds: 21_600,
        BisectBatchOnFunctionError: true,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        StartingPosition: 'TRIM_HORIZON',
        ParallelizationFactor: 4,
      });
      queues.add(mapping.DestinationConfig.OnFailure.Destination['Fn::GetAtt'][0]);
    }
    const names = [...queues].map((id) => properties('AWS::SQS::Queue', id).QueueName);
    expect(names.sort()).toEqual(['sluice-failures', 'sluice-revocation-failures']);
  });

  it('continues at its position after an upgrade', () => {
    expect(mappings().find(({ name }) => name === 'sluice-follow-changes')?.id).toBe('Mapping');
  });

  it('invokes each function for its own kinds of changes, and never for its own writes', () => {
    const patternsOf = (name: string) =>
      mappings()
        .find((mapping) => mapping.name === `sluice-${name}`)
        ?.FilterCriteria.Filters.map(({ Pattern }: { Pattern: string }) => JSON.parse(Pattern));
    const both = (S: unknown) =>
      ['NewImage', 'OldImage'].map((image) => ({ dynamodb: { [image]: { entity: { S } } } }));
    expect(patternsOf('propagate-access-change')).toEqual(both([...entitiesOfDataAccess, 'service_account_key']));
    const { allBut } = streamConsumers['follow-changes'].entities;
    expect(patternsOf('follow-changes')).toEqual(both([{ 'anything-but': allBut }]));
    expect(allBut).toEqual(
      expect.arrayContaining([...entitiesWithoutConsequence, 'audit_event', 'feed', 'idempotency']),
    );
    // Lambda accepts patterns of up to 4,096 characters.
    for (const { FilterCriteria } of mappings())
      for (const { Pattern } of FilterCriteria.Filters) expect(Pattern.length).toBeLessThan(4096);
  });

  it('gives each function only the rights that it needs, with the one wildcard that AWS requires', () => {
    const reading = [
      'dynamodb:DescribeStream',
      'dynamodb:GetRecords',
      'dynamodb:GetShardIterator',
      'dynamodb:ListStreams',
      'logs:CreateLogStream',
      'logs:PutLogEvents',
      'sqs:SendMessage',
    ];
    const actionsOf = (name: string) =>
      rightsOf([events], `sluice-${name}`)
        .flatMap(({ Action }) => Action)
        .sort();
    const writing = ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'];
    expect(actionsOf('propagate-access-change')).toEqual([...reading, ...writing].sort());
    const items = otherTableRights['follow-changes'].flatMap(({ actions }) =>
      actions.map((action) => `dynamodb:${action}`),
    );
    // One statement grants access to both indexes.
    const distinct = (actions: readonly string[]) => [...new Set(actions)].sort();
    expect(distinct(actionsOf('follow-changes'))).toEqual(distinct([...reading, ...items, 'events:PutEvents']));
    const statements = Object.values(rightsByRole(events)).flat();
    const [put] = statements.filter(({ Action, Condition }) => Action.includes('dynamodb:PutItem') && Condition);
    expect(put?.Condition).toEqual({ 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['FEED#*'] } });
    const unbound = statements.filter(({ Resource }) => Resource.some((resource) => resource.includes('*')));
    // The function reads the distribution's ID at run time, because the distribution is created later, in another
    // region.
    const invalidations = ['Create', 'Get', 'List'].map((verb) =>
      expect.stringMatching(`cloudfront:${verb}Invalidation`),
    );
    const actions = [...new Set(unbound.flatMap(({ Action }) => Action))];
    expect(actions.sort()).toEqual([...invalidations, 'dynamodb:ListStreams']);
  });

  it('has reserved concurrency for each of its readers if configured', () => {
    const { events: stack } = synthesize({ reservedConcurrency: { stream: 20 } });
    const reserved = propertiesOf(stack, 'AWS::Lambda::Function').filter(
      ({ ReservedConcurrentExecutions }) => ReservedConcurrentExecutions === 20,
    );
    expect(reserved.map(({ FunctionName }) => FunctionName).sort()).toEqual([
      'sluice-follow-changes',
      'sluice-propagate-access-change',
    ]);
  });

  it('has a queue of invalidations with a delay of ten seconds, twenty attempts, and a failure queue', () => {
    const [mapping, ...others] = propertiesOf(events, 'AWS::Lambda::EventSourceMapping').filter(
      ({ BatchSize }) => BatchSize === 1000,
    );
    expect(others).toEqual([]);
    expect(mapping).toMatchObject({
      MaximumBatchingWindowInSeconds: 10,
      ScalingConfig: { MaximumConcurrency: 2 },
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    });
    const [queueId] = mapping.EventSourceArn['Fn::GetAtt'];
    // The visibility timeout equals the function's timeout plus its batching window. A duplicate delivery is harmless,
    // but a late delivery is not.
    expect(properties('AWS::SQS::Queue', queueId)).toMatchObject({
      QueueName: 'sluice-invalidations',
      RedrivePolicy: { maxReceiveCount: 20 },
      VisibilityTimeout: 20 + 10,
    });
    events.hasResourceProperties('AWS::SQS::Queue', {
      QueueName: 'sluice-invalidation-failures',
      RedrivePolicy: Match.absent(),
    });
  });

  it('runs on arm64', () => {
    events.allResourcesProperties('AWS::Lambda::Function', { Architectures: ['arm64'] });
  });
});

it('reports the user issuer by a function that has no right to any resource', () => {
  const [[id, { Properties }] = ['', { Properties: {} }]] = Object.entries(
    events.findResources('AWS::CloudFormation::CustomResource'),
  );
  expect(Properties.UserIssuer).toBe("the deployment's user pool");
  const { FunctionName } = properties('AWS::Lambda::Function', Properties.ServiceToken['Fn::GetAtt'][0]);
  expect(FunctionName).toBe('sluice-report-user-issuer');
  const actions = rightsOf([events], FunctionName).flatMap(({ Action }) => Action);
  expect(actions.filter((action) => !action.startsWith('logs:'))).toEqual([]);
  events.hasOutput('UserIssuer', { Value: { 'Fn::GetAtt': [id, 'UserIssuer'] } });
});
