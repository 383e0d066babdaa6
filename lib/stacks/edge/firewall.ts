import type { SecretValue } from 'aws-cdk-lib';
import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { count } from '../alarms.ts';

export interface RateRule {
  /** Names the rule and its metric. */
  name: string;
  limitPer5Minutes: number;
  /** Counts requests below this path alone; without it all of them. */
  path?: string;
  /** Besides those, POST requests to `/` without a query. */
  countsPostsAtRoot?: true;
  /** Counts requests with this header alone, those of all addresses together. */
  carries?: SecretHeader;
  /** Counts none with this header. */
  spares?: SecretHeader;
  /** In the form that its clients slow down for. */
  answer: { status: number; contentType: 'APPLICATION_JSON' | 'TEXT_PLAIN'; body: string };
}

/** Known by its value, which CloudFormation puts in while deploying; no template holds it. */
export interface SecretHeader {
  name: string;
  value: SecretValue;
}

interface FirewallProps {
  name: string;
  rates: readonly RateRule[];
  managedGroups: readonly string[];
}

/**
 * The web ACL of a distribution. No requests are sampled: samples show URLs and headers, Authorization among them, to
 * whoever may look at the console.
 */
export class Firewall extends Construct {
  readonly arn: string;
  /** Of requests that a rate rule refused, one for each. */
  readonly refusals: readonly Metric[];
  /** Of these, what is answered by a status that CloudFront counts among failures. */
  readonly unavailable: readonly Metric[];

  constructor(scope: Construct, id: string, { name, rates, managedGroups }: FirewallProps) {
    super(scope, id);
    // Named like what they count: then it does not matter which of both names stands in the dimensions of a metric.
    const metricOf = (metricName: string) => ({
      cloudWatchMetricsEnabled: true,
      metricName,
      sampledRequestsEnabled: false,
    });
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

function rateOf(rule: RateRule): CfnWebACL.RateBasedStatementProperty {
  const { limitPer5Minutes, path, countsPostsAtRoot, carries, spares } = rule;
  const rate = { limit: limitPer5Minutes, evaluationWindowSec: 300, aggregateKeyType: 'IP' };
  if (carries !== undefined) return { ...rate, aggregateKeyType: 'CONSTANT', scopeDownStatement: headerIs(carries) };
  if (spares !== undefined) return { ...rate, scopeDownStatement: { notStatement: { statement: headerIs(spares) } } };
  if (path === undefined) return rate;
  const isBelow = pathMatches('STARTS_WITH', path);
  return { ...rate, scopeDownStatement: countsPostsAtRoot ? anyOf(isBelow, postAtRoot) : isBelow };
}

const postAtRoot: CfnWebACL.StatementProperty = allOf(
  pathMatches('EXACTLY', '/'),
  {
    byteMatchStatement: {
      fieldToMatch: { method: {} },
      positionalConstraint: 'EXACTLY',
      searchString: 'POST',
      textTransformations: [{ priority: 0, type: 'NONE' }],
    },
  },
  // With one it is an operation on a bucket whose name is in the host.
  {
    sizeConstraintStatement: {
      fieldToMatch: { queryString: {} },
      comparisonOperator: 'EQ',
      size: 0,
      textTransformations: [{ priority: 0, type: 'NONE' }],
    },
  },
);

function headerIs({ name, value }: SecretHeader): CfnWebACL.StatementProperty {
  return {
    byteMatchStatement: {
      fieldToMatch: { singleHeader: { Name: name } },
      positionalConstraint: 'EXACTLY',
      searchString: value.unsafeUnwrap(),
      textTransformations: [{ priority: 0, type: 'NONE' }],
    },
  };
}

function pathMatches(positionalConstraint: 'STARTS_WITH' | 'EXACTLY', searchString: string) {
  return {
    byteMatchStatement: {
      fieldToMatch: { uriPath: {} },
      positionalConstraint,
      searchString,
      // CloudFront and API Gateway find the way of an escaped path too.
      textTransformations: [
        { priority: 0, type: 'URL_DECODE' },
        { priority: 1, type: 'NORMALIZE_PATH' },
      ],
    },
  } satisfies CfnWebACL.StatementProperty;
}

function anyOf(...statements: CfnWebACL.StatementProperty[]): CfnWebACL.StatementProperty {
  return { orStatement: { statements } };
}

function allOf(...statements: CfnWebACL.StatementProperty[]): CfnWebACL.StatementProperty {
  return { andStatement: { statements } };
}
