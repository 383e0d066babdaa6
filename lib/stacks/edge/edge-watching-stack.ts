import {
  type Alarm,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  type Metric,
} from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, type IFilterPattern, type LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { type AlarmProps, Alarms, count, errorShare, sumOf } from '../alarms.ts';
import { apiIdIn } from '../api-stack.ts';
import { ServiceStack, type Shared } from '../functions.ts';
import { edgeRegion, physicalNames } from '../names.ts';
import { homeRegionAlarms } from '../watching-stack.ts';
import type { ApiEdgeStack } from './api-edge-stack.ts';
import { DistributionFollower } from './distributions.ts';
import type { EdgeStack } from './edge-stack.ts';

const refusedExchange = FilterPattern.all(
  FilterPattern.stringValue('$.sc-status', '=', '4*'),
  FilterPattern.any(
    FilterPattern.stringValue('$.cache-behavior-path-pattern', '=', '/.sts*'),
    // Count exchanges at `/` by the content type, because the log has no path. Responses of the credential exchange
    // have text/xml, and responses of S3 have application/xml.
    FilterPattern.all(
      FilterPattern.stringValue('$.cs-method', '=', 'POST'),
      FilterPattern.stringValue('$.sc-content-type', '=', 'text/xml*'),
    ),
  ),
);

interface EdgeWatchingStackProps {
  edge: EdgeStack;
  apiEdge: ApiEdgeStack;
}

type GraphedAlarm = 'data-fails' | 'exchanges-refused' | 'storage-broken' | 'firewall-refuses';

/**
 * The resources in us-east-1 that depend on the distributions: their access logs, the parameters with their IDs, the
 * alarms for CloudFront metrics, and the dashboard for both regions.
 */
export class EdgeWatchingStack extends ServiceStack {
  constructor(shared: Shared, { edge, apiEdge }: EdgeWatchingStackProps) {
    super(shared, 'edge-watching', edgeRegion);
    const { config } = this;
    const { dataDistributionParameter, siteDistributionParameter } = physicalNames(config);
    const follow = (id: string, { distribution }: EdgeStack | ApiEdgeStack, parameterName: string) =>
      new DistributionFollower(this, id, config, { distribution, parameterName }).accessLog;
    const dataLog = follow('data', edge, dataDistributionParameter);
    follow('api', apiEdge, siteDistributionParameter);
    const here = this.#alarmsOf({ edge, apiEdge }, dataLog);
    const alarms = new Alarms(this, 'Alarms', config);
    alarms.addAll(here);
    if (config.monthlyBudget !== undefined) alarms.addBudget(config.monthlyBudget);
    this.#addDashboard({ edge, apiEdge }, here, alarms.all);
  }

  #alarmsOf({ edge, apiEdge }: EdgeWatchingStackProps, dataLog: LogGroup) {
    const ofStorage = FilterPattern.stringValue('$.sc-status', '=', '500');
    return {
      'data-fails': {
        metric: errorShare(edge.distribution.distributionId, '5xxErrorRate', {
          requestsMin: 50,
          meant: edge.firewall.unavailable,
        }),
        from: 1,
        periods: 3,
        says: 'The data proxy answers more than one request in a hundred with an error of its own or of the storage.',
      },
      'api-refuses-all': {
        metric: errorShare(apiEdge.distribution.distributionId, 'TotalErrorRate', { requestsMin: 20 }),
        from: 90,
        periods: 3,
        says: 'The management API refuses nearly every request.',
      },
      'exchanges-refused': {
        metric: this.#countAnswers(dataLog, 'RefusedExchanges', refusedExchange),
        from: 200,
        // CloudFront delivers its log some minutes late, so the alarm must look at several periods.
        anyOfPeriods: 6,
        says: 'The exchange refused many sign-ins of software.',
      },
      'storage-broken': {
        metric: this.#countAnswers(dataLog, 'BrokenStorage', ofStorage),
        from: 5,
        anyOfPeriods: 6,
        says: 'A storage does not match its data connection (for example, its bucket does not exist), or a function failed.',
      },
      'firewall-refuses': {
        metric: sumOf([...edge.firewall.refusals, ...apiEdge.firewall.refusals]),
        from: 1000,
        says: 'The firewall refused IP addresses that sent too many requests.',
      },
      'origin-rotation-fails': {
        metric: count('AWS/Lambda', 'Errors', { FunctionName: `${this.config.name}-rotate-origin-secret` }),
        from: 1,
        says: "The rotation of the secret of the API's distribution failed.",
      },
      'usage-fails': {
        metric: count('AWS/Lambda', 'Errors', { FunctionName: `${this.config.name}-count-usage` }),
        from: 1,
        says: 'Usage could not be counted. Log files are deleted after four days, and with them the numbers.',
      },
    } satisfies Record<string, AlarmProps>;
  }

  #addDashboard(
    { edge, apiEdge }: EdgeWatchingStackProps,
    here: Record<GraphedAlarm, AlarmProps>,
    alarms: Alarm[],
  ): void {
    const { config } = this;
    const requestsOf = ({ distribution }: EdgeStack | ApiEdgeStack) =>
      count('AWS/CloudFront', 'Requests', { DistributionId: distribution.distributionId, Region: 'Global' });
    const home = homeRegionAlarms(config, apiIdIn(this, config));
    const graph = (title: string, ...left: IMetric[]) => new GraphWidget({ title, left, region: edgeRegion, width: 8 });
    const homeRegionGraph = (title: string, ...names: (keyof typeof home)[]) =>
      new GraphWidget({ title, left: names.map((name) => home[name].metric), region: config.homeRegion, width: 8 });
    const dashboard = new Dashboard(this, 'Dashboard', { dashboardName: config.name });
    const status = { title: 'Alarms of the edge', alarms, width: 24, height: 3 };
    dashboard.addWidgets(new AlarmStatusWidget(status));
    dashboard.addWidgets(
      graph('Requests', requestsOf(edge), requestsOf(apiEdge)),
      graph('Refused exchanges', here['exchanges-refused'].metric),
      graph('Refused by the firewalls', here['firewall-refuses'].metric),
    );
    dashboard.addWidgets(
      graph('Failures of the data proxy, percent', here['data-fails'].metric),
      graph('Storage and function failures (status 500)', here['storage-broken'].metric),
      homeRegionGraph('Failures of the API', 'api-fails'),
      homeRegionGraph('Changes set aside', 'revocations-set-aside', 'changes-set-aside'),
    );
    dashboard.addWidgets(
      homeRegionGraph('Delay of revocations: stream consumer and change feed', 'revocations-behind', 'feed-behind'),
      homeRegionGraph('Delay of other changes', 'changes-behind'),
    );
    dashboard.addWidgets(
      homeRegionGraph('Throttled by DynamoDB', 'table-throttles'),
      homeRegionGraph('Throttled by Lambda', 'functions-throttled'),
    );
  }

  /**
   * Creates a metric that counts responses in the distribution's access log. Edge functions write their own logs in the
   * region where they run, but the distribution's log is in one region. The log contains no output of functions, so
   * each event to be counted needs its own status.
   */
  #countAnswers(logGroup: LogGroup, name: string, filterPattern: IFilterPattern): Metric {
    const names = { metricNamespace: 'Sluice', metricName: `${this.config.name}-${name}` };
    new MetricFilter(this, name, { logGroup, ...names, filterPattern, metricValue: '1', defaultValue: 0 });
    return count(names.metricNamespace, names.metricName);
  }
}
