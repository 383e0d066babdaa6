import { XMLParser } from 'fast-xml-parser';
import { describe, expect, it } from 'vitest';
import { pagesHeader } from '../../../../lib/domain/data/open-data.ts';
import { onlyDistribution, propertiesOf, synthesize } from '../synthesized.ts';

interface Rule {
  Name: string;
  Action?: { Block: { CustomResponse: { ResponseCode: number; CustomResponseBodyKey: string } } };
  Statement: {
    RateBasedStatement?: { Limit: number; AggregateKeyType: string; ScopeDownStatement?: ScopeDown };
    ManagedRuleGroupStatement?: { Name: string };
  };
  VisibilityConfig: { SampledRequestsEnabled: boolean };
}

interface ByteMatch {
  ByteMatchStatement: { SearchString: string; PositionalConstraint: string; FieldToMatch: Record<string, object> };
}

type ScopeDown =
  | ByteMatch
  | { NotStatement: { Statement: ByteMatch } }
  | { OrStatement: { Statements: [ByteMatch, { AndStatement: { Statements: (ByteMatch | object)[] } }] } };

/** Returns the path prefix that a rule counts. */
function pathOf(scope: ScopeDown | undefined): string | undefined {
  if (scope === undefined || 'NotStatement' in scope) return undefined;
  const { ByteMatchStatement: match } = 'OrStatement' in scope ? scope.OrStatement.Statements[0] : scope;
  return 'UriPath' in match.FieldToMatch ? match.SearchString : undefined;
}

const templates = synthesize({
  throttles: {
    revocationsPerIpPer5Minutes: 11,
    apiPerIpPer5Minutes: 12,
    exchangesPerIpPer5Minutes: 13,
    dataPerIpPer5Minutes: 14,
    apiPerSecond: 7,
  },
});
const aclOf = (stack: 'apiEdge' | 'edge') => propertiesOf(templates[stack], 'AWS::WAFv2::WebACL')[0];
const rulesOf = (stack: 'apiEdge' | 'edge'): Rule[] => aclOf(stack).Rules;

describe.each([
  [
    'the management API',
    'apiEdge',
    [
      ['/api/v1/service-account-keys/revocations', 11, 429],
      [undefined, 12, 429],
    ],
    ['AWSManagedRulesAmazonIpReputationList', 'AWSManagedRulesKnownBadInputsRuleSet'],
  ],
  [
    'the data proxy',
    'edge',
    [
      ['/.sts', 13, 400],
      [undefined, 300 * 7 * 2, 503],
      [undefined, 14, 503],
    ],
    ['AWSManagedRulesAmazonIpReputationList'],
  ],
] as const)('the firewall of %s', (_, stack, rates, groups) => {
  it('protects its distribution', () => {
    const [id] = Object.keys(templates[stack].findResources('AWS::WAFv2::WebACL'));
    expect(onlyDistribution(templates[stack]).WebACLId).toEqual({ 'Fn::GetAtt': [id, 'Arn'] });
  });

  it('refuses an IP address above the configured limits, with the narrower rule first', () => {
    const found = rulesOf(stack).flatMap(({ Action, Statement: { RateBasedStatement: rate } }) =>
      rate === undefined
        ? []
        : [[pathOf(rate.ScopeDownStatement), rate.Limit, Action?.Block.CustomResponse.ResponseCode]],
    );
    expect(found).toEqual(rates);
  });

  it('has only managed rules that valid requests pass, and reads no upload', () => {
    const names = rulesOf(stack).flatMap(({ Statement }) => Statement.ManagedRuleGroupStatement?.Name ?? []);
    expect(names).toEqual(groups);
  });

  it('stores no sampled requests, because they contain URLs and headers', () => {
    for (const { VisibilityConfig } of rulesOf(stack)) expect(VisibilityConfig.SampledRequestsEnabled).toBe(false);
    expect(aclOf(stack).VisibilityConfig.SampledRequestsEnabled).toBe(false);
  });
});

it('counts exchanges at / with the others, but no request to a bucket in the host name', () => {
  const [exchange] = rulesOf('edge');
  const scope = exchange?.Statement.RateBasedStatement?.ScopeDownStatement;
  if (scope === undefined || !('OrStatement' in scope)) throw new Error('the rule counts one path alone');
  const [below, atRoot] = scope.OrStatement.Statements;
  expect(below.ByteMatchStatement).toMatchObject({ SearchString: '/.sts', PositionalConstraint: 'STARTS_WITH' });
  const exactly = (FieldToMatch: object, SearchString: string) => ({
    ByteMatchStatement: expect.objectContaining({ FieldToMatch, SearchString, PositionalConstraint: 'EXACTLY' }),
  });
  expect(atRoot.AndStatement.Statements).toEqual([
    exactly({ UriPath: {} }, '/'),
    exactly({ Method: {} }, 'POST'),
    {
      SizeConstraintStatement: expect.objectContaining({
        FieldToMatch: { QueryString: {} },
        ComparisonOperator: 'EQ',
        Size: 0,
      }),
    },
  ]);
});

describe('the pages, which send requests from shared IP addresses of AWS', () => {
  const isKnown = {
    ByteMatchStatement: {
      FieldToMatch: { SingleHeader: { Name: pagesHeader } },
      PositionalConstraint: 'EXACTLY',
      SearchString: expect.anything(),
      TextTransformations: [{ Priority: 0, Type: 'NONE' }],
    },
  };

  it('are counted together by a secret header, and not by IP address', () => {
    const [, pages, every] = rulesOf('edge').map(({ Statement }) => Statement.RateBasedStatement);
    expect(pages).toMatchObject({ AggregateKeyType: 'CONSTANT', ScopeDownStatement: isKnown });
    expect(every).toMatchObject({
      AggregateKeyType: 'IP',
      ScopeDownStatement: { NotStatement: { Statement: isKnown } },
    });
    // A client that knows the secret must not get a higher sign-in rate limit.
    expect(JSON.stringify(rulesOf('edge')[0])).not.toContain(pagesHeader);
  });

  it('are identified by a secret that no template contains, and by another one when its number increases', () => {
    for (const [settings, id] of [
      [{}, 'PagesSecret1'],
      [{ pagesSecret: 2 }, 'PagesSecret2'],
    ] as const) {
      const { edge } = synthesize(settings);
      const secrets = Object.entries(edge.findResources('AWS::SecretsManager::Secret'));
      expect(secrets).toHaveLength(1);
      const [[name, { Properties }] = ['', { Properties: {} }]] = secrets;
      expect(name).toContain(id);
      expect(Properties.Name).toBe(`sluice/pages-${'pagesSecret' in settings ? 2 : 1}`);
      expect(Properties.SecretString).toBeUndefined();
      const text = JSON.stringify(edge.findResources('AWS::WAFv2::WebACL'));
      expect(text.split('{{resolve:secretsmanager:')).toHaveLength(3);
      expect(text).toContain(`{"Ref":"${name}"}`);
    }
  });
});

describe('a refused client', () => {
  it('gets a problem document from the API, and XML with the codes for a retry from the edge', () => {
    const api = Object.values<{ Content: string }>(aclOf('apiEdge').CustomResponseBodies);
    for (const { Content } of api)
      expect(JSON.parse(Content)).toMatchObject({ status: 429, detail: expect.any(String) });
    const { exchange, 'every-request': every } = aclOf('edge').CustomResponseBodies;
    const parser = new XMLParser();
    expect(parser.parse(exchange.Content).ErrorResponse.Error).toMatchObject({ Type: 'Sender', Code: 'Throttling' });
    expect(parser.parse(every.Content).Error).toMatchObject({ Code: 'SlowDown' });
  });
});
