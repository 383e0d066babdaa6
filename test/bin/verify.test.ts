import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CheckResult } from '../../bin/verify/checks.ts';
import type { Deployment } from '../../bin/verify/deployment.ts';
import { verify } from '../../bin/verify/verify.ts';
import { seedNames } from '../../lib/local/seed.ts';
import { ciToken } from '../service/data-clients.ts';
import { type SeededService, startSeededService } from '../service/seeded-service.ts';
import { personToken } from '../service/test-service.ts';

let service: SeededService;
let deployment: Deployment;
beforeAll(async () => {
  service = await startSeededService();
  deployment = {
    apiUrl: service.apiUrl,
    dataUrl: service.dataUrl,
    personToken: await personToken(service, seedNames.person.identity_id),
    ciToken: await ciToken(service, { sub: 'repo:tide-institute/verify:environment:production' }),
    accountId: seedNames.organization_id,
    dataConnectionId: undefined,
  };
});
afterAll(() => service?.close());

const run = (changes: Partial<Deployment> = {}) =>
  verify(
    { ...deployment, ...changes },
    { now: service.services.clock, wait: async (seconds) => service.advance(seconds) },
  );

const not = (outcome: CheckResult['outcome'], results: CheckResult[]) =>
  results.filter((result) => result.outcome !== outcome).map(({ name, detail }) => `${name}: ${detail}`);

describe('a service that is whole', () => {
  test('passes every check, again and again, and keeps nothing but two empty repositories', async () => {
    for (const _ of ['first run', 'second run']) {
      const results = await run();
      expect(not('pass', results)).toEqual(
        ['TLS of', 'TLS of'].map(() => expect.stringMatching(/^TLS of .*: the address is http$/)),
      );
      expect(results.length).toBeGreaterThan(30);
    }
    const ada = await service.person(seedNames.person.identity_id);
    const { body: accounts } = await ada('GET', `/accounts/${seedNames.organization_id}/service-accounts`);
    expect(accounts.map((account: { name: string }) => account.name)).toEqual(['nightly-sync']);
    const { body: keys } = await ada('GET', `/accounts/${seedNames.person.account_id}/api-keys`);
    expect(keys.map((key: { disabled: boolean }) => key.disabled)).toEqual([true, true]);
  });

  test('is checked without a CI token too, which is said', async () => {
    const skipped = not('pass', await run({ ciToken: undefined })).filter((line) => !line.startsWith('TLS'));
    expect(skipped).toEqual([expect.stringContaining('set SLUICE_VERIFY_CI_TOKEN')]);
  });
});

describe('a service that is not', () => {
  test('fails where it is wrong, and what was made is taken away', async () => {
    // The API of one service with the objects of another: keys made here are unknown there.
    const other = await startSeededService();
    try {
      const results = await run({ dataUrl: other.dataUrl, ciToken: undefined });
      const failed = not('pass', results).join('\n');
      expect(failed).toContain('a key signs in');
      expect(failed).toContain('the rest could be tried');
      expect(results.filter(({ name }) => name === 'delete the service account')).toMatchObject([{ outcome: 'pass' }]);
    } finally {
      await other.close();
    }
  });

  test('is told when the person may do nothing there', async () => {
    const stranger = await personToken(service, 'stranger');
    const failed = not('pass', await run({ personToken: stranger })).filter((line) => !line.startsWith('TLS'));
    expect(failed).toEqual([expect.stringContaining('has no account yet: create one first')]);
  });
});

describe('the command', () => {
  const program = fileURLToPath(new URL('../../bin/verify.ts', import.meta.url));
  const command = async (args: string[], env: Record<string, string> = {}) => {
    const child = spawn(process.execPath, [program, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const [[code], output, errors] = await Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)]);
    return { code, output, errors };
  };

  test.each([
    [[], {}, 'Give both addresses'],
    [['--api', 'https://api.example.org', '--data', 'data.example.org'], {}, 'Give both addresses'],
    [['--api', 'https://api.example.org', '--data', 'https://data.example.org/'], {}, 'Set SLUICE_VERIFY_PERSON_TOKEN'],
  ])('with %j asks for what is missing', async (args, env, sentence) => {
    const { code, output, errors } = await command(args, env);
    expect({ code, output }).toEqual({ code: 2, output: '' });
    expect(errors).toContain(sentence);
    expect(errors).toContain('npm run verify');
  });

  test('prints a line for each check and ends with 1 when one failed', async () => {
    const { apiUrl, dataUrl } = service;
    const { code, output } = await command(['--api', apiUrl, '--data', dataUrl], {
      SLUICE_VERIFY_PERSON_TOKEN: await personToken(service, 'stranger'),
      SLUICE_VERIFY_ACCOUNT: seedNames.organization_id,
    });
    expect(code).toBe(1);
    expect(output).toMatch(/^pass +\d+\.\d\d s {2}reach +the data proxy is healthy/m);
    expect(output).toMatch(/^fail /m);
    expect(output).toMatch(/passed, 1 failed, 2 left out/);
  });
});
