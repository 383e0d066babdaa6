import { RemovalPolicy } from 'aws-cdk-lib';
import type { Distribution } from 'aws-cdk-lib/aws-cloudfront';
import { CfnDelivery, CfnDeliveryDestination, CfnDeliverySource, LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Config } from '../config.ts';

/**
 * Fields of the access log. It has no path, query, referrer, or cookies. A log must not contain a key from a URL, the
 * signature of a presigned request, or the name of a private object.
 */
const recordFields = [
  'date',
  'time',
  'x-edge-location',
  'x-edge-request-id',
  'c-ip',
  'cs-method',
  'cache-behavior-path-pattern',
  'sc-status',
  'sc-bytes',
  'sc-content-type',
  'time-taken',
  'time-to-first-byte',
  'x-edge-detailed-result-type',
  'ssl-protocol',
];

/** The access log of a distribution: one JSON line for each request, in CloudWatch Logs of us-east-1. */
export class DistributionLog extends Construct {
  readonly logGroup: LogGroup;

  constructor(scope: Construct, id: string, config: Config, distribution: Distribution, name: string) {
    super(scope, id);
    this.logGroup = new LogGroup(this, 'Group', {
      // Log delivery may write to groups with this prefix without a separate policy.
      logGroupName: `/aws/vendedlogs/${config.name}/${name}`,
      retention: config.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const source = new CfnDeliverySource(this, 'Source', {
      name: `${config.name}-${name}`,
      logType: 'ACCESS_LOGS',
      resourceArn: distribution.distributionArn,
    });
    const destination = new CfnDeliveryDestination(this, 'Destination', {
      name: `${config.name}-${name}`,
      destinationResourceArn: this.logGroup.logGroupArn,
      outputFormat: 'json',
    });
    new CfnDelivery(this, 'Delivery', {
      deliverySourceName: source.ref,
      deliveryDestinationArn: destination.attrArn,
      recordFields,
    });
  }
}
