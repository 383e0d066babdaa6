import { Stack, type StackProps } from 'aws-cdk-lib';
import { AlarmStatusWidget, Dashboard, GraphWidget, type IMetric, type Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, type IFilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { Alarms, count, errorShare, sumOf } from '../alarms.ts';
import { type ApiStack, apiIdOf } from '../api-stack.ts';
import type { Config } from '../config.ts';
import { edgeRegion } from '../names.ts';
import { homeMetrics } from '../watching-stack.ts';
import type { ApiEdgeStack } from './api-edge-stack.ts';
import type { EdgeStack } from './edge-stack.ts';

const refusedExchange = FilterPattern.all(
  FilterPattern.stringValue('$.sc-status', '=', '4*'),
  FilterPattern.any(
    FilterPattern.stringValue('$.cache-behavior-path-pattern', '=', '/.sts*'),
    // Exchanges at `/`. The log has no path. Responses of the exchange have text/xml, and those of S3 application/xml.
    FilterPattern.all(
      FilterPattern.stringValue('$.cs-method', '=', 'POST'),
      FilterPattern.stringValue('$.sc-content-type', '=', 'text/xml*'),
    ),
  ),
);

interface EdgeWatchingStackProps extends StackProps {
  api: ApiStack;
  edge: EdgeStack;
  apiEdge: ApiEdgeStack;
}

/** The alarms of us-east-1, which has all CloudFront metrics, and the dashboard of both regions. */
export class EdgeWatchingStack extends Stack {
  constructor(scope: Construct, id: string, config: Config, { api, edge, apiEdge, ...props }: EdgeWatchingStackProps) {
    super(scope, id, props);
    const requestsOf = (distributionId: string) =>
      count('AWS/CloudFront', 'Requests', { DistributionId: distributionId, Region: 'Global' });
    const metrics = {
      dataRequests: requestsOf(edge.distributionId),
      apiRequests: requestsOf(apiEdge.distributionId),
      dataFailures: errorShare(edge.distributionId, '5xxErrorRate', {
        requestsMin: 50,
        meant: edge.firewall.unavailable,
      }),
      apiRefusals: errorShare(apiEdge.distributionId, 'TotalErrorRate', { requestsMin: 20 }),
      exchangeRefusals: this.#countAnswers(config, edge, 'RefusedExchanges', refusedExchange),
      storageFailures: this.#countAnswers(
        config,
        edge,
        'BrokenStorage',
        FilterPattern.stringValue('$.sc-status', '=', '500'),
      ),
      firewallRefusals: sumOf([...edge.firewall.refusals, ...apiEdge.firewall.refusals]),
      rotationFailures: count('AWS/Lambda', 'Errors', { FunctionName: `${config.name}-rotate-origin-secret` }),
    };
    const alarms = new Alarms(this, 'Alarms', config);
    alarms.add('data-fails', {
      metric: metrics.dataFailures,
      from: 1,
      periods: 3,
      says: 'The data proxy answers more than one request in a hundred with an error of its own or of the storage.',
    });
    alarms.add('api-refuses-all', {
      metric: metrics.apiRefusals,
      from: 90,
      periods: 3,
      says: 'The management API refuses nearly everybody.',
    });
    alarms.add('exchanges-refused', {
      metric: metrics.exchangeRefusals,
      from: 200,
      // CloudFront delivers its log some minutes later.
      anyOfPeriods: 6,
      says: 'Many sign-ins of software were refused.',
    });
    alarms.add('storage-broken', {
      metric: metrics.storageFailures,
      from: 5,
      anyOfPeriods: 6,
      says: 'A storage cannot be used as its connection describes it (its bucket is gone, for example), or a function failed.',
    });
    alarms.add('firewall-refuses', {
      metric: metrics.firewallRefusals,
      from: 1000,
      says: 'IP addresses that sent too many requests were refused.',
    });
    alarms.add('origin-rotation-fails', {
      metric: metrics.rotationFailures,
      from: 1,
      says: 'The secret by which the API knows its distribution could not be rotated.',
    });
    if (config.monthlyBudget !== undefined) alarms.addBudget(config.monthlyBudget);
    this.#drawDashboard(config, metrics, homeMetrics(config, apiIdOf(api, config)), alarms);
  }

  /**
   * Counts responses in the distribution's log. Edge functions log in the region where they run, but the distribution's
   * log is in one region. It contains no function output, so each counted event needs its own status.
   */
  #countAnswers(config: Config, { accessLog }: EdgeStack, name: string, filterPattern: IFilterPattern): Metric {
    const names = { metricNamespace: 'Sluice', metricName: `${config.name}-${name}` };
    new MetricFilter(this, name, {
      logGroup: accessLog,
      ...names,
      filterPattern,
      metricValue: '1',
      defaultValue: 0,
    });
    return count(names.metricNamespace, names.metricName);
  }

  #drawDashboard(
    config: Config,
    here: Record<
      'dataRequests' | 'apiRequests' | 'exchangeRefusals' | 'firewallRefusals' | 'dataFailures' | 'storageFailures',
      IMetric
    >,
    home: ReturnType<typeof homeMetrics>,
    { all }: Alarms,
  ): void {
    const graph = (title: string, left: IMetric[], region: string = edgeRegion) =>
      new GraphWidget({ title, left, region, width: 8 });
    const { homeRegion } = config;
    const dashboard = new Dashboard(this, 'Dashboard', { dashboardName: config.name });
    dashboard.addWidgets(new AlarmStatusWidget({ title: 'Alarms of the edge', alarms: all, width: 24, height: 3 }));
    dashboard.addWidgets(
      graph('Requests', [here.dataRequests, here.apiRequests]),
      graph('Refused exchanges', [here.exchangeRefusals]),
      graph('Refused by the firewalls', [here.firewallRefusals]),
    );
    dashboard.addWidgets(
      graph('Failures of the data proxy, percent', [here.dataFailures]),
      graph('Broken storages and faults, answers of 500', [here.storageFailures]),
      graph('Failures of the API', [home.apiFailures], homeRegion),
      graph('Changes set aside', [home.revocationsSetAside, home.setAside], homeRegion),
    );
    dashboard.addWidgets(
      graph(
        'Age of what the lane of revocations reads, and delay of the feed',
        [home.revocationAge, home.feedDelay],
        homeRegion,
      ),
      graph('Age of what the lane of other changes reads', [home.changeAge], homeRegion),
    );
    dashboard.addWidgets(
      graph('Throttled by DynamoDB', [home.tableThrottles], homeRegion),
      graph('Throttled by Lambda', [home.functionThrottles], homeRegion),
    );
  }
}
