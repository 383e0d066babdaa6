import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { seedNames } from './seed.ts';

/** The folder, below the one the service was started in, that tells clients how to reach it. Ignored by git. */
export const settingsFolder = '.sluice';

interface Addresses {
  apiUrl: string;
  dataUrl: string;
  identityUrl: string;
}

export function keyFile(): string {
  return path.resolve(settingsFolder, 'nightly-sync.key');
}

export async function readKeptKey(): Promise<string | undefined> {
  const text = await readFile(keyFile(), 'utf8').catch(() => undefined);
  return text?.trim();
}

/** The five settings that a stock AWS client signs in with, ready to be sourced or pasted. */
export function clientSettings(dataUrl: string): Record<string, string> {
  return {
    AWS_REGION: 'us-east-1',
    AWS_ENDPOINT_URL_S3: dataUrl,
    AWS_ENDPOINT_URL_STS: `${dataUrl}/.sts`,
    AWS_ROLE_ARN: `arn:aws:iam::${seedNames.service_account_id}:role/FullAccess`,
    AWS_WEB_IDENTITY_TOKEN_FILE: keyFile(),
  };
}

export function exportLines(settings: Record<string, string>): string {
  return Object.entries(settings)
    .map(
      ([name, value]) =>
        `export ${name}=${/^[\w./:@-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`}\n`,
    )
    .join('');
}

/** Writes the addresses and, of a seeded service, its settings and key. Readable by the user alone. */
export async function writeSettings(
  { apiUrl, dataUrl, identityUrl }: Addresses,
  key: string | undefined,
): Promise<void> {
  await mkdir(settingsFolder, { recursive: true, mode: 0o700 });
  const addresses = { api_url: apiUrl, data_url: dataUrl, identity_url: identityUrl };
  const { admin, person, ...seeded } = seedNames;
  const details =
    key === undefined
      ? addresses
      : {
          ...addresses,
          ...seeded,
          admin_identity_id: admin.identity_id,
          admin_account_id: admin.account_id,
          person_identity_id: person.identity_id,
          person_account_id: person.account_id,
          key_file: keyFile(),
          env_file: path.resolve(settingsFolder, 'env'),
        };
  await writePrivate('local.json', `${JSON.stringify(details, null, 2)}\n`);
  if (key === undefined) return;
  await writePrivate('env', exportLines(clientSettings(dataUrl)));
  await writePrivate('nightly-sync.key', `${key}\n`);
}

async function writePrivate(name: string, text: string): Promise<void> {
  await writeFile(path.resolve(settingsFolder, name), text, { mode: 0o600 });
}
