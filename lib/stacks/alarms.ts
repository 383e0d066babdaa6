import { Duration, Stack } from 'aws-cdk-lib';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { Config } from './config.ts';
import { allow } from './rights.ts';

export interface AlarmProps {
  metric: IMetric;
  /** The threshold of the alarm. The alarm is raised when the metric has this value or a larger one. */
  from: number;
  /** The number of consecutive periods in which the metric must reach the threshold. */
  periods?: number;
  /**
   * The number of latest periods in which the alarm evaluates the metric. Set it for a metric that arrives some periods
   * late.
   */
  anyOfPeriods?: number;
  /** A sentence that describes the problem. */
  says: string;
}

/**
 * The alarms of one region, and the SNS topic that reports them. Each region has its own alarms and topic, because
 * CloudWatch cannot use metrics or topics of other regions. Missing data raises no alarm, because metrics about
 * refusals do not exist without requests.
 */
export class Alarms extends Construct {
  readonly all: Alarm[] = [];
  readonly #config: Config;
  readonly #topic: Topic;

  constructor(scope: Construct, id: string, config: Config) {
    super(scope, id);
    this.#config = config;
    this.#topic = new Topic(this, 'Topic', { topicName: `${config.name}-alarms`, enforceSSL: true });
    // The default policy lets all services of the AWS account publish to the topic. Replace the policy by one that
    // allows only CloudWatch.
    this.#letPublish('cloudwatch');
    if (config.alarmsEmail !== undefined) this.#topic.addSubscription(new EmailSubscription(config.alarmsEmail));
  }

  /** Creates a budget whose alerts are sent to the topic. Only budgets of this AWS account may publish to the topic. */
  addBudget(dollarsAMonth: number): void {
    const { topicArn } = this.#topic;
    this.#letPublish('budgets');
    const notify = (notificationType: 'ACTUAL' | 'FORECASTED', threshold: number) => ({
      notification: { notificationType, threshold, thresholdType: 'PERCENTAGE', comparisonOperator: 'GREATER_THAN' },
      subscribers: [{ subscriptionType: 'SNS', address: topicArn }],
    });
    new CfnBudget(this, 'Budget', {
      budget: {
        budgetName: `${this.#config.name}-monthly-budget`,
        budgetType: 'COST',
        timeUnit: 'MONTHLY',
        budgetLimit: { amount: dollarsAMonth, unit: 'USD' },
      },
      notificationsWithSubscribers: [notify('ACTUAL', 80), notify('ACTUAL', 100), notify('FORECASTED', 100)],
    });
  }

  #letPublish(service: string): void {
    this.#topic.addToResourcePolicy(
      allow(['sns:Publish'], [this.#topic.topicArn], {
        principals: [new ServicePrincipal(`${service}.amazonaws.com`)],
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
  }

  /** Adds alarms by name. docs/operating/alarms.md has a heading for each name. */
  addAll(alarms: Record<string, AlarmProps>): void {
    for (const [name, { metric, from, periods = 1, anyOfPeriods = periods, says }] of Object.entries(alarms)) {
      const alarm = new Alarm(this, name, {
        alarmName: `${this.#config.name}-${name}`,
        alarmDescription: `${says} What to do: docs/operating/alarms.md#${name}`,
        metric,
        threshold: from,
        comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        evaluationPeriods: anyOfPeriods,
        datapointsToAlarm: periods,
        treatMissingData: TreatMissingData.NOT_BREACHING,
      });
      alarm.addAlarmAction(new SnsAction(this.#topic));
      alarm.addOkAction(new SnsAction(this.#topic));
      this.all.push(alarm);
    }
  }
}

const fiveMinutes = Duration.minutes(5);

/** Returns a metric: the sum of the values in five minutes. */
export function count(namespace: string, metricName: string, dimensionsMap: Record<string, string> = {}): Metric {
  return new Metric({ namespace, metricName, dimensionsMap, statistic: 'Sum', period: fiveMinutes });
}

/** Returns a metric: the maximum of the values in each minute. */
export function largest(namespace: string, metricName: string, dimensionsMap: Record<string, string> = {}): Metric {
  return new Metric({ namespace, metricName, dimensionsMap, statistic: 'Maximum', period: Duration.minutes(1) });
}

export function sumOf(metrics: readonly Metric[]): MathExpression {
  const usingMetrics = Object.fromEntries(metrics.map((metric, index) => [`m${index}`, metric]));
  const expression = metrics.map((_, index) => `FILL(m${index}, 0)`).join(' + ');
  return new MathExpression({ expression, usingMetrics, period: fiveMinutes });
}

/**
 * Returns a metric: the percentage of failed responses of a distribution. It is 0 when there are few requests, because
 * a percentage would then be misleading. Responses that the firewall refuses intentionally do not count as failures.
 */
export function errorShare(
  distributionId: string,
  metricName: '5xxErrorRate' | 'TotalErrorRate',
  { requestsMin, meant = [] }: { requestsMin: number; meant?: readonly Metric[] },
) {
  const dimensionsMap = { DistributionId: distributionId, Region: 'Global' };
  const refused = Object.fromEntries(meant.map((metric, index) => [`refused${index}`, metric]));
  const failed = ['share * requests / 100', ...Object.keys(refused).map((name) => `FILL(${name}, 0)`)].join(' - ');
  return new MathExpression({
    // Return 0 for a negative difference, which is possible because WAF and CloudFront count a request at slightly
    // different times.
    expression: `IF(requests >= ${requestsMin} AND (${failed}) > 0, 100 * (${failed}) / requests, 0)`,
    usingMetrics: {
      requests: count('AWS/CloudFront', 'Requests', dimensionsMap),
      share: new Metric({
        namespace: 'AWS/CloudFront',
        metricName,
        dimensionsMap,
        statistic: 'Average',
        period: fiveMinutes,
      }),
      ...refused,
    },
    period: fiveMinutes,
  });
}
