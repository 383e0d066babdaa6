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
  /** The alarm goes off at this value or above. */
  from: number;
  /** The number of consecutive periods at the threshold. */
  periods?: number;
  /** Evaluates this many periods, for metrics that arrive some periods late. */
  anyOfPeriods?: number;
  /** The problem, in one sentence. */
  says: string;
}

/**
 * The alarms of one region and their topic. CloudWatch cannot use metrics or topics of other regions. Missing data
 * raises no alarm, because without requests there are no refusals.
 */
export class Alarms extends Construct {
  readonly all: Alarm[] = [];
  readonly #config: Config;
  readonly #topic: Topic;

  constructor(scope: Construct, id: string, config: Config) {
    super(scope, id);
    this.#config = config;
    this.#topic = new Topic(this, 'Topic', { topicName: `${config.name}-alarms`, enforceSSL: true });
    // A custom policy replaces the default policy, which lets services of the account publish.
    this.#letPublish('cloudwatch');
    if (config.alarmsEmail !== undefined) this.#topic.addSubscription(new EmailSubscription(config.alarmsEmail));
  }

  /** Sends AWS Budgets alerts to the topic. Only budgets of this account may publish. */
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

  /** Adds alarms by name. The name is the alarm's heading in docs/operating/alarms.md. */
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

/** A sum over five minutes. */
export function count(namespace: string, metricName: string, dimensionsMap: Record<string, string> = {}): Metric {
  return new Metric({ namespace, metricName, dimensionsMap, statistic: 'Sum', period: fiveMinutes });
}

/** The maximum of each minute. */
export function largest(namespace: string, metricName: string, dimensionsMap: Record<string, string> = {}): Metric {
  return new Metric({ namespace, metricName, dimensionsMap, statistic: 'Maximum', period: Duration.minutes(1) });
}

export function sumOf(metrics: readonly Metric[]): MathExpression {
  const usingMetrics = Object.fromEntries(metrics.map((metric, index) => [`m${index}`, metric]));
  const expression = metrics.map((_, index) => `FILL(m${index}, 0)`).join(' + ');
  return new MathExpression({ expression, usingMetrics, period: fiveMinutes });
}

/**
 * Returns the percentage of failed responses of a distribution. Returns 0 for few requests, because a percentage is
 * then meaningless. Leaves out intended refusals by a firewall.
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
    // WAF and CloudFront count at slightly different times, so the difference could become negative.
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
