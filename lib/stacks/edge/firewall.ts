import type { SecretValue } from 'aws-cdk-lib';
import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { count } from '../alarms.ts';

export interface RateRule {
  /** The name of the rule, which its metric also has. */
  name: string;
  limitPer5Minutes: number;
  /** The rule counts only requests whose path begins with this one. If absent, it counts all requests. */
  path?: string;
  /** Set if the rule counts POST requests to `/` without a query in addition. */
  countsPostsAtRoot?: true;
  /** The rule counts only requests with this header. It counts requests from all IP addresses together. */
  carries?: SecretHeader;
  /** The rule does not count requests with this header. */
  spares?: SecretHeader;
  /** The response to refused requests. It makes clients slow down. */
  answer: { status: number; contentType: 'APPLICATION_JSON' | 'TEXT_PLAIN'; body: string };
}

/**
 * A header with a secret value. CloudFormation inserts the value during the deployment, so that no template contains
 * the value.
 */
export interface SecretHeader {
  name: string;
  value: SecretValue;
}

interface FirewallProps {
  name: string;
  rates: readonly RateRule[];
  managedGroups: readonly string[];
}

/** The firewall of a distribution: a web ACL. */
export class Firewall extends Construct {
  readonly arn: string;
  /** Metrics with the number of requests that the firewall refused. Each rate rule has its own metric. */
  readonly refusals: readonly Metric[];
  /** The metrics in `refusals` whose response has a status that CloudFront counts as an error. */
  readonly unavailable: readonly Metric[];

  constructor(scope: Construct, id: string, { name, rates, managedGroups }: FirewallProps) {
    super(scope, id);
    // Give a rule the name of its metric, because a dimension of the metric may contain either name.
    const rateRules = rates.map((rate) => ({
      name: rate.name,
      statement: { rateBasedStatement: rateOf(rate) },
      action: {
        block: {
          customResponse: {
            responseCode: rate.answer.status,
            customResponseBodyKey: rate.name,
            responseHeaders: [{ name: 'retry-after', value: '300' }],
          },
        },
      },
      visibilityConfig: metricOf(rate.name),
    }));
    const managedRules = managedGroups.map((group) => ({
      name: group,
      statement: { managedRuleGroupStatement: { vendorName: 'AWS', name: group } },
      overrideAction: { none: {} },
      visibilityConfig: metricOf(group),
    }));
    const acl = new CfnWebACL(this, 'Acl', {
      name,
      scope: 'CLOUDFRONT',
      defaultAction: { allow: {} },
      customResponseBodies: Object.fromEntries(
        rates.map(({ name: rule, answer }) => [rule, { contentType: answer.contentType, content: answer.body }]),
      ),
      rules: [...rateRules, ...managedRules].map((rule, priority) => ({ ...rule, priority })),
      visibilityConfig: metricOf(name),
    });
    this.arn = acl.attrArn;
    const refusalsOf = (rate: RateRule) => count('AWS/WAFV2', 'BlockedRequests', { WebACL: name, Rule: rate.name });
    this.refusals = rates.map(refusalsOf);
    this.unavailable = rates.filter(({ answer }) => answer.status >= 500).map(refusalsOf);
  }
}

const asSent = [{ priority: 0, type: 'NONE' }];

function rateOf(rule: RateRule): CfnWebACL.RateBasedStatementProperty {
  const { limitPer5Minutes, path, countsPostsAtRoot, carries, spares } = rule;
  const rate = { limit: limitPer5Minutes, evaluationWindowSec: 300, aggregateKeyType: 'IP' };
  if (carries !== undefined) return { ...rate, aggregateKeyType: 'CONSTANT', scopeDownStatement: headerIs(carries) };
  if (spares !== undefined) return { ...rate, scopeDownStatement: { notStatement: { statement: headerIs(spares) } } };
  if (path === undefined) return rate;
  const isBelow = pathMatches('STARTS_WITH', path);
  return {
    ...rate,
    scopeDownStatement: countsPostsAtRoot ? { orStatement: { statements: [isBelow, postAtRoot] } } : isBelow,
  };
}

const postAtRoot: CfnWebACL.StatementProperty = {
  andStatement: {
    statements: [
      pathMatches('EXACTLY', '/'),
      byteMatch({ method: {} }, 'EXACTLY', 'POST'),
      // Exclude requests with a query. A POST request with a query is an S3 operation for a bucket in the host name.
      {
        sizeConstraintStatement: {
          fieldToMatch: { queryString: {} },
          comparisonOperator: 'EQ',
          size: 0,
          textTransformations: asSent,
        },
      },
    ],
  },
};

function headerIs({ name, value }: SecretHeader): CfnWebACL.StatementProperty {
  return byteMatch({ singleHeader: { Name: name } }, 'EXACTLY', value.unsafeUnwrap());
}

/**
 * Returns a condition for the path. The path is decoded first, because CloudFront and API Gateway also accept a
 * percent-encoded path.
 */
function pathMatches(positionalConstraint: 'STARTS_WITH' | 'EXACTLY', path: string): CfnWebACL.StatementProperty {
  return byteMatch({ uriPath: {} }, positionalConstraint, path, [
    { priority: 0, type: 'URL_DECODE' },
    { priority: 1, type: 'NORMALIZE_PATH' },
  ]);
}

export function byteMatch(
  fieldToMatch: CfnWebACL.FieldToMatchProperty,
  positionalConstraint: 'STARTS_WITH' | 'EXACTLY',
  searchString: string,
  textTransformations = asSent,
): CfnWebACL.StatementProperty {
  return { byteMatchStatement: { fieldToMatch, positionalConstraint, searchString, textTransformations } };
}

/**
 * Returns the metric settings of a firewall rule. Sampled requests are off, because they would show URLs and headers,
 * including Authorization, to all users of the AWS console.
 */
export function metricOf(metricName: string): CfnWebACL.VisibilityConfigProperty {
  return { cloudWatchMetricsEnabled: true, metricName, sampledRequestsEnabled: false };
}
