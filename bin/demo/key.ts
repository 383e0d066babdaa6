import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { devNull, tmpdir } from 'node:os';
import path from 'node:path';
import type { RunningService } from './running-service.ts';
import { expect } from './steps.ts';

/**
 * Issues a key of the seeded service account as its manager. Writes it to a file that only this user can read and that
 * is deleted with the process. The demo revokes this key, so it does not use the seeded one.
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
  // An unhandled signal ends a process without the `exit` event.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
  const file = path.join(folder, 'demo.key');
  await writeFile(file, `${key}\n`, { mode: 0o600 });
  return file;
}

/** Makes the AWS SDK use only these settings, and no profile or credentials of the user. */
export function useSettings(settings: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) delete process.env[name];
  Object.assign(process.env, { AWS_CONFIG_FILE: devNull, AWS_SHARED_CREDENTIALS_FILE: devNull, ...settings });
}

/** Revokes a leaked key as its finder would: with the key in the body, and without an account or credentials. */
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
