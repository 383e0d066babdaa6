import { Duration } from 'aws-cdk-lib';
import type { StreamConsumerName } from '../domain/changes/stream-consumers.ts';
import { createDataCredentials } from '../operations/session.ts';
import { tableShape } from '../store/table-shape.ts';
import { type AlarmProps, Alarms, count, largest, sumOf } from './alarms.ts';
import { functionNameOf } from './api-operations.ts';
import type { ApiStack } from './api-stack.ts';
import type { Config } from './config.ts';
import { ServiceStack, type Shared } from './functions.ts';
import { physicalNames } from './names.ts';

/** The alarms of the home region. */
export class WatchingStack extends ServiceStack {
  constructor(shared: Shared, api: ApiStack) {
    super(shared, 'watching');
    new Alarms(this, 'Alarms', this.config).addAll(homeRegionAlarms(this.config, api.apiId));
  }
}

export function homeRegionAlarms(config: Config, apiId: string) {
  return {
    'api-fails': {
      metric: count('AWS/ApiGateway', '5xx', { ApiId: apiId, Stage: '$default' }),
      from: 5,
      says: 'The management API answered with errors of its own.',
    },
    ...changeAlarms(config),
    ...invalidationAlarms(config),
    'data-credentials-surge': {
      metric: count('AWS/Lambda', 'Invocations', ofFunction(config, functionNameOf(createDataCredentials))),
      from: 1000,
      says: 'Clients request far more data credentials than users of pages need.',
    },
    ...throttleAlarms(config),
    ...scheduleAlarms(config),
  } satisfies Record<string, AlarmProps>;
}

/**
 * Returns the alarms for the stream consumers. An alarm is raised if a change takes effect late, or if handling a
 * change failed.
 */
function changeAlarms(config: Config) {
  const { failureQueue, revocationFailureQueue } = physicalNames(config);
  const ageReadBy = (consumer: StreamConsumerName) =>
    largest('AWS/Lambda', 'IteratorAge', ofFunction(config, consumer));
  return {
    'revocations-behind': {
      metric: ageReadBy('propagate-access-change'),
      from: Duration.seconds(30).toMilliseconds(),
      periods: 3,
      says: 'Changes of access wait for the stream consumer that reports them to the edge.',
    },
    'changes-behind': {
      metric: ageReadBy('follow-changes'),
      from: Duration.minutes(5).toMilliseconds(),
      periods: 3,
      says: 'Events, audit events and removals after deletions wait.',
    },
    'feed-behind': {
      metric: largest('Sluice', 'FeedDelay', ofTable(config)),
      from: Duration.seconds(30).toMilliseconds(),
      periods: 3,
      says: 'Revocations take long to reach the feed that the edge reads.',
    },
    'revocations-set-aside': {
      metric: messagesIn(revocationFailureQueue),
      from: 1,
      says: 'Changes of access that did not reach the edge wait in their failure queue.',
    },
    'changes-set-aside': {
      metric: messagesIn(failureQueue),
      from: 1,
      says: 'Changes wait in the failure queue after every attempt failed.',
    },
  } satisfies Record<string, AlarmProps>;
}

/** Returns the alarms for the cache invalidations after public access was revoked. */
function invalidationAlarms(config: Config) {
  const { invalidationQueue, invalidationFailureQueue } = physicalNames(config);
  return {
    'invalidations-behind': {
      metric: largest('AWS/SQS', 'ApproximateAgeOfOldestMessage', { QueueName: invalidationQueue }),
      from: Duration.minutes(3).toSeconds(),
      periods: 3,
      says: 'Invalidations after a revocation of public access wait.',
    },
    'invalidations-set-aside': {
      metric: messagesIn(invalidationFailureQueue),
      from: 1,
      says: 'Invalidations of the data proxy or the site failed.',
    },
    'invalidations-lost': {
      metric: count('Sluice', 'LostInvalidations', ofTable(config)),
      from: 1,
      says: 'A revocation of public access did not reach the queue of invalidations.',
    },
  } satisfies Record<string, AlarmProps>;
}

function throttleAlarms(config: Config) {
  const { table } = physicalNames(config);
  // Watch each index as well. If an index throttles requests, writes to the table are throttled, but only the index's
  // own metric shows this.
  const tables = [{}, ...tableShape.indexes.map(({ name }) => ({ GlobalSecondaryIndexName: name }))];
  const throttled = tables.flatMap((index) =>
    ['ReadThrottleEvents', 'WriteThrottleEvents'].map((name) =>
      count('AWS/DynamoDB', name, { TableName: table, ...index }),
    ),
  );
  return {
    'table-throttles': { metric: sumOf(throttled), from: 10, says: 'DynamoDB refused requests.' },
    'functions-throttled': {
      // Use the metric of all functions in the AWS account, because they share one concurrency limit.
      metric: count('AWS/Lambda', 'Throttles'),
      from: 10,
      says: 'Lambda refused to run functions of this account.',
    },
  } satisfies Record<string, AlarmProps>;
}

/** Returns the alarms for the functions that run on a schedule. */
function scheduleAlarms(config: Config) {
  const errorsOf = (name: string) => count('AWS/Lambda', 'Errors', ofFunction(config, name));
  return {
    'rotation-fails': {
      metric: sumOf(['rotate-session-keys', 'rotate-api-key-master'].map(errorsOf)),
      from: 1,
      says: 'A secret could not be rotated.',
    },
    'issuer-keys-fail': {
      metric: errorsOf('refresh-issuer-keys'),
      from: 1,
      periods: 3,
      says: 'The keys of registered issuers cannot be refreshed.',
    },
    'repository-jobs-fail': {
      metric: errorsOf('run-repository-jobs'),
      from: 1,
      periods: 3,
      says: 'Versions of repositories cannot be frozen or verified.',
    },
    'search-index-fails': {
      metric: errorsOf('build-search-index'),
      from: 1,
      periods: 3,
      says: 'The search index of the catalogue cannot be built.',
    },
  } satisfies Record<string, AlarmProps>;
}

function ofFunction({ name }: Config, functionName: string) {
  return { FunctionName: `${name}-${functionName}` };
}

function ofTable(config: Config) {
  return { service: 'sluice', table: physicalNames(config).table };
}

function messagesIn(queueName: string) {
  return largest('AWS/SQS', 'ApproximateNumberOfMessagesVisible', { QueueName: queueName });
}
