import { Duration, Stack, type StackProps } from 'aws-cdk-lib';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { CfnEventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { entitiesWithoutConsequence } from '../domain/changes/table-changes.ts';
import { otherTableRights } from '../operations/table-rights.ts';
import type { FunctionBundles } from './bundle.ts';
import type { Config } from './config.ts';
import type { DataStack } from './data-stack.ts';
import { LoggedFunction } from './logged-function.ts';
import { physicalNames } from './names.ts';
import { tableStatements } from './table-statements.ts';

interface EventsStackProps extends StackProps {
  data: DataStack;
  bundles: FunctionBundles;
}

/** What follows a change of the table: its stream and the function that reads it. */
export class EventsStack extends Stack {
  constructor(scope: Construct, id: string, config: Config, { data, bundles, ...props }: EventsStackProps) {
    super(scope, id, props);
    const streamArn = data.table.tableStreamArn;
    if (streamArn === undefined) throw new Error('the table has no stream');
    const failures = new Queue(this, 'Failures', {
      queueName: physicalNames(config).failureQueue,
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    const bus = new EventBus(this, 'Bus', { eventBusName: config.name });
    const propagate = new LoggedFunction(this, 'propagate-access-change', {
      config,
      bundles,
      description: 'Carries on what a change of the table means beyond its own item',
      memoryMb: 512,
      timeout: Duration.seconds(30),
      environment: { SLUICE_TABLE_NAME: data.table.tableName, SLUICE_EVENT_BUS_NAME: bus.eventBusName },
      rights: [
        new PolicyStatement({
          actions: ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'],
          resources: [streamArn],
        }),
        // Takes no resource.
        new PolicyStatement({ actions: ['dynamodb:ListStreams'], resources: ['*'] }),
        ...tableStatements(otherTableRights['propagate-access-change'], data.table.tableArn),
        new PolicyStatement({ actions: ['events:PutEvents'], resources: [bus.eventBusArn] }),
        new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [failures.queueArn] }),
      ],
    });
    const mapping = new CfnEventSourceMapping(this, 'Mapping', {
      eventSourceArn: streamArn,
      functionName: propagate.function.functionName,
      startingPosition: 'TRIM_HORIZON',
      batchSize: 100,
      bisectBatchOnFunctionError: true,
      maximumRetryAttempts: 10,
      maximumRecordAgeInSeconds: Duration.hours(6).toSeconds(),
      functionResponseTypes: ['ReportBatchItemFailures'],
      destinationConfig: { onFailure: { destination: failures.queueArn } },
      filterCriteria: { filters: ['NewImage', 'OldImage'].map(thatMeansSomething) },
    });
    // Lambda checks the role's rights when the mapping is made.
    mapping.node.addDependency(propagate);
  }
}

/**
 * What the function writes itself must not wake it again, nor what has no consequence beyond its own item.
 * Filters are alternatives, and one that names an image passes only records that have it.
 */
function thatMeansSomething(image: string) {
  const entity = { S: [{ 'anything-but': [...entitiesWithoutConsequence] }] };
  return { pattern: JSON.stringify({ dynamodb: { [image]: { entity } } }) };
}
