import { readFileSync } from 'node:fs';
import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it, vi } from 'vitest';
import { createLambdaAccessConsumer } from '../../../lib/lambda/stream-consumers/access-consumer.ts';
import { tableShape } from '../../../lib/store/table-shape.ts';
import { propertiesOf, synthesize } from './synthesized.ts';

const stacks = ['watching', 'edgeWatching'] as const;
const described = [...readFileSync('docs/operating/alarms.md', 'utf8').matchAll(/^## (.+)$/gm)].map(([, name]) => name);

const templates = synthesize({ homeRegion: 'eu-west-1', alarmsEmail: 'operations@example.org' });
const { edgeWatching: withBudget } = synthesize({ monthlyBudget: 500 });
const [budget] = propertiesOf(withBudget, 'AWS::Budgets::Budget');

describe('the alarms', () => {
  it('are exactly the documented alarms', () => {
    const names = stacks.flatMap((stack) => alarmsOf(stack).map(({ AlarmName }) => AlarmName.replace('sluice-', '')));
    names.push(budget.Budget.BudgetName.replace('sluice-', ''));
    expect(names.sort()).toEqual(described.sort());
    for (const { AlarmName, AlarmDescription } of stacks.flatMap(alarmsOf)) {
      expect(AlarmDescription).toContain(`docs/operating/alarms.md#${AlarmName.replace('sluice-', '')}`);
    }
  });

  it.each(stacks)(
    'of %s notify a topic of their region at their begin and end, and are quiet without requests',
    (stack) => {
      const [topic] = Object.keys(templates[stack].findResources('AWS::SNS::Topic'));
      templates[stack].allResourcesProperties('AWS::CloudWatch::Alarm', {
        AlarmActions: [{ Ref: topic }],
        OKActions: [{ Ref: topic }],
        TreatMissingData: 'notBreaching',
      });
      templates[stack].hasResourceProperties('AWS::SNS::Subscription', {
        Protocol: 'email',
        Endpoint: 'operations@example.org',
        TopicArn: { Ref: topic },
      });
    },
  );

  it.each(stacks)('only alarms of %s may publish, over TLS', (stack) => {
    const statements = propertiesOf(templates[stack], 'AWS::SNS::TopicPolicy')[0].PolicyDocument.Statement;
    expect(statements).toHaveLength(2);
    expect(statements).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
        expect.objectContaining({
          Effect: 'Allow',
          Principal: { Service: 'cloudwatch.amazonaws.com' },
          Action: 'sns:Publish',
          Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
        }),
      ]),
    );
  });

  it('send no email without a configured address', () => {
    const quiet = synthesize();
    for (const stack of stacks) quiet[stack].resourceCountIs('AWS::SNS::Subscription', 0);
  });

  it('watch existing functions, tables, and queues', () => {
    const { events, rotation, apiEdge, apiOperations, data, usage } = templates;
    const functions = propertiesOf([events, rotation, apiEdge, apiOperations, usage], 'AWS::Lambda::Function');
    const named = JSON.stringify([
      ...functions.map(({ FunctionName }) => FunctionName),
      propertiesOf(data, 'AWS::DynamoDB::Table'),
      propertiesOf(events, 'AWS::SQS::Queue'),
    ]);
    const dimensions = stacks
      .flatMap(alarmsOf)
      .flatMap(({ Dimensions = [], Metrics = [] }) => [
        Dimensions,
        ...Metrics.map(({ MetricStat }) => MetricStat?.Metric.Dimensions ?? []),
      ])
      .flat()
      .filter(({ Name }) => ['FunctionName', 'TableName', 'QueueName'].includes(Name));
    expect(dimensions.length).toBeGreaterThan(5);
    for (const { Value } of dimensions) expect(named).toContain(`"${Value}"`);
  });
});

it('counts refusals of the firewalls by the names of ACLs and rules that the metrics have', () => {
  const acls = propertiesOf([templates.edge, templates.apiEdge], 'AWS::WAFv2::WebACL');
  const counted = acls.flatMap(({ Name, VisibilityConfig, Rules }) => {
    expect(VisibilityConfig.MetricName).toBe(Name);
    return Rules.filter(({ Statement }: { Statement: object }) => 'RateBasedStatement' in Statement).map(
      (rule: { Name: string; VisibilityConfig: { MetricName: string } }) => {
        expect(rule.VisibilityConfig.MetricName).toBe(rule.Name);
        return { WebACL: Name, Rule: rule.Name };
      },
    );
  });
  expect(counted).toHaveLength(5);
  expect(dimensionsOf('edgeWatching', 'BlockedRequests')).toEqual(expect.arrayContaining(counted));
});

it('throttles are counted for the table and for each of its indexes', () => {
  const indexes = tableShape.indexes.map(({ name }) => ({ TableName: 'sluice', GlobalSecondaryIndexName: name }));
  for (const metric of ['ReadThrottleEvents', 'WriteThrottleEvents']) {
    expect(dimensionsOf('watching', metric)).toEqual([{ TableName: 'sluice' }, ...indexes]);
  }
});

it('does not count a 503 of a firewall as a failure of the data proxy', () => {
  const alarm = alarmsOf('edgeWatching').find(({ AlarmName }) => AlarmName === 'sluice-data-fails');
  const [expression] = (alarm?.Metrics ?? []).flatMap((metric) => ('Expression' in metric ? [metric.Expression] : []));
  expect(expression).toContain('share * requests / 100 - FILL(refused0, 0) - FILL(refused1, 0)');
  const refused = (alarm?.Metrics ?? []).flatMap(({ MetricStat }) =>
    MetricStat?.Metric.MetricName === 'BlockedRequests' ? [MetricStat.Metric.Dimensions] : [],
  );
  const ofRule = (Value: string) => [
    { Name: 'Rule', Value },
    { Name: 'WebACL', Value: 'sluice-data' },
  ];
  expect(refused).toEqual([ofRule('pages'), ofRule('every-request')]);
});

it('a budget notifies the topic at 80 %, at 100 %, and at a forecast of 100 %', () => {
  templates.edgeWatching.resourceCountIs('AWS::Budgets::Budget', 0);
  expect(budget.Budget).toMatchObject({
    BudgetLimit: { Amount: 500, Unit: 'USD' },
    TimeUnit: 'MONTHLY',
  });
  const [topic] = Object.keys(withBudget.findResources('AWS::SNS::Topic'));
  const told = budget.NotificationsWithSubscribers;
  expect(
    told.map(({ Notification: { NotificationType, Threshold } }: { Notification: Record<string, unknown> }) => [
      NotificationType,
      Threshold,
    ]),
  ).toEqual([
    ['ACTUAL', 80],
    ['ACTUAL', 100],
    ['FORECASTED', 100],
  ]);
  for (const { Subscribers } of told)
    expect(Subscribers).toEqual([{ SubscriptionType: 'SNS', Address: { Ref: topic } }]);
  const policies = JSON.stringify(propertiesOf(withBudget, 'AWS::SNS::TopicPolicy'));
  expect(policies).toContain('budgets.amazonaws.com');
});

it.each([
  [
    'refused exchanges are counted from the log of the distribution, also when it comes late',
    'exchanges-refused',
    'RefusedExchanges',
    '{ ($.sc-status = "4*") && (($.cache-behavior-path-pattern = "/.sts*") || (($.cs-method = "POST") && ($.sc-content-type = "text/xml*"))) }',
    200,
  ],
  [
    'answers of 500 are counted before they are one in a hundred',
    'storage-broken',
    'BrokenStorage',
    '{ $.sc-status = "500" }',
    5,
  ],
] as const)('%s', (_, alarm, metric, FilterPattern, Threshold) => {
  const MetricName = `sluice-${metric}`;
  templates.edgeWatching.hasResourceProperties('AWS::Logs::MetricFilter', {
    FilterPattern,
    MetricTransformations: [Match.objectLike({ MetricName, MetricValue: '1' })],
  });
  const late = { EvaluationPeriods: 6, DatapointsToAlarm: 1 };
  const AlarmName = `sluice-${alarm}`;
  templates.edgeWatching.hasResourceProperties('AWS::CloudWatch::Alarm', { AlarmName, MetricName, Threshold, ...late });
});

it('the alarm for the delay of the feed uses the metric names of the function', () => {
  vi.stubEnv('SLUICE_TABLE_NAME', 'sluice').stubEnv('AWS_REGION', 'eu-west-1');
  vi.stubEnv('SLUICE_INVALIDATION_QUEUE_URL', 'https://sqs.eu-west-1.amazonaws.com/111122223333/sluice-invalidations');
  const written: string[] = [];
  const stdout = vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0);
  createLambdaAccessConsumer().measureFeedDelay?.(31_000);
  stdout.mockRestore();
  vi.unstubAllEnvs();
  const { _aws, ...values } = JSON.parse(written.join(''));
  const [{ Namespace, Dimensions, Metrics }] = _aws.CloudWatchMetrics;
  const alarm = alarmsOf('watching').find(({ AlarmName }) => AlarmName === 'sluice-feed-behind');
  expect(alarm).toMatchObject({ Namespace, MetricName: Metrics[0].Name });
  const named = Dimensions[0].map((name: string) => ({ Name: name, Value: values[name] }));
  expect(alarm?.Dimensions).toEqual(named);
});

it('the dashboard shows both regions', () => {
  const body = JSON.stringify(propertiesOf(templates.edgeWatching, 'AWS::CloudWatch::Dashboard'));
  for (const region of ['us-east-1', 'eu-west-1']) expect(body).toContain(`\\"region\\":\\"${region}\\"`);
});

interface AlarmProperties {
  AlarmName: string;
  AlarmDescription: string;
  Dimensions?: { Name: string; Value: unknown }[];
  Metrics?: { MetricStat?: { Metric: { MetricName: string; Dimensions: { Name: string; Value: unknown }[] } } }[];
}

/** Returns the dimensions of the metrics with this name that the stack's alarms add up, in order. */
function dimensionsOf(stack: (typeof stacks)[number], metricName: string): Record<string, unknown>[] {
  return alarmsOf(stack)
    .flatMap(({ Metrics = [] }) => Metrics)
    .flatMap(({ MetricStat }) => (MetricStat?.Metric.MetricName === metricName ? [MetricStat.Metric.Dimensions] : []))
    .map((dimensions) => Object.fromEntries(dimensions.map(({ Name, Value }) => [Name, Value])));
}

function alarmsOf(stack: (typeof stacks)[number]): AlarmProperties[] {
  return propertiesOf(templates[stack], 'AWS::CloudWatch::Alarm');
}
