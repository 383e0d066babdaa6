import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connection, made } from '../functions/users.ts';
import { type SeededService, startSeededService } from '../service/seeded-service.ts';
import { userToken } from '../service/user-tokens.ts';
import { acceptedFindings } from './schemathesis-findings.ts';

/**
 * Schemathesis reads the service's OpenAPI document, sends requests, and checks the responses against it. Here it sends
 * the example of each operation once. `npm run fuzz` also generates requests for a quarter of an hour. They have valid
 * and invalid values, the limits of each schema, and sequences of requests.
 */
const program = path.resolve('.clients/schemathesis/bin/schemathesis');
const isMissing = !existsSync(program);
const isLong = process.env['SLUICE_FUZZ'] === 'long';
const ways = isLong
  ? ['--phases', 'examples,coverage,fuzzing,stateful', '--max-examples', '10', '--max-time', '900', '--seed', '1']
  : ['--phases', 'examples', '--generation-deterministic'];
const timeoutMs = isLong ? 1_800_000 : 300_000;
const title = `what Schemathesis finds${isMissing ? ' (it is not installed here: test/clients/install.sh)' : ''}`;

interface Report {
  complete: boolean;
  operations: { tested: number; errored: number };
  failures: { code: string; title: string; operations: string[] }[];
  errors: unknown[];
}

describe.skipIf(isMissing)(title, () => {
  let service: SeededService;
  let folder: string;
  let token: string;
  beforeAll(async () => {
    service = await startSeededService();
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-schemathesis-'));
    token = await userToken(service, 'ada');
    // Accounts and resources that the examples name, in addition to the seeded data.
    for (const name of ['grace', 'edith']) {
      const user = await service.user(name);
      await made(user('POST', '/accounts', { account_id: name, account_type: 'user', profile: {} }));
    }
    const admin = await service.user('admin');
    await made(admin('POST', '/data-connections', connection('ocean-store')));
  });
  afterAll(async () => {
    await service.close();
    await rm(folder, { recursive: true, force: true });
  });

  test('is in the list of accepted findings', { timeout: timeoutMs }, async () => {
    const report = path.join(folder, 'report.json');
    const told = await run([
      ...['--config-file', path.resolve('test/contract/schemathesis.toml')],
      ...['run', `${service.apiUrl}/api/v1/openapi.json`, '--header', `Authorization: Bearer ${token}`],
      // Deleting the caller's account would refuse all later requests. The documentation page is not JSON.
      ...['--exclude-operation-id', 'deleteAccount', '--exclude-operation-id', 'getDocs'],
      ...['--continue-on-failure', '--no-shrink', '--no-color', '--warnings', 'off', ...ways],
      ...['--report', 'json', '--report-json-path', report],
    ]);
    const { complete, operations, failures, errors } = JSON.parse(await readFile(report, 'utf8')) as Report;
    const isAccepted = (code: string, operation: string) =>
      acceptedFindings.some((one) => one.code === code && one.operations.includes(operation));
    const found = failures.flatMap(({ code, title: what, operations: where }) =>
      where.filter((operation) => !isAccepted(code, operation)).map((operation) => `${code} ${operation}: ${what}`),
    );
    expect(found, told).toEqual([]);
    expect(errors, told).toEqual([]);
    expect({ complete, errored: operations.errored }).toEqual({ complete: true, errored: 0 });
    // Schemathesis has tested every operation that has an example.
    expect(operations.tested).toBeGreaterThan(60);
  });

  /** Returns the output of Schemathesis. Findings do not count as an error of the program. */
  function run(args: readonly string[]): Promise<string> {
    return new Promise((resolve) => {
      const options = { cwd: folder, maxBuffer: 64 * 1024 * 1024, timeout: timeoutMs };
      execFile(program, [...args], options, (_, stdout, stderr) => resolve(`${stdout}\n${stderr}`));
    });
  }
});

test('every accepted finding has a reason and occurs once', () => {
  const named = acceptedFindings.flatMap(({ code, operations }) => operations.map((one) => `${code} ${one}`));
  expect(new Set(named).size).toBe(named.length);
  expect(acceptedFindings.filter(({ why }) => why.length < 20)).toEqual([]);
});
