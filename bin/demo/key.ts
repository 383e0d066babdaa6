import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { devNull, tmpdir } from 'node:os';
import path from 'node:path';
import type { RunningService } from './running-service.ts';
import { expect } from './steps.ts';

/**
 * Issues a key of the seeded service account, as the person who manages it, into a file that this user alone can read
 * and that goes with the process. A key of the demo's own: it ends revoked, and the seeded one stays good.
 */
export async function issueKey(service: RunningService): Promise<string> {
  const { api_url, identity_url, person_identity_id, service_account_id } = service;
  const { token } = await postJson(`${identity_url}/people/token`, { sub: person_identity_id });
  const { key } = await postJson(
    `${api_url}/api/v1/service-accounts/${service_account_id}/keys`,
    { label: 'demo', expiry: '30d' },
    { authorization: `Bearer ${token}` },
  );
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-demo-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  // A signal ends a process without that event, unless it is handled.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
  const file = path.join(folder, 'demo.key');
  await writeFile(file, `${key}\n`, { mode: 0o600 });
  return file;
}

/** From here on the AWS SDK finds these settings and nothing else: no profile, no credentials of whoever runs this. */
export function useSettings(settings: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) delete process.env[name];
  Object.assign(process.env, { AWS_CONFIG_FILE: devNull, AWS_SHARED_CREDENTIALS_FILE: devNull, ...settings });
}

/** What anyone does who comes across a key: no account, no credential, the key in the body. */
export async function revokeFoundKey({ api_url }: RunningService, file: string): Promise<number> {
  const key = (await readFile(file, 'utf8')).trim();
  const answer = await fetch(`${api_url}/api/v1/service-account-keys/revocations`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ key }),
  });
  expect(answer.status === 204, `the revocation answered ${answer.status}`);
  return answer.status;
}

async function postJson(url: string, body: unknown, headers = {}): Promise<Record<string, string>> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  expect(answer.ok, `POST ${new URL(url).pathname} answered ${answer.status}`);
  return (await answer.json()) as Record<string, string>;
}
