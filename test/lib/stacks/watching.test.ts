import { readFileSync } from 'node:fs';
import { Match } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { createLambdaAccessConsumer } from '../../../lib/lambda/stream-consumers/access-consumer.ts';
import { tableShape } from '../../../lib/store/table-shape.ts';
import { synthesize, type Templates } from './synthesized.ts';

const stacks = ['watching', 'edgeWatching'] as const;
const described = [...readFileSync('docs/operating/alarms.md', 'utf8').matchAll(/^## (.+)$/gm)].map(([, name]) => name);

let templates: Templates;
beforeAll(() => {
  templates = synthesize({ homeRegion: 'eu-west-1', alarmsEmail: 'operations@example.org' });
});

describe('the alarms', () => {
  it('are those that the documentation says what to do about, and no others', () => {
    const names = stacks.flatMap((stack) => alarmsOf(stack).map(({ AlarmName }) => AlarmName.replace('sluice-', '')));
    const [budget] = Object.values(
      synthesize({ monthlyBudget: 500 }).edgeWatching.findResources('AWS::Budgets::Budget'),
    );
    names.push(budget?.['Properties'].Budget.BudgetName.replace('sluice-', ''));
    expect(names.sort()).toEqual(described.sort());
    for (const { AlarmName, AlarmDescription } of stacks.flatMap(alarmsOf)) {
      expect(AlarmDescription).toContain(`docs/operating/alarms.md#${AlarmName.replace('sluice-', '')}`);
    }
  });

  it.each(stacks)(
    'of %s tell a topic of their region, when they begin and when they end, and are quiet where nobody sent a request',
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

  it.each(stacks)('of %s may publish, over TLS, and nobody else', (stack) => {
    const [policy] = Object.values(templates[stack].findResources('AWS::SNS::TopicPolicy'));
    const statements = policy?.['Properties'].PolicyDocument.Statement;
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

  it('tell nobody by mail where no mailbox is configured', () => {
    const quiet = synthesize();
    for (const stack of stacks) quiet[stack].resourceCountIs('AWS::SNS::Subscription', 0);
  });

  it('look at functions, a table and a queue that are there', () => {
    const named = JSON.stringify([
      ...functionNames('events'),
      ...functionNames('rotation'),
      ...functionNames('apiEdge'),
      ...functionNames('apiOperations'),
      templates.data.findResources('AWS::DynamoDB::Table'),
      templates.events.findResources('AWS::SQS::Queue'),
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

it('what the firewalls refuse is looked for by the names of ACLs and rules, which their metrics have too', () => {
  const acls = (['edge', 'apiEdge'] as const).flatMap((stack) =>
    Object.values(templates[stack].findResources('AWS::WAFv2::WebACL')).map(({ Properties }) => Properties),
  );
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

it('throttles are counted of the table and of each of its indexes', () => {
  const indexes = tableShape.indexes.map(({ name }) => ({ TableName: 'sluice', GlobalSecondaryIndexName: name }));
  for (const metric of ['ReadThrottleEvents', 'WriteThrottleEvents']) {
    expect(dimensionsOf('watching', metric)).toEqual([{ TableName: 'sluice' }, ...indexes]);
  }
});

it('what a firewall refuses with 503 is no failure of the data proxy', () => {
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

it('a budget is told of at 80 %, when it is spent and when it will be, to the topic, which Budgets may use then alone', () => {
  templates.edgeWatching.resourceCountIs('AWS::Budgets::Budget', 0);
  const { edgeWatching } = synthesize({ monthlyBudget: 500 });
  const [budget] = Object.values(edgeWatching.findResources('AWS::Budgets::Budget'));
  expect(budget?.['Properties'].Budget).toMatchObject({
    BudgetLimit: { Amount: 500, Unit: 'USD' },
    TimeUnit: 'MONTHLY',
  });
  const [topic] = Object.keys(edgeWatching.findResources('AWS::SNS::Topic'));
  const told = budget?.['Properties'].NotificationsWithSubscribers;
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
  const policies = JSON.stringify(edgeWatching.findResources('AWS::SNS::TopicPolicy'));
  expect(policies).toContain('budgets.amazonaws.com');
});

it('refused exchanges count also when their log comes late', () => {
  templates.edgeWatching.hasResourceProperties('AWS::CloudWatch::Alarm', {
    AlarmName: 'sluice-exchanges-refused',
    EvaluationPeriods: 6,
    DatapointsToAlarm: 1,
  });
});

it('refused exchanges are counted from the log of the distribution, which all edges write into', () => {
  templates.edgeWatching.hasResourceProperties('AWS::Logs::MetricFilter', {
    FilterPattern:
      '{ ($.sc-status = "4*") && (($.cache-behavior-path-pattern = "/.sts*") || (($.cs-method = "POST") && ($.sc-content-type = "text/xml*"))) }',
    MetricTransformations: [Match.objectLike({ MetricName: 'sluice-RefusedExchanges', MetricValue: '1' })],
  });
});

it('answers of 500 are counted there too, and raise an alarm of their own before they are one in a hundred', () => {
  templates.edgeWatching.hasResourceProperties('AWS::Logs::MetricFilter', {
    FilterPattern: '{ $.sc-status = "500" }',
    MetricTransformations: [Match.objectLike({ MetricName: 'sluice-BrokenStorage', MetricValue: '1' })],
  });
  templates.edgeWatching.hasResourceProperties('AWS::CloudWatch::Alarm', {
    AlarmName: 'sluice-storage-broken',
    MetricName: 'sluice-BrokenStorage',
    Threshold: 5,
    EvaluationPeriods: 6,
    DatapointsToAlarm: 1,
  });
});

it('the delay of the feed is looked for under the names that the function writes it with', () => {
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
  const [dashboard] = Object.values(templates.edgeWatching.findResources('AWS::CloudWatch::Dashboard'));
  const body = JSON.stringify(dashboard?.['Properties'].DashboardBody);
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
  return Object.values(templates[stack].findResources('AWS::CloudWatch::Alarm')).map(({ Properties }) => Properties);
}

function functionNames(stack: keyof Templates): string[] {
  const functions = Object.values(templates[stack].findResources('AWS::Lambda::Function'));
  return functions.map(({ Properties }) => Properties.FunctionName);
}
