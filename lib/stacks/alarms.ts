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
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { Config } from './config.ts';

export interface AlarmProps {
  metric: IMetric;
  /** Raised from this value on. */
  from: number;
  /** For this many periods of the metric in a row. */
  periods?: number;
  /** In any of so many periods, for data that come some periods late: an alarm looks at the last ones only. */
  anyOfPeriods?: number;
  /** What is wrong, in a sentence. */
  says: string;
}

/**
 * The alarms of one region and the topic that they tell: CloudWatch knows neither metrics nor topics of another. An alarm
 * that is quiet is one without data, too: nobody sent a request, so nobody was refused.
 */
export class Alarms extends Construct {
  readonly all: Alarm[] = [];
  readonly #config: Config;
  readonly #topic: Topic;

  constructor(scope: Construct, id: string, config: Config) {
    super(scope, id);
    this.#config = config;
    this.#topic = new Topic(this, 'Topic', { topicName: `${config.name}-alarms`, enforceSSL: true });
    // A policy of our own takes the place of the one that lets the account's services publish.
    this.#topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [this.#topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
    if (config.alarmsEmail !== undefined) this.#topic.addSubscription(new EmailSubscription(config.alarmsEmail));
  }

  /** Has AWS Budgets tell the topic, which it may for this account alone. */
  addBudget(dollarsAMonth: number): void {
    const { topicArn } = this.#topic;
    this.#topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('budgets.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
    const tell = (notificationType: 'ACTUAL' | 'FORECASTED', threshold: number) => ({
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
      notificationsWithSubscribers: [tell('ACTUAL', 80), tell('ACTUAL', 100), tell('FORECASTED', 100)],
    });
  }

  /** @param name that of its heading in docs/operating/alarms.md */
  add(name: string, { metric, from, periods = 1, anyOfPeriods = periods, says }: AlarmProps): void {
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

const fiveMinutes = Duration.minutes(5);

/** Counted over five minutes. */
export function count(namespace: string, metricName: string, dimensionsMap: Record<string, string> = {}): Metric {
  return new Metric({ namespace, metricName, dimensionsMap, statistic: 'Sum', period: fiveMinutes });
}

/** The largest of a minute. */
export function largest(namespace: string, metricName: string, dimensionsMap: Record<string, string> = {}): Metric {
  return new Metric({ namespace, metricName, dimensionsMap, statistic: 'Maximum', period: Duration.minutes(1) });
}

export function sumOf(metrics: readonly Metric[]): MathExpression {
  const usingMetrics = Object.fromEntries(metrics.map((metric, index) => [`m${index}`, metric]));
  const expression = metrics.map((_, index) => `FILL(m${index}, 0)`).join(' + ');
  return new MathExpression({ expression, usingMetrics, period: fiveMinutes });
}

/**
 * Percent of a distribution's answers, where there were enough to speak of a share; without those of a firewall, which
 * are meant.
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
    // What WAF counts and what CloudFront counts are not of the same second: a share is never below nothing.
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
