import * as z from 'zod';
import type { Assembly, StackToDeploy } from './assembly.ts';
import { type Aws, AwsRefusal, firstIn } from './aws.ts';
import { findLeftovers } from './leftovers.ts';

export interface Finding {
  /**
   * The result of a check: `fix` must be corrected before the deployment, `ask` must be requested from AWS, and
   * `unknown` could not be checked.
   */
  outcome: 'ok' | 'ask' | 'fix' | 'unknown';
  check: string;
  detail: string;
}

/** The region of edge functions. AWS supports them only there. */
const edgeRegion = 'us-east-1';
/** The concurrency that AWS always leaves to functions without reserved concurrency. */
const unreservedMin = 100;
/** The concurrency limit that a deployment with some traffic needs. A new AWS account has a limit of 10. */
const concurrencyWanted = 1000;
/**
 * The maximum number of pages of a list that are read. In an AWS account with longer lists, the rest is not checked.
 */
const pagesMax = 40;

const recovery = 'docs/operating/when-a-deployment-fails.md';
const quotaPage = (service: string, region: string) =>
  `https://${region}.console.aws.amazon.com/servicequotas/home/services/${service}/quotas`;

/** Checks an AWS account before a deployment. The check changes nothing in the account. */
export async function checkAccount(
  aws: Aws,
  { stacks, bootstrapVersion }: Assembly,
  report: (finding: Finding) => void,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const regions = [...new Set([...stacks.map(({ region }) => region), edgeRegion])];
  const run = async (check: string, work: () => Promise<Omit<Finding, 'check'> | readonly Finding[]>) => {
    const found = await work().catch((error: unknown) => ({
      outcome: 'unknown' as const,
      detail: `could not be checked (${reasonOf(error)})`,
    }));
    for (const finding of 'outcome' in found ? [{ ...found, check }] : found) {
      findings.push(finding);
      report(finding);
    }
  };
  let accountId = '';
  await run('credentials', async () => {
    try {
      const answer = await aws.query('sts', edgeRegion, '2011-06-15', { Action: 'GetCallerIdentity' });
      accountId = firstIn(answer, 'Account') ?? '';
      return { outcome: 'ok', detail: `account ${accountId}, as ${firstIn(answer, 'Arn')}` };
    } catch (error) {
      if (!isCredentialsError(error)) throw error;
      return {
        outcome: 'fix',
        detail: `set up credentials until "aws sts get-caller-identity" shows your account (${reasonOf(error)})`,
      };
    }
  });
  // If the first checks fail, stop, because all other checks would fail for the same reason.
  if (findings.some(({ outcome }) => outcome !== 'ok')) return findings;
  await run('CloudFront', () => checkCloudFront(aws));
  for (const region of regions) {
    await run(`bootstrap in ${region}`, () => checkBootstrap(aws, accountId, region, bootstrapVersion));
    const here = stacks.filter((stack) => stack.region === region);
    await run(`Lambda concurrency in ${region}`, () => checkConcurrency(aws, region, here));
    let deployed: Map<string, string> | undefined;
    await run(`stacks in ${region}`, async () => {
      deployed = await listStacks(aws, region);
      return checkStacks(here, deployed);
    });
    await run(`leftovers in ${region}`, async () => {
      // This check needs the list of stacks. Without the list, the check would report the resources of a working
      // deployment.
      if (deployed === undefined) throw new Error('the stacks could not be listed');
      const statuses = deployed;
      const missing = here.filter(({ name }) => isMissing(statuses.get(name)));
      const leftovers = await findLeftovers(aws, region, missing);
      if (leftovers.length === 0) return { outcome: 'ok', detail: 'no resource has a name of the deployment' };
      return leftovers.map((leftover) => ({
        outcome: 'fix',
        check: `leftovers in ${region}`,
        detail: `${leftover} exists, and would fail with "already exists": ${recovery}#causes`,
      }));
    });
  }
  for (const quota of quotas) await run(quota.name, () => checkQuota(aws, stacks, quota));
  return findings;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Show the cause of the error as well. For a failed fetch, the cause contains the reason, such as a host that does
  // not exist.
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : '';
  return `${error.name}: ${error.message}${cause}`;
}

/** Returns true if no provider has credentials, or if AWS rejects them. */
function isCredentialsError(error: unknown): boolean {
  return error instanceof AwsRefusal || (error instanceof Error && /ProviderError$/.test(error.name));
}

/**
 * Checks whether AWS allows this account to create distributions. AWS refuses them for a new account until its support
 * has verified the account.
 * Only a request to create a distribution shows this. The request contains a cache policy that does not exist, so it
 * never creates one.
 */
async function checkCloudFront(aws: Aws): Promise<Omit<Finding, 'check'>> {
  const path = '/2020-05-31/distribution';
  const found = await aws.rest({
    service: 'cloudfront',
    region: edgeRegion,
    method: 'GET',
    path: `${path}?MaxItems=1`,
  });
  if (found.includes('<DistributionSummary>')) return { outcome: 'ok', detail: 'the account has a distribution' };
  const headers = { 'content-type': 'application/xml' };
  try {
    await aws.rest({ service: 'cloudfront', region: edgeRegion, method: 'POST', path, headers, body: impossible });
  } catch (error) {
    if (!(error instanceof AwsRefusal)) throw error;
    if (/verif/i.test(error.message)) {
      return {
        outcome: 'ask',
        detail:
          'AWS must verify the account first. Open a case for CloudFront with AWS Support: https://console.aws.amazon.com/support/home',
      };
    }
    if (error.name !== 'NoSuchCachePolicy') throw error;
    return { outcome: 'ok', detail: 'CloudFront asks for no verification of the account' };
  }
  throw new Error('CloudFront accepted a cache policy that does not exist');
}

const impossible = `<?xml version="1.0" encoding="UTF-8"?>
<DistributionConfig xmlns="http://cloudfront.amazonaws.com/doc/2020-05-31/">
<CallerReference>sluice-preflight</CallerReference><Comment>refused</Comment><Enabled>false</Enabled>
<Origins><Quantity>1</Quantity><Items><Origin><Id>s3</Id><DomainName>s3.us-east-1.amazonaws.com</DomainName>
<CustomOriginConfig><HTTPPort>80</HTTPPort><HTTPSPort>443</HTTPSPort><OriginProtocolPolicy>https-only</OriginProtocolPolicy></CustomOriginConfig>
</Origin></Items></Origins>
<DefaultCacheBehavior><TargetOriginId>s3</TargetOriginId><ViewerProtocolPolicy>https-only</ViewerProtocolPolicy>
<CachePolicyId>00000000-0000-0000-0000-000000000000</CachePolicyId></DefaultCacheBehavior>
</DistributionConfig>`;

const parameterSchema = z.object({ Parameter: z.object({ Value: z.string() }) });

async function checkBootstrap(
  aws: Aws,
  accountId: string,
  region: string,
  wanted: number,
): Promise<Omit<Finding, 'check'>> {
  const fix = `run "npx cdk bootstrap aws://${accountId}/${region}"`;
  try {
    const Name = '/cdk-bootstrap/hnb659fds/version';
    const version = Number(
      parameterSchema.parse(await aws.json('ssm', region, 'AmazonSSM.GetParameter', { Name })).Parameter.Value,
    );
    if (version >= wanted) return { outcome: 'ok', detail: `version ${version}` };
    return { outcome: 'fix', detail: `version ${version} is older than ${wanted}: ${fix}` };
  } catch (error) {
    if (!(error instanceof AwsRefusal && error.name === 'ParameterNotFound')) throw error;
    return { outcome: 'fix', detail: `the region is not prepared: ${fix}` };
  }
}

const settingsSchema = z.object({ AccountLimit: z.object({ ConcurrentExecutions: z.number() }) });

async function checkConcurrency(
  aws: Aws,
  region: string,
  stacks: readonly StackToDeploy[],
): Promise<Omit<Finding, 'check'>> {
  const path = '/2016-08-19/account-settings';
  const answer = await aws.rest({ service: 'lambda', region, method: 'GET', path });
  const { ConcurrentExecutions: allowed } = settingsSchema.parse(JSON.parse(answer)).AccountLimit;
  const reserved = stacks
    .flatMap(({ resources }) => resources)
    .reduce((sum, { Properties = {} }) => sum + Number(Properties['ReservedConcurrentExecutions'] ?? 0), 0);
  const wanted = Math.max(concurrencyWanted, reserved + unreservedMin);
  if (allowed >= wanted) return { outcome: 'ok', detail: `${allowed} concurrent executions` };
  return {
    outcome: reserved > 0 && allowed < reserved + unreservedMin ? 'fix' : 'ask',
    detail: `${allowed} concurrent executions${reserved > 0 ? `, and the settings reserve ${reserved}` : ''}: request ${wanted} of "Concurrent executions" (L-B99A9384) at ${quotaPage('lambda', region)}/L-B99A9384`,
  };
}

/** Returns the status of each stack in a region, by the stack's name. */
async function listStacks(aws: Aws, region: string): Promise<Map<string, string>> {
  const statuses = new Map<string, string>();
  let token: string | undefined;
  for (let page = 0; page < pagesMax; page += 1) {
    const more = token === undefined ? {} : { NextToken: token };
    const answer = await aws.query('cloudformation', region, '2010-05-15', { Action: 'ListStacks', ...more });
    for (const member of answer.split('<member>').slice(1)) {
      const [name, status] = [firstIn(member, 'StackName'), firstIn(member, 'StackStatus')];
      // Skip deleted stacks, which AWS lists for 90 days.
      if (name !== undefined && status !== undefined && status !== 'DELETE_COMPLETE') statuses.set(name, status);
    }
    token = firstIn(answer, 'NextToken');
    if (token === undefined) break;
  }
  return statuses;
}

function isMissing(status: string | undefined): boolean {
  return status === undefined || status === 'REVIEW_IN_PROGRESS';
}

function checkStacks(stacks: readonly StackToDeploy[], deployed: ReadonlyMap<string, string>): Omit<Finding, 'check'> {
  const statuses = stacks.map(({ name }) => [name, deployed.get(name)] as const);
  const broken = statuses.filter(([, status]) => /^ROLLBACK_|_FAILED$/.test(status ?? ''));
  if (broken.length > 0) {
    const list = broken.map(([name, status]) => `${name} (${status})`).join(', ');
    return { outcome: 'fix', detail: `a deployment failed: ${list}. See ${recovery}` };
  }
  const present = statuses.filter(([, status]) => !isMissing(status)).length;
  return { outcome: 'ok', detail: `${present} of ${stacks.length} deployed, none in a failed state` };
}

interface Quota {
  name: string;
  type: string;
  service: string;
  /** Matches the name of the quota in Service Quotas. */
  pattern: RegExp;
  /** The default limit of AWS. It is used when Service Quotas does not list the quota. */
  usual: number;
}

const quotas: readonly Quota[] = [
  ['distributions', 'AWS::CloudFront::Distribution', 'cloudfront', /distributions per AWS account/i, 200],
  ['cache policies', 'AWS::CloudFront::CachePolicy', 'cloudfront', /^cache policies per AWS account/i, 20],
  [
    'response headers policies',
    'AWS::CloudFront::ResponseHeadersPolicy',
    'cloudfront',
    /^response headers policies per AWS account/i,
    20,
  ],
  ['viewer functions', 'AWS::CloudFront::Function', 'cloudfront', /^functions per AWS account/i, 100],
  ['routes of the API', 'AWS::ApiGatewayV2::Route', 'apigateway', /^routes per/i, 300],
  ['integrations of the API', 'AWS::ApiGatewayV2::Integration', 'apigateway', /^integrations per/i, 300],
  ['roles', 'AWS::IAM::Role', 'iam', /^roles per account/i, 1000],
  ['web ACLs', 'AWS::WAFv2::WebACL', 'wafv2', /web ACLs per account/i, 100],
].map(([name, type, service, pattern, usual]) => ({ name, type, service, pattern, usual }) as Quota);

const quotasSchema = z.object({ Quotas: z.array(z.object({ QuotaName: z.string(), Value: z.number() })) });

/**
 * Compares a quota with the number of resources in the templates. Other resources of the account also count toward the
 * quota, but AWS does not list their number.
 */
async function checkQuota(
  aws: Aws,
  stacks: readonly StackToDeploy[],
  { type, service, pattern, usual }: Quota,
): Promise<Omit<Finding, 'check'>> {
  const counts = new Map<string, number>();
  for (const { region, resources } of stacks) {
    const here = resources.filter(({ Type }) => Type === type).length;
    counts.set(region, (counts.get(region) ?? 0) + here);
  }
  const isGlobal = service === 'iam';
  const all = [...counts.entries()];
  const [region, count] = isGlobal
    ? ([edgeRegion, all.reduce((sum, [, one]) => sum + one, 0)] as const)
    : all.reduce((largest, one) => (one[1] > largest[1] ? one : largest), [edgeRegion, 0]);
  const input = { ServiceCode: service, MaxResults: 100 };
  const answer = await aws
    .json('servicequotas', region, 'ServiceQuotasV20190624.ListServiceQuotas', input)
    .then((found) => quotasSchema.parse(found).Quotas.find(({ QuotaName }) => pattern.test(QuotaName)))
    .catch((error: unknown) => {
      if (error instanceof AwsRefusal) return undefined;
      throw error;
    });
  const allowed = answer?.Value ?? usual;
  const source = answer === undefined ? ' (the default of AWS)' : '';
  if (count <= allowed) return { outcome: 'ok', detail: `${count} of ${allowed}${source}` };
  return {
    outcome: 'ask',
    detail: `the deployment needs ${count}, and the quota is ${allowed}${source}: request more at ${quotaPage(service, region)}`,
  };
}
