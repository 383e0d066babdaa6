import { Duration, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
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
    alarms.add('stream-behind', {
      metric: metrics.streamAge,
      from: Duration.seconds(30).toMilliseconds(),
      periods: 3,
      says: 'Changes of the table wait to be carried on.',
    });
    alarms.add('feed-behind', {
      metric: metrics.feedDelay,
      from: Duration.seconds(30).toMilliseconds(),
      periods: 3,
      says: 'Revocations take long to reach the feed that the edge reads.',
    });
    alarms.add('changes-set-aside', {
      metric: metrics.setAside,
      from: 1,
      says: 'Changes that failed every time wait in the failure queue.',
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
  }
}

export function homeMetrics(config: Config, apiId: string) {
  const { table, failureQueue } = physicalNames(config);
  const ofFunction = (name: string) => ({ FunctionName: `${config.name}-${name}` });
  return {
    apiFailures: count('AWS/ApiGateway', '5xx', { ApiId: apiId, Stage: '$default' }),
    streamAge: largest('AWS/Lambda', 'IteratorAge', ofFunction('propagate-access-change')),
    feedDelay: largest('Sluice', 'FeedDelay', { service: 'sluice', table }),
    setAside: largest('AWS/SQS', 'ApproximateNumberOfMessagesVisible', { QueueName: failureQueue }),
    // What an index refuses is counted under the index alone, and holds up writes of the table all the same.
    tableThrottles: sumOf(
      [{}, ...tableShape.indexes.map(({ name }) => ({ GlobalSecondaryIndexName: name }))].flatMap((index) =>
        ['ReadThrottleEvents', 'WriteThrottleEvents'].map((name) =>
          count('AWS/DynamoDB', name, { TableName: table, ...index }),
        ),
      ),
    ),
    // Of all functions of the account, since they share what is throttled.
    functionThrottles: count('AWS/Lambda', 'Throttles'),
    rotationFailures: sumOf(
      ['rotate-session-keys', 'rotate-api-key-master'].map((name) => count('AWS/Lambda', 'Errors', ofFunction(name))),
    ),
  };
}
