import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { listenOnLoopback } from '../../../lib/local/ports.ts';
import { runCommand, temporaryFolder } from '../../bin/local-process.ts';
import { withApp } from './offline-app.ts';

/** The part of an AWS account that the command reads. */
interface Account {
  bootstrapVersion?: string;
  concurrency: number;
  hasDistribution?: boolean;
  isVerified: boolean;
  stacks?: Record<string, string>;
  /** The error codes that AWS returns, by operation. */
  refuses?: Record<string, string>;
  /** The names of the resources that exist in the account. */
  names?: string[];
  quotas?: { QuotaName: string; Value: number }[];
}

/** A port on which no server listens. */
const closedUrl = 'http://127.0.0.1:2';
const key = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' };
const fresh: Account = { concurrency: 10, isVerified: false };
const prepared: Account = { bootstrapVersion: '30', concurrency: 1000, isVerified: true };

/** Answers like AWS, in the forms of the API references of these services. */
async function startAws(account: Account): Promise<{ url: string; requests: string[] }> {
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const operation = String(request.headers['x-amz-target'] ?? new URLSearchParams(body).get('Action') ?? '');
    requests.push(operation || `${request.method} ${request.url}`);
    const [status, answer] = answerOf(account, request, operation, body);
    response.writeHead(status).end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  });
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${await listenOnLoopback(server, 0)}`, requests };
}

function answerOf(account: Account, { method, url = '' }: IncomingMessage, operation: string, body: string) {
  const refused = (status: number, code: string, message = 'none') =>
    [
      status,
      `<ErrorResponse><Error><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`,
    ] as const;
  const exists = (name: string, code: string) =>
    account.names?.includes(name) ? ([200, {}] as const) : ([400, { __type: code, message: 'none' }] as const);
  const input = body.startsWith('{') ? JSON.parse(body) : {};
  const code = account.refuses?.[operation];
  if (code !== undefined) return refused(403, code);
  if (operation === 'GetCallerIdentity') {
    return [200, '<Arn>arn:aws:iam::111122223333:user/ada</Arn><Account>111122223333</Account>'] as const;
  }
  if (operation === 'ListStacks') {
    const members = Object.entries(account.stacks ?? {}).map(
      ([name, status]) => `<member><StackName>${name}</StackName><StackStatus>${status}</StackStatus></member>`,
    );
    return [200, `<StackSummaries>${members.join('')}</StackSummaries>`] as const;
  }
  if (url.startsWith('/2016-08-19/')) {
    return [200, { AccountLimit: { ConcurrentExecutions: account.concurrency } }] as const;
  }
  if (url.startsWith('/2015-03-31/functions/')) {
    return exists(url.slice(22), 'com.amazonaws.lambda#ResourceNotFoundException:http://internal');
  }
  if (url.startsWith('/2020-05-31/distribution')) {
    if (method === 'GET')
      return [200, account.hasDistribution ? '<DistributionSummary/>' : '<Quantity>0</Quantity>'] as const;
    if (account.isVerified) return refused(404, 'NoSuchCachePolicy');
    return refused(403, 'AccessDenied', 'Your account must be verified before you can add new CloudFront resources.');
  }
  switch (operation) {
    case 'AmazonSSM.GetParameter': {
      const { bootstrapVersion } = account;
      if (input.Name.startsWith('/cdk-bootstrap/') && bootstrapVersion !== undefined) {
        return [200, { Parameter: { Value: bootstrapVersion } }] as const;
      }
      return exists(input.Name, 'ParameterNotFound');
    }
    case 'DynamoDB_20120810.DescribeTable':
      return exists(input.TableName, 'com.amazonaws.dynamodb.v20120810#ResourceNotFoundException');
    case 'secretsmanager.DescribeSecret':
      return exists(input.SecretId, 'ResourceNotFoundException');
    case 'TrentService.DescribeKey':
      return exists(input.KeyId, 'NotFoundException');
    case 'AmazonSQS.GetQueueUrl':
      return exists(input.QueueName, 'com.amazonaws.sqs#QueueDoesNotExist');
    case 'AWSEvents.DescribeEventBus':
      return exists(input.Name, 'ResourceNotFoundException');
    case 'Logs_20140328.DescribeLogGroups': {
      const found = account.names?.includes(input.logGroupNamePrefix) ?? false;
      return [200, { logGroups: found ? [{ logGroupName: input.logGroupNamePrefix }] : [] }] as const;
    }
    case 'ServiceQuotasV20190624.ListServiceQuotas':
      return [200, { Quotas: account.quotas ?? [] }] as const;
    default:
      return [500, { __type: 'Unexpected', message: `${method} ${url} ${operation}` }] as const;
  }
}

const defaultFiles = synthesizedFiles({});

/** Returns the files of a deployment that the command reads. */
function synthesizedFiles(settings: object): (readonly [name: string, contents: unknown])[] {
  return withApp({ settings: { homeRegion: 'eu-west-1', ...settings } }, (app) => {
    const { manifest, stacks } = app.synth();
    return [
      ['manifest.json', manifest],
      ...stacks.map(({ templateFile, template }) => [templateFile, template] as const),
    ];
  });
}

/** Writes the templates of a deployment and runs the command on them. */
async function preflight(account: Account, settings: object = {}, environment?: NodeJS.ProcessEnv) {
  const folder = path.join(await temporaryFolder(), 'cdk.out');
  await mkdir(folder);
  const files = Object.keys(settings).length === 0 ? defaultFiles : synthesizedFiles(settings);
  for (const [name, contents] of files) await writeFile(path.join(folder, name), JSON.stringify(contents));
  const { url, requests } = await startAws(account);
  const env = { AWS_ENDPOINT_URL: url, ...(environment ?? key) };
  const { code, output, errors } = await runCommand('preflight', [folder], { env });
  const lines = output.split('\n').filter((line) => /^(?:fix|request|unknown) /.test(line));
  return { code, output, errors, lines, requests };
}

test('the preflight of a new account asks for both regions, a verification, and more concurrency', async () => {
  const { code, lines, errors } = await preflight(fresh);
  expect([code, errors]).toEqual([1, '']);
  expect(lines).toEqual([
    expect.stringMatching(/^request +CloudFront +AWS must verify the account first.*support/),
    expect.stringMatching(/^fix +bootstrap in eu-west-1 .*cdk bootstrap aws:\/\/111122223333\/eu-west-1/),
    expect.stringMatching(/^request +Lambda concurrency in eu-west-1 +10 .*request 1000 .*L-B99A9384/),
    expect.stringMatching(/^fix +bootstrap in us-east-1 /),
    expect.stringMatching(/^request +Lambda concurrency in us-east-1 /),
  ]);
});

test('the preflight of a prepared account finds no missing step and changes nothing', async () => {
  const { code, lines, requests } = await preflight(prepared);
  expect([code, lines]).toEqual([0, []]);
  const reads = /^(?:GET |ListStacks$|GetCallerIdentity$|\w+\.(?:Get|Describe|List)\w+$)/;
  // The `POST` changes nothing, because CloudFront refuses this request in every account.
  expect(requests.filter((request) => !reads.test(request))).toEqual(['POST /2020-05-31/distribution']);
});

test.each<[string, Account, object, RegExp]>([
  ['an old bootstrap', { ...prepared, bootstrapVersion: '2' }, {}, /^fix +bootstrap .*version 2 is older than \d+/],
  [
    'reservations that the account has no room for',
    { ...prepared, concurrency: 100 },
    { reservedConcurrency: { catalogue: 20 } },
    /^fix +Lambda concurrency in eu-west-1 +100 .*reserve 20/,
  ],
  [
    'a first deployment that failed',
    { ...prepared, stacks: { 'sluice-data': 'CREATE_COMPLETE', 'sluice-edge': 'ROLLBACK_COMPLETE' } },
    {},
    /^fix +stacks in us-east-1 .*sluice-edge \(ROLLBACK_COMPLETE\).*when-a-deployment-fails/,
  ],
  ...[
    'AWS::DynamoDB::Table sluice',
    'AWS::SecretsManager::Secret sluice/session-keys',
    'AWS::KMS::Alias alias/sluice-table',
    'AWS::SQS::Queue sluice-failures',
    'AWS::Events::EventBus sluice',
    'AWS::SSM::Parameter /sluice/people-clients',
    'AWS::Lambda::Function sluice-get-account',
    'AWS::Logs::LogGroup /aws/lambda/sluice-get-account',
  ].map(
    (resource) =>
      [
        `the leftover ${resource}`,
        { ...prepared, names: [resource.split(' ')[1] ?? ''] },
        {},
        new RegExp(`^fix +leftovers in eu-west-1 +${resource} exists`),
      ] as [string, Account, object, RegExp],
  ),
  [
    'a quota below what the templates need',
    { ...prepared, quotas: [{ QuotaName: 'Routes per API', Value: 50 }] },
    {},
    /^request +routes of the API .*needs \d+, and the quota is 50/,
  ],
])('reports %s', async (_, account, settings, line) => {
  const { code, lines } = await preflight(account, settings);
  expect(code).toBe(1);
  expect(lines).toContainEqual(expect.stringMatching(line));
});

describe('credentials', () => {
  const env = { HOME: '/nowhere', AWS_EC2_METADATA_DISABLED: 'true' };

  test('that are missing end the command with a next step, and without a stack trace', async () => {
    const { code, output, errors } = await preflight(prepared, {}, env);
    expect({ code, output }).toEqual({
      code: 1,
      output: expect.stringMatching(/^fix +credentials +.*aws sts get-caller-identity[^\n]*\n\n1 to do /),
    });
    expect(errors).toBe('');
  });

  test('that AWS rejects end the command, because no other check is possible', async () => {
    const { code, lines, requests } = await preflight({ ...prepared, refuses: { GetCallerIdentity: 'ExpiredToken' } });
    expect(code).toBe(1);
    expect(lines).toEqual([expect.stringMatching(/^fix +credentials .*aws sts get-caller-identity.*ExpiredToken/)]);
    expect(requests).toEqual(['GetCallerIdentity']);
  });

  test('that cannot be sent are reported with the cause', async () => {
    const { code, lines, output } = await preflight(prepared, {}, { ...env, ...key, AWS_ENDPOINT_URL: closedUrl });
    expect(code).toBe(1);
    expect(lines).toEqual([expect.stringMatching(/^unknown +credentials .*ECONNREFUSED/)]);
    expect(output).not.toContain('Nothing stands in the way');
  });
});

test('a check that was impossible is not a success', async () => {
  const { code, lines, output } = await preflight({ ...prepared, refuses: { ListStacks: 'AccessDenied' } });
  expect(code).toBe(1);
  expect(lines).toEqual(
    ['eu-west-1', 'us-east-1'].flatMap((region) => [
      expect.stringMatching(`^unknown +stacks in ${region} .*AccessDenied`),
      expect.stringMatching(`^unknown +leftovers in ${region} .*stacks`),
    ]),
  );
  expect(output).toMatch(/\n4 not checked: the lines/);
  expect(output).not.toContain('Nothing stands in the way');
});

test('a folder without templates is refused with the usage', async () => {
  const { code, output, errors } = await runCommand('preflight', ['--help']);
  expect({ code, output }).toEqual({ code: 2, output: '' });
  expect(errors).toMatch(/^npm run preflight .*takes no arguments/);
});

test('resources of an existing stack are not leftovers', async () => {
  const stacks = { 'sluice-data': 'UPDATE_COMPLETE' };
  const { code, lines } = await preflight({ ...prepared, hasDistribution: true, names: ['sluice'], stacks });
  // The event bus of another deployment has the same name.
  expect([code, lines]).toEqual([1, [expect.stringContaining('AWS::Events::EventBus sluice')]]);
});
