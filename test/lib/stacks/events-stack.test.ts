import type { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { streamConsumers } from '../../../lib/domain/changes/stream-consumers.ts';
import { entitiesWithoutConsequence } from '../../../lib/domain/changes/table-changes.ts';
import { entitiesOfDataAccess } from '../../../lib/domain/data/cached-data.ts';
import { otherTableRights } from '../../../lib/operations/table-rights.ts';
import { rightsByRole, synthesize } from './synthesized.ts';

let events: Template;
beforeAll(() => {
  events = synthesize().events;
});

describe('the stream of the table', () => {
  const mappings = () =>
    Object.entries(
      events.findResources('AWS::Lambda::EventSourceMapping', { Properties: { StartingPosition: 'TRIM_HORIZON' } }),
    ).map(([id, { Properties }]) => {
      const [functionId] = Object.values<string>(Properties.FunctionName);
      const name: string =
        events.findResources('AWS::Lambda::Function')[String(functionId)]?.['Properties'].FunctionName;
      return { id, name, ...Properties };
    });

  it('is read twice and no more, since a shard bears no more readers', () => {
    expect(
      mappings()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['sluice-follow-changes', 'sluice-propagate-access-change']);
    expect(Object.keys(streamConsumers).sort()).toEqual(['follow-changes', 'propagate-access-change']);
  });

  it('is read with several batches at once, an end to retries, bisecting, and a place of its own for what failed', () => {
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
    expect(
      [...queues].map((id) => events.findResources('AWS::SQS::Queue')[id]?.['Properties'].QueueName).sort(),
    ).toEqual(['sluice-failures', 'sluice-revocation-failures']);
  });

  it('goes on from its place after an upgrade, where one function read it all', () => {
    expect(mappings().find(({ name }) => name === 'sluice-follow-changes')?.id).toBe('Mapping');
  });

  it('wakes each function for its own changes, new or gone, and never for what it writes itself', () => {
    const patternsOf = (name: string) =>
      mappings()
        .find((mapping) => mapping.name === `sluice-${name}`)
        ?.FilterCriteria.Filters.map(({ Pattern }: { Pattern: string }) => JSON.parse(Pattern));
    const both = (S: unknown) =>
      ['NewImage', 'OldImage'].map((image) => ({ dynamodb: { [image]: { entity: { S } } } }));
    expect(patternsOf('propagate-access-change')).toEqual(both([...entitiesOfDataAccess]));
    const { allBut } = streamConsumers['follow-changes'].entities;
    expect(patternsOf('follow-changes')).toEqual(both([{ 'anything-but': allBut }]));
    expect(allBut).toEqual(
      expect.arrayContaining([...entitiesWithoutConsequence, 'audit_event', 'feed', 'idempotency']),
    );
    // Lambda accepts patterns of up to 4,096 characters.
    for (const { FilterCriteria } of mappings())
      for (const { Pattern } of FilterCriteria.Filters) expect(Pattern.length).toBeLessThan(4096);
  });

  it('is read by functions that may do what each needs, with the one wildcard that AWS asks for', () => {
    const reading = [
      'dynamodb:DescribeStream',
      'dynamodb:GetRecords',
      'dynamodb:GetShardIterator',
      'dynamodb:ListStreams',
      'logs:CreateLogStream',
      'logs:PutLogEvents',
      'sqs:SendMessage',
    ];
    const rights = rightsByRole(events);
    const actionsOf = (name: string) => {
      const [, statements = []] = Object.entries(rights).find(([id]) => id.startsWith(name)) ?? [];
      return statements.flatMap(({ Action }) => Action).sort();
    };
    expect(actionsOf('propagateaccesschange')).toEqual([...reading, 'dynamodb:PutItem'].sort());
    const items = otherTableRights['follow-changes'].flatMap(({ actions }) =>
      actions.map((action) => `dynamodb:${action}`),
    );
    // One statement grants access to both indexes.
    const distinct = (actions: readonly string[]) => [...new Set(actions)].sort();
    expect(distinct(actionsOf('followchanges'))).toEqual(distinct([...reading, ...items, 'events:PutEvents']));
    const statements = Object.values(rights).flat();
    const [put] = statements.filter(({ Action, Condition }) => Action.includes('dynamodb:PutItem') && Condition);
    expect(put?.Condition).toEqual({ 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['FEED#*'] } });
    const unbound = statements.filter(({ Resource }) => Resource.some((resource) => resource.includes('*')));
    expect(new Set(unbound.flatMap(({ Action }) => Action))).toEqual(
      // The function reads the distribution's ID at run time, because the distribution is created later, in another
      // region.
      new Set([
        'dynamodb:ListStreams',
        'cloudfront:CreateInvalidation',
        'cloudfront:GetInvalidation',
        'cloudfront:ListInvalidations',
      ]),
    );
  });

  it('has runs reserved for each of its readers where that is configured', () => {
    const { events: stack } = synthesize({ reservedConcurrency: { stream: 20 } });
    const kept = Object.values(stack.findResources('AWS::Lambda::Function')).map(({ Properties }) => [
      Properties.FunctionName,
      Properties.ReservedConcurrentExecutions,
    ]);
    expect(Object.fromEntries(kept)).toEqual({
      'sluice-follow-changes': 20,
      'sluice-propagate-access-change': 20,
      'sluice-report-people-issuer': undefined,
      'sluice-build-search-index': undefined,
      'sluice-invalidate-caches': undefined,
    });
  });

  it('has a queue of invalidations: gathered for ten seconds, tried twenty times, and set aside in one of its own', () => {
    const [mapping, ...others] = Object.values(
      events.findResources('AWS::Lambda::EventSourceMapping', { Properties: { BatchSize: 1000 } }),
    ).map(({ Properties }) => Properties);
    expect(others).toEqual([]);
    expect(mapping).toMatchObject({
      MaximumBatchingWindowInSeconds: 10,
      ScalingConfig: { MaximumConcurrency: 2 },
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    });
    const queues = Object.entries(events.findResources('AWS::SQS::Queue')).map(([id, { Properties }]) => [
      Properties.QueueName,
      Properties.RedrivePolicy?.maxReceiveCount,
      id,
    ]);
    const [queueId] = mapping?.EventSourceArn['Fn::GetAtt'] ?? [];
    expect(queues).toContainEqual(['sluice-invalidations', 20, queueId]);
    expect(queues).toContainEqual(['sluice-invalidation-failures', undefined, expect.any(String)]);
    // The visibility timeout equals the function's timeout plus its batching window. A duplicate delivery is harmless,
    // a late one is not.
    const queue = events.findResources('AWS::SQS::Queue')[queueId]?.['Properties'];
    expect(queue.VisibilityTimeout).toBe(20 + 10);
  });

  it('runs on Node 24 and arm64', () => {
    events.allResourcesProperties('AWS::Lambda::Function', { Runtime: 'nodejs24.x', Architectures: ['arm64'] });
  });
});

it("reports the people's issuer by a function that has no right to any resource", () => {
  const { events: stack } = synthesize();
  const [resource] = Object.entries(stack.findResources('AWS::CloudFormation::CustomResource'));
  const [functionId] = resource?.[1]['Properties'].ServiceToken['Fn::GetAtt'] ?? [];
  const { FunctionName, Role } = stack.findResources('AWS::Lambda::Function')[functionId]?.['Properties'] ?? {};
  expect(FunctionName).toBe('sluice-report-people-issuer');
  const rights = rightsByRole(stack)[Role['Fn::GetAtt'][0]] ?? [];
  expect(rights.flatMap(({ Action }) => Action).filter((action) => !action.startsWith('logs:'))).toEqual([]);
  expect(resource?.[1]['Properties'].PeopleIssuer).toBe("the deployment's user pool");
  stack.hasOutput('PeopleIssuer', { Value: { 'Fn::GetAtt': [resource?.[0], 'PeopleIssuer'] } });
});
