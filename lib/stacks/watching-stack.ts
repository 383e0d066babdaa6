import { Duration, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { StreamConsumerName } from '../domain/changes/stream-consumers.ts';
import { createDataCredentials } from '../operations/session.ts';
import { tableShape } from '../store/table-shape.ts';
import { Alarms, count, largest, sumOf } from './alarms.ts';
import type { ApiStack } from './api-stack.ts';
import type { Config } from './config.ts';
import { physicalNames } from './names.ts';

interface WatchingStackProps extends StackProps {
  api: ApiStack;
}

/** The alarms of the home region. */
export class WatchingStack extends Stack {
  constructor(scope: Construct, id: string, config: Config, { api, ...props }: WatchingStackProps) {
    super(scope, id, props);
    const metrics = homeMetrics(config, api.apiId);
    const alarms = new Alarms(this, 'Alarms', config);
    alarms.add('api-fails', {
      metric: metrics.apiFailures,
      from: 5,
      says: 'The management API answered with errors of its own.',
    });
    alarms.add('revocations-behind', {
      metric: metrics.revocationAge,
      from: Duration.seconds(30).toMilliseconds(),
      periods: 3,
      says: 'Changes of access wait to be told to the edge.',
    });
    alarms.add('changes-behind', {
      metric: metrics.changeAge,
      from: Duration.minutes(5).toMilliseconds(),
      periods: 3,
      says: 'Events, audit events and removals after deletions wait.',
    });
    alarms.add('feed-behind', {
      metric: metrics.feedDelay,
      from: Duration.seconds(30).toMilliseconds(),
      periods: 3,
      says: 'Revocations take long to reach the feed that the edge reads.',
    });
    alarms.add('revocations-set-aside', {
      metric: metrics.revocationsSetAside,
      from: 1,
      says: 'Changes of access that could not be told to the edge wait in their failure queue.',
    });
    alarms.add('changes-set-aside', {
      metric: metrics.setAside,
      from: 1,
      says: 'Changes that failed every time wait in the failure queue.',
    });
    alarms.add('invalidations-behind', {
      metric: metrics.invalidationAge,
      from: Duration.minutes(3).toSeconds(),
      periods: 3,
      says: 'Invalidations of what was closed wait.',
    });
    alarms.add('invalidations-set-aside', {
      metric: metrics.invalidationsSetAside,
      from: 1,
      says: 'Invalidations of the data proxy or the site failed.',
    });
    alarms.add('invalidations-lost', {
      metric: metrics.invalidationsLost,
      from: 1,
      says: 'What was closed did not reach the queue of invalidations.',
    });
    alarms.add('data-credentials-surge', {
      metric: metrics.dataCredentials,
      from: 1000,
      says: 'Far more credentials for data are asked for than people at pages need.',
    });
    alarms.add('table-throttles', { metric: metrics.tableThrottles, from: 10, says: 'DynamoDB refused requests.' });
    alarms.add('functions-throttled', {
      metric: metrics.functionThrottles,
      from: 10,
      says: 'Lambda refused to run functions of this account.',
    });
    alarms.add('rotation-fails', {
      metric: metrics.rotationFailures,
      from: 1,
      says: 'A secret could not be rotated.',
    });
    alarms.add('search-index-fails', {
      metric: metrics.searchIndexFailures,
      from: 1,
      periods: 3,
      says: 'The index by which the catalogue is searched cannot be built.',
    });
  }
}

export function homeMetrics(config: Config, apiId: string) {
  const { table, failureQueue, revocationFailureQueue, invalidationQueue, invalidationFailureQueue } =
    physicalNames(config);
  const waitingIn = (queueName: string) =>
    largest('AWS/SQS', 'ApproximateNumberOfMessagesVisible', { QueueName: queueName });
  const ofFunction = (name: string) => ({ FunctionName: `${config.name}-${name}` });
  const ageReadBy = (lane: StreamConsumerName) => largest('AWS/Lambda', 'IteratorAge', ofFunction(lane));
  return {
    apiFailures: count('AWS/ApiGateway', '5xx', { ApiId: apiId, Stage: '$default' }),
    revocationAge: ageReadBy('propagate-access-change'),
    changeAge: ageReadBy('follow-changes'),
    feedDelay: largest('Sluice', 'FeedDelay', { service: 'sluice', table }),
    setAside: waitingIn(failureQueue),
    revocationsSetAside: waitingIn(revocationFailureQueue),
    invalidationAge: largest('AWS/SQS', 'ApproximateAgeOfOldestMessage', { QueueName: invalidationQueue }),
    invalidationsSetAside: waitingIn(invalidationFailureQueue),
    invalidationsLost: count('Sluice', 'LostInvalidations', { service: 'sluice', table }),
    // Throttled requests of an index appear in the index's metric only, but they also throttle writes to the table.
    tableThrottles: sumOf(
      [{}, ...tableShape.indexes.map(({ name }) => ({ GlobalSecondaryIndexName: name }))].flatMap((index) =>
        ['ReadThrottleEvents', 'WriteThrottleEvents'].map((name) =>
          count('AWS/DynamoDB', name, { TableName: table, ...index }),
        ),
      ),
    ),
    dataCredentials: count('AWS/Lambda', 'Invocations', ofFunction(createDataCredentials.name)),
    // The metric of all functions in the account, because they share one concurrency limit.
    functionThrottles: count('AWS/Lambda', 'Throttles'),
    searchIndexFailures: count('AWS/Lambda', 'Errors', ofFunction('build-search-index')),
    rotationFailures: sumOf(
      ['rotate-session-keys', 'rotate-api-key-master'].map((name) => count('AWS/Lambda', 'Errors', ofFunction(name))),
    ),
  };
}
