import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { beforeAll, expect, it } from 'vitest';
import { findingsOf } from './synthesized.ts';

const distributions = /^sluice-(?:api-)?edge\/Distribution\/Resource$/;

/**
 * Accepted findings of the AWS rules, each with the reason. A row applies to one rule and to the constructs whose path
 * matches.
 */
const accepted: readonly (readonly [rule: string | RegExp, where: RegExp, reason: string])[] = [
  [
    'AwsSolutions-SMG4',
    /^sluice-data\/(?:SessionKeys|ApiKeyMaster)\/Resource$/,
    'Both rotate: their schedules are in the stack of the rotation functions, which the rule does not look at',
  ],
  [
    'AwsSolutions-SMG4',
    /^sluice-edge\/PagesSecret1\/Resource$/,
    'Whoever has it may ask for open data faster, up to what all pages may: it opens nothing, and a setting replaces it',
  ],
  [
    'AwsSolutions-SQS3',
    /^sluice-events\/(?:(?:Revocation)?Failures|Invalidations\/Failures)\/Resource$/,
    'It is the queue for what failed: the destination of an event source, which the rule does not look at',
  ],
  [
    'Serverless-SQSRedrivePolicy',
    /^sluice-events\/(?:(?:Revocation)?Failures|Invalidations\/Failures)\/Resource$/,
    'The same; nothing but people reads it',
  ],
  [
    'Serverless-LambdaEventSourceMappingDestination',
    /^sluice-events\/Invalidations\/Mapping$/,
    'The queue sets aside itself what failed too often',
  ],
  [
    'Serverless-EventBusDLQ',
    /^(?:sluice-events\/(?:SearchIndex|IssuerKeys|RepositoryJob)|sluice-usage\/)Schedule\/Resource$/,
    'The next run comes within five minutes, or an hour for usage, and an alarm reports failures',
  ],
  [
    'AwsSolutions-IAM5[Resource::*]',
    /^sluice-events\/(?:propagate-access-change|follow-changes)\/Role\/Resource$/,
    'dynamodb:ListStreams takes no resource, and Lambda asks for it when it reads a stream',
  ],
  [
    'Serverless-LambdaStarPermissions',
    /^sluice-events\/(?:propagate-access-change|follow-changes)\/Role\/Resource$/,
    'dynamodb:ListStreams again',
  ],
  [
    'AwsSolutions-IAM5[Resource::arn:aws:cloudfront::<AWS::AccountId>:distribution/*]',
    /^sluice-events\/Invalidations\/invalidate-caches\/Role\/Resource$/,
    'The distribution is made after this, in another region; a parameter names it at run time',
  ],
  [
    'AwsSolutions-IAM5[Resource::arn:aws:lambda:us-east-1:<AWS::AccountId>:function:sluice-*]',
    /^sluice-api\/Invoker\/Resource$/,
    'A policy cannot name as many functions as the API may have; the role is for API Gateway alone',
  ],
  ...['exchange-credentials', 'serve-object', 'shape-response'].map(
    (name) =>
      [
        'AwsSolutions-IAM5[Resource::arn:aws:logs:*:<AWS::AccountId>:log-group:/aws/lambda/us-east-1.sluice-edge*:*]',
        new RegExp(`^sluice-edge/${name}/Role/Resource$`),
        'An edge function writes its log in whatever region it runs; the group is its own',
      ] as const,
  ),
  [
    'AwsSolutions-IAM5[Resource::arn:aws:kms:us-east-1:<AWS::AccountId>:key/*]',
    /^sluice-edge\/serve-object\/Role\/Resource$/,
    'The key lies in another region and its id is not known beforehand; a condition names its alias',
  ],
  ...[/^AwsSolutions-(?:IAM4|IAM5|L1)/, /^Serverless-Lambda(?:DLQ|Tracing|LatestVersion)$/].map(
    (rule) =>
      [
        rule,
        /^sluice-assets\/Custom::CDKBucketDeployment[^/]*\//,
        "CDK's own function, which copies the site's files while a deployment waits for it",
      ] as const,
  ),
  [
    'AwsSolutions-S1',
    /^sluice-assets\/Bucket\/Resource$/,
    'It holds the scripts of the site, and the distribution in front of it has a log',
  ],
  [
    'AwsSolutions-S1',
    /^sluice-usage\/Bucket\/Resource$/,
    'It is itself a log, which one function reads and one service writes',
  ],
  [
    /^AwsSolutions-IAM5\[Resource::<Bucket83908E77\.Arn>\/(?:(?:days|runs|shards|state)\/)?\*\]$/,
    /^sluice-usage\/count-usage\/Role\/Resource$/,
    'The function reads the objects of its own bucket, and writes those below four prefixes',
  ],
  [
    'AwsSolutions-CFR1',
    distributions,
    'Open data is for every country; a deployment that must leave one out adds it to the distribution',
  ],
  [
    'AwsSolutions-CFR3',
    distributions,
    'The log goes to CloudWatch Logs, whose fields can be chosen: those to S3 would hold paths and query strings, and with them keys and signatures',
  ],
  [
    'AwsSolutions-CFR4',
    distributions,
    "Under CloudFront's default name no minimum can be set; with apiDomain and dataDomain it is TLS 1.2, as the next test shows",
  ],
  [
    'AwsSolutions-COG2',
    /^sluice-api\/People\/Pool\/Resource$/,
    'A second factor is offered; requiring it from everybody who publishes open data is for the deployment to say',
  ],
  [
    'AwsSolutions-COG8',
    /^sluice-api\/People\/Pool\/Resource$/,
    'The plus plan is paid by the active person; a deployment that wants its threat protection switches it on',
  ],
  [
    'Serverless-LambdaDLQ',
    /\/Function\/Resource$/,
    'None is invoked asynchronously but by Secrets Manager, which tries again; failures of the stream have their queue',
  ],
  [
    'Serverless-LambdaTracing',
    /\/Function\/Resource$/,
    'Traces hold URLs of requests, which may hold keys; Lambda@Edge knows no tracing',
  ],
];

let findings: string[];
beforeAll(() => {
  findings = findingsOf((app) => [new AwsSolutionsChecks(app), new ServerlessChecks(app)]);
});

it('the AWS rules of cdk-nag find nothing except findings with a written reason', () => {
  expect(findings.length).toBeGreaterThan(0);
  expect(findings.filter((finding) => !accepted.some((row) => isOf(row, finding)))).toEqual([]);
});

it.each(accepted)('cdk-nag still finds the accepted %s at %o', (...row) => {
  expect(findings.some((finding) => isOf(row, finding))).toBe(true);
});

it('a deployment with custom domains uses TLS 1.2 or later, and cdk-nag finds nothing else', () => {
  const domain = (name: string) => ({
    name,
    certificateArn: 'arn:aws:acm:us-east-1:111111111111:certificate/a',
  });
  const named = { apiDomain: domain('api.example.org'), dataDomain: domain('data.example.org') };
  const found = findingsOf((app) => [new AwsSolutionsChecks(app)], named);
  expect(found.filter((finding) => finding.startsWith('AwsSolutions-CFR4'))).toEqual([]);
  // Two functions sign tokens for storage: the test of a connection and the jobs of versions. A condition on the policy
  // names the aliases of the keys.
  const signing = [
    /^AwsSolutions-IAM5\[Resource::arn:aws:kms:/,
    /\/(?:test-data-connection|run-repository-jobs)\/Role\/Resource$/,
    '',
  ] as const;
  expect(found.filter((finding) => ![...accepted, signing].some((row) => isOf(row, finding)))).toEqual([]);
});

function isOf([rule, where]: (typeof accepted)[number], finding: string): boolean {
  const at = finding.lastIndexOf(' ');
  const found = finding.slice(0, at);
  return (typeof rule === 'string' ? found === rule : rule.test(found)) && where.test(finding.slice(at + 1));
}
