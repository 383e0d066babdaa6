import { CfnCustomResource, CfnOutput, Duration } from 'aws-cdk-lib';
import { EventBus, Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { CfnEventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { type StreamConsumer, type StreamConsumerName, streamConsumers } from '../domain/changes/stream-consumers.ts';
import { otherTableRights } from '../operations/table-rights.ts';
import type { DataStack } from './data-stack.ts';
import { type LoggedFunctionProps, ServiceStack, type Shared } from './functions.ts';
import { Invalidations } from './invalidations.ts';
import {
  edgeRegion,
  physicalNames,
  repositoryJobsRoleName,
  storageIssuerConfig,
  storagePrincipalOutput,
} from './names.ts';
import { allow, arnsByName, tableStatements, useOfIdentityKeys } from './rights.ts';

interface StreamConsumerProps
  extends Required<Pick<LoggedFunctionProps, 'description' | 'timeout' | 'environment' | 'rights'>> {
  name: StreamConsumerName;
  queue: { id: string; queueName: string };
  mappingId: string;
}

/**
 * The stream consumers of the table, the functions that belong to them, and the tasks that run once before the table is
 * changed.
 */
export class EventsStack extends ServiceStack {
  readonly #data: DataStack;

  constructor(shared: Shared, data: DataStack) {
    super(shared, 'events');
    const { config } = this;
    this.#data = data;
    const { failureQueue, revocationFailureQueue } = physicalNames(config);
    const bus = new EventBus(this, 'Bus', { eventBusName: config.name });
    // The IDs of the event source mappings must not change. AWS replaces a mapping with a changed ID, and the new one
    // starts at another position in the stream: an upgrade would lose events, or repeat the events of a day.
    this.#addStreamConsumer({
      name: 'follow-changes',
      description: 'Handles changes of the table: events, audit events, removals',
      timeout: Duration.minutes(1),
      environment: { SLUICE_EVENT_BUS_NAME: bus.eventBusName },
      rights: [allow(['events:PutEvents'], [bus.eventBusArn])],
      queue: { id: 'Failures', queueName: failureQueue },
      mappingId: 'Mapping',
    });
    const { queue: invalidations } = new Invalidations(this, config);
    this.#addStreamConsumer({
      name: 'propagate-access-change',
      description: 'Reports changes of access to the data proxy',
      timeout: Duration.seconds(30),
      environment: { SLUICE_INVALIDATION_QUEUE_URL: invalidations.queueUrl },
      rights: [allow(['sqs:SendMessage'], [invalidations.queueArn])],
      queue: { id: 'RevocationFailures', queueName: revocationFailureQueue },
      mappingId: 'RevocationMapping',
    });
    this.#reportUserIssuer();
    this.#buildSearchIndex();
    this.#refreshIssuerKeys();
    this.#runRepositoryJobs();
  }

  #reportUserIssuer(): void {
    const reporter = this.addFunction('report-user-issuer', {
      description: 'Reports the user issuer and warns when it changes',
      memoryMb: 256,
      timeout: Duration.minutes(1),
    });
    const resource = new CfnCustomResource(this, 'ReportedUserIssuer', {
      serviceToken: reporter.function.functionArn,
      serviceTimeout: Duration.minutes(2).toSeconds(),
    });
    // A change of this property makes CloudFormation run the function again. A user pool is created by a later stack,
    // so its URL is unknown here. With a user pool, the property therefore has a fixed text.
    resource.addPropertyOverride('UserIssuer', this.config.userIssuer?.issuer ?? "the deployment's user pool");
    new CfnOutput(this, 'UserIssuer', { value: resource.getAtt('UserIssuer').toString() });
  }

  /**
   * Adds the function that builds the search index. It holds the complete catalogue in memory. Lambda gives a function
   * with more memory more CPU as well.
   */
  #buildSearchIndex(): void {
    const { table } = this.#data;
    const { function: builder } = this.addFunction('build-search-index', {
      description: 'Builds the search index of the catalogue',
      memoryMb: 2048,
      timeout: Duration.minutes(10),
      environment: { SLUICE_TABLE_NAME: table.tableName },
      rights: tableStatements(otherTableRights['build-search-index'], table.tableArn),
    });
    new Rule(this, 'SearchIndexSchedule', {
      schedule: Schedule.rate(Duration.minutes(5)),
      targets: [new LambdaFunction(builder, { retryAttempts: 0 })],
    });
  }

  /**
   * Adds the function that fetches the signing keys of registered issuers. It connects to hosts that users of accounts
   * chose, so its only rights are to the items of registered issuers.
   */
  #refreshIssuerKeys(): void {
    const { table } = this.#data;
    const { function: refresh } = this.addFunction('refresh-issuer-keys', {
      description: 'Fetches the keys of registered issuers',
      memoryMb: 512,
      timeout: Duration.minutes(1),
      // Resolving a host name blocks a thread. With the default of 4 threads, slow host names would delay all others.
      environment: { SLUICE_TABLE_NAME: table.tableName, UV_THREADPOOL_SIZE: '32' },
      rights: tableStatements(otherTableRights['refresh-issuer-keys'], table.tableArn),
    });
    new Rule(this, 'IssuerKeysSchedule', {
      schedule: Schedule.rate(Duration.minutes(1)),
      targets: [new LambdaFunction(refresh, { retryAttempts: 0 })],
    });
  }

  /**
   * Adds the function that runs the background jobs of repositories. Each run reserves its jobs in the table, so several runs can
   * work at the same time.
   */
  #runRepositoryJobs(): void {
    const { table, connectionKey } = this.#data;
    const issuer = storageIssuerConfig(this.config);
    const assumesRoles = this.config.storageRoleArns.length > 0;
    const principal = assumesRoles ? this.outputOf('edge', storagePrincipalOutput, edgeRegion) : undefined;
    const { function: runner } = this.addFunction('run-repository-jobs', {
      description: 'Freezes and verifies versions of repositories, and counts and deletes files',
      memoryMb: 1024,
      timeout: Duration.minutes(13),
      environment: {
        SLUICE_TABLE_NAME: table.tableName,
        SLUICE_CONNECTION_KEY_ARN: connectionKey.keyArn,
        ...(issuer === undefined ? {} : { SLUICE_STORAGE_ISSUER: JSON.stringify(issuer) }),
        ...(principal === undefined ? {} : { SLUICE_STORAGE_PRINCIPAL: principal }),
      },
      roleName: repositoryJobsRoleName(this.config),
      rights: [
        ...tableStatements(otherTableRights['run-repository-jobs'], table.tableArn),
        allow(['kms:Decrypt'], [connectionKey.keyArn]),
        ...(principal === undefined ? [] : [allow(['sts:AssumeRole'], [principal])]),
        ...(issuer === undefined
          ? []
          : [useOfIdentityKeys({ keys: arnsByName(this).anyKey(), aliases: issuer.key_ids })]),
      ],
    });
    new Rule(this, 'RepositoryJobSchedule', {
      schedule: Schedule.rate(Duration.minutes(1)),
      targets: [new LambdaFunction(runner, { retryAttempts: 0 })],
    });
  }

  #addStreamConsumer({ name, queue, mappingId, environment, rights, ...props }: StreamConsumerProps): void {
    const { table } = this.#data;
    const streamArn = table.tableStreamArn;
    if (streamArn === undefined) throw new Error('the table has no stream');
    const failures = new Queue(this, queue.id, {
      queueName: queue.queueName,
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    const reader = this.addFunction(name, {
      ...props,
      memoryMb: 512,
      reservedConcurrency: this.config.reservedConcurrency.stream,
      environment: { SLUICE_TABLE_NAME: table.tableName, ...environment },
      rights: [
        allow(['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'], [streamArn]),
        // Allow this action for all resources, because AWS cannot restrict it to one resource.
        allow(['dynamodb:ListStreams'], ['*']),
        ...tableStatements(otherTableRights[name], table.tableArn),
        ...rights,
        allow(['sqs:SendMessage'], [failures.queueArn]),
      ],
    });
    const mapping = new CfnEventSourceMapping(this, mappingId, {
      eventSourceArn: streamArn,
      functionName: reader.function.functionName,
      startingPosition: 'TRIM_HORIZON',
      batchSize: 100,
      parallelizationFactor: streamConsumers[name].parallelizationFactor,
      bisectBatchOnFunctionError: true,
      maximumRetryAttempts: 10,
      maximumRecordAgeInSeconds: Duration.hours(6).toSeconds(),
      functionResponseTypes: ['ReportBatchItemFailures'],
      destinationConfig: { onFailure: { destination: failures.queueArn } },
      filterCriteria: { filters: ['NewImage', 'OldImage'].map((image) => filterOf(streamConsumers[name], image)) },
    });
    // Create the role's rights first, because Lambda checks them when it creates the event source mapping.
    mapping.node.addDependency(reader);
  }
}

/**
 * Returns an event filter that passes only the item types of this consumer. The consumer is then not invoked by its own
 * writes, or for items on which it has no effect. A record is passed if it matches one of the filters. A filter for an
 * image matches only records that have this image.
 */
function filterOf({ entities }: StreamConsumer, image: string) {
  const entity = { S: 'only' in entities ? entities.only : [{ 'anything-but': entities.allBut }] };
  return { pattern: JSON.stringify({ dynamodb: { [image]: { entity } } }) };
}
