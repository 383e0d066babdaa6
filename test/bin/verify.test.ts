import { describe, expect, onTestFinished, test } from 'vitest';
import { type CheckResult, Checks } from '../../bin/verify/checks.ts';
import type { Deployment } from '../../bin/verify/deployment.ts';
import { checkReach, refusedOldProtocol } from '../../bin/verify/reach.ts';
import { verify } from '../../bin/verify/verify.ts';
import { seedNames } from '../../lib/local/seed.ts';
import { ciToken } from '../service/data-clients.ts';
import { serveInFile } from '../service/http-server.ts';
import { seededService, startSeededService } from '../service/seeded-service.ts';
import { userToken } from '../service/user-tokens.ts';
import { runCommand } from './local-process.ts';

const origin = 'https://app.example.org';

const service = await seededService({ corsOrigins: [origin] });
/** Refuses requests, as API Gateway does when they bypass the distribution. */
const apiOriginUrl = await serveInFile(({ headers }, response) => {
  response.writeHead(headers['x-sluice-origin'] === undefined ? 401 : 403).end();
});
const deployment: Deployment = {
  apiUrl: service.apiUrl,
  dataUrl: service.dataUrl,
  userToken: await userToken(service, seedNames.user.identity_id),
  accountId: seedNames.organization_id,
  origin,
  apiOriginUrl,
  largeMib: 3,
  triesThrottles: true,
};

const movedClock = () => ({
  now: service.services.clock,
  wait: async (seconds: number) => service.advance(seconds),
});

/**
 * Runs the checks of the command with a new CI token. A token expires after five minutes, and every run moves the
 * clock.
 */
async function run(changes: Partial<Deployment> = {}): Promise<CheckResult[]> {
  const newToken = await ciToken(service, { sub: 'repo:tide-institute/verify:environment:production' });
  return verify({ ...deployment, ciToken: newToken, ...changes }, movedClock());
}

const not = (outcome: CheckResult['outcome'], results: CheckResult[]) =>
  results.filter((result) => result.outcome !== outcome).map(({ name, detail }) => `${name}: ${detail}`);

describe('a complete service', () => {
  test('passes every check in each run, and contains only two empty repositories afterwards', {
    timeout: 120_000,
  }, async () => {
    for (const _ of ['first run', 'second run']) {
      const results = await run();
      const left = not('pass', results);
      expect(left).toHaveLength(5);
      for (const line of left) expect(line).toContain(': the URL is http');
      expect(results.length).toBeGreaterThan(40);
    }
    const ada = await service.user(seedNames.user.identity_id);
    const { body: accounts } = await ada('GET', `/accounts/${seedNames.organization_id}/service-accounts`);
    expect(accounts.map((account: { name: string }) => account.name)).toEqual(['nightly-sync']);
    const { body: keys } = await ada('GET', `/accounts/${seedNames.user.account_id}/api-keys`);
    expect(keys.map((key: { disabled: boolean }) => key.disabled)).toEqual([true, true]);
  });

  test('is checked with the given settings, and each skipped check names the missing setting', async () => {
    const { apiUrl, dataUrl, userToken: token, accountId } = deployment;
    const results = await verify({ apiUrl, dataUrl, userToken: token, accountId }, movedClock());
    const skipped = not('pass', results).flatMap(
      (line) => /(?:set (SLUICE_\w+)|add (--\w+))/.exec(line)?.slice(1) ?? [],
    );
    expect(skipped.filter((name) => name !== undefined).sort()).toEqual([
      '--throttles',
      '--throttles',
      'SLUICE_VERIFY_API_ORIGIN',
      'SLUICE_VERIFY_CI_TOKEN',
      'SLUICE_VERIFY_LARGE_MIB',
      'SLUICE_VERIFY_ORIGIN',
    ]);
    expect(results.filter(({ outcome }) => outcome === 'fail')).toEqual([]);
  });

  test('accepts only TLS 1.2 or later over https', async () => {
    const secure = await startSeededService({ https: true });
    onTestFinished(() => secure.close());
    const checks = new Checks(Date.now, () => undefined);
    await checkReach(checks, { ...deployment, apiUrl: secure.apiUrl, dataUrl: secure.dataUrl });
    expect(not('pass', checks.results)).toEqual([]);
    expect(checks.results.filter(({ name }) => name.startsWith('TLS'))).toHaveLength(4);
  });
});

describe('a wrong URL', () => {
  const closed = 'https://127.0.0.1:2';

  test.each<[string, () => Partial<Deployment>, [name: string, detail: RegExp][]]>([
    [
      'without a service',
      () => ({ apiUrl: closed, dataUrl: closed }),
      [
        ['the management API is healthy', /ECONNREFUSED.*--api .*output ApiUrl of <name>-api-edge/],
        ['the data proxy is healthy', /ECONNREFUSED.*--data .*output DataProxyUrl of <name>-edge/],
      ],
    ],
    [
      'of the other service',
      () => ({ apiUrl: service.dataUrl, dataUrl: service.apiUrl }),
      [
        ['the management API is healthy', /--api .*output ApiUrl/],
        ['the data proxy is healthy', /the status is 404, not 200.*--data .*output DataProxyUrl/],
      ],
    ],
  ])('%s ends the run with a next step', async (_, changes, failed) => {
    const results = await run(changes());
    expect(results).toEqual(
      failed.map(([name, detail]) =>
        expect.objectContaining({ outcome: 'fail', name, detail: expect.stringMatching(detail) }),
      ),
    );
  });

  test('without a service does not pass as one that refuses old TLS versions', async () => {
    const result = await refusedOldProtocol(closed).catch(String);
    expect(result).toContain('ECONNREFUSED');
  });
});

describe('an incomplete service', () => {
  test.each([
    ['that answers at its own URL', { apiOriginUrl: 'the API' }, 'its own URL', 'it answered 200'],
    ['that admits no browser', { origin: 'https://another.example' }, 'browsers of a configured origin', 'no headers'],
    [
      'that has its repositories on another connection',
      { dataConnectionId: 'elsewhere' },
      'the account, the repositories, and the keys are ready',
      'name another account',
    ],
  ])('%s fails the check with the cause', async (_, changes: Partial<Deployment>, check, sentence) => {
    const apiOriginUrl = changes.apiOriginUrl === undefined ? deployment.apiOriginUrl : service.apiUrl;
    const results = await run({ ...changes, apiOriginUrl, triesThrottles: false });
    expect(results.filter(({ outcome }) => outcome === 'fail')).toMatchObject([
      { name: expect.stringContaining(check), detail: expect.stringContaining(sentence) },
    ]);
  });

  test('fails the affected checks, and the run deletes the resources that it created', async () => {
    // Checks the API of one service with the data proxy of another service, which does not know the keys of the first.
    const other = await startSeededService();
    onTestFinished(() => other.close());
    const results = await run({ dataUrl: other.dataUrl, ciToken: undefined, triesThrottles: false });
    const failed = not('pass', results).join('\n');
    expect(failed).toContain('a key signs in');
    expect(failed).toContain('the account, the repositories, and the keys are ready');
    expect(results.filter(({ name }) => name === 'delete the service account')).toMatchObject([{ outcome: 'pass' }]);
  });

  test('fails with a next step when the user has no account', async () => {
    const stranger = await userToken(service, 'stranger');
    const results = await run({ userToken: stranger, triesThrottles: false });
    expect(results.filter(({ outcome }) => outcome === 'fail')).toMatchObject([
      { detail: expect.stringContaining('has no account yet: create one first') },
    ]);
  });
});

test('the report has a next step for a token that the API rejects', async () => {
  const results = await run({ userToken: 'a.b.c', triesThrottles: false });
  expect(results.filter(({ outcome }) => outcome === 'fail')).toMatchObject([
    { detail: expect.stringMatching(/answered 401.*SLUICE_VERIFY_USER_TOKEN/) },
  ]);
});

test('the command prints a line for each check and exits with 1 when one fails', async () => {
  const { apiUrl, dataUrl } = service;
  const env = {
    SLUICE_VERIFY_USER_TOKEN: await userToken(service, 'stranger'),
    SLUICE_VERIFY_ACCOUNT: seedNames.organization_id,
  };
  const { code, output } = await runCommand('verify', ['--api', apiUrl, '--data', dataUrl], { env });
  expect(code).toBe(1);
  expect(output).toMatch(/^pass +\d+\.\d\d s {2}reach +the data proxy is healthy/m);
  expect(output).toMatch(/^fail /m);
  expect(output).toMatch(/passed, 1 failed, 6 skipped/);
});
