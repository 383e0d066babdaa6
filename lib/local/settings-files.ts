import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { getCACertificates } from 'node:tls';
import { environmentSettings, shellLines } from '../domain/service-accounts/client-settings.ts';
import type { IdentityIssuers } from './oidc/issuers.ts';
import { seedNames } from './seed.ts';

/**
 * The folder with the settings for clients. It is created in the folder in which the service was started. Git ignores
 * it.
 */
export const settingsFolder = '.sluice';

interface ServiceUrls {
  apiUrl: string;
  dataUrl: string;
  identity: Pick<IdentityIssuers, 'url' | 'people'>;
  /** The certificate that clients must trust. Undefined if the service does not use https. */
  authority: string | undefined;
}

function keyFile(): string {
  return path.resolve(settingsFolder, 'nightly-sync.key');
}

export async function readStoredKey(): Promise<string | undefined> {
  const text = await readFile(keyFile(), 'utf8').catch(() => undefined);
  return text?.trim();
}

function trustFile(): string {
  return path.resolve(settingsFolder, 'trusted.pem');
}

/**
 * Environment variables in which clients expect the file with trusted certificates. In this order, they are read by:
 * AWS CLI and boto3; Go, Python, and OpenSSL; Node; curl and GDAL.
 */
const trustVariables = ['AWS_CA_BUNDLE', 'SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS', 'CURL_CA_BUNDLE'];

/**
 * Returns the settings with which an unmodified AWS client signs in. With https, they include the trusted certificates.
 * The user can paste them into a shell or source them from a file.
 */
export function clientSettings({ dataUrl, authority }: Pick<ServiceUrls, 'dataUrl' | 'authority'>) {
  const trust: Record<string, string> =
    authority === undefined ? {} : Object.fromEntries(trustVariables.map((name) => [name, trustFile()]));
  const { service_account_id } = seedNames;
  return {
    ...environmentSettings({ service_account_id, data_proxy_url: dataUrl }, keyFile()),
    ...trust,
  };
}

/**
 * Writes the service's URLs to files. For a seeded service, also writes client settings and a key. Only the user can
 * read the files.
 */
export async function writeSettings(
  { apiUrl, dataUrl, identity, authority }: ServiceUrls,
  key: string | undefined,
): Promise<void> {
  await mkdir(settingsFolder, { recursive: true, mode: 0o700 });
  const trust = authority === undefined ? {} : { trusted_certificates_file: trustFile() };
  const urls = {
    api_url: apiUrl,
    data_url: dataUrl,
    identity_url: identity.url,
    people_issuer: identity.people.issuer,
    site_client_id: identity.people.client_id,
    data_client_id: identity.people.data_client_id,
    ...trust,
  };
  const { admin, user, ...seeded } = seedNames;
  const details =
    key === undefined
      ? urls
      : {
          ...urls,
          ...seeded,
          admin_identity_id: admin.identity_id,
          admin_account_id: admin.account_id,
          user_identity_id: user.identity_id,
          user_account_id: user.account_id,
          key_file: keyFile(),
          env_file: path.resolve(settingsFolder, 'env'),
        };
  await writePrivate('local.json', `${JSON.stringify(details, null, 2)}\n`);
  if (authority !== undefined) {
    // The file must include the usual certificates. In most clients, the setting replaces the usual certificates, and
    // commands in the same shell may connect to other hosts.
    await writePrivate('trusted.pem', [authority, ...getCACertificates('bundled')].join('\n'));
  }
  if (key === undefined) return;
  const settings = clientSettings({ dataUrl, authority });
  await writePrivate('env', shellLines(settings));
  await writePrivate('env.fish', shellLines(settings).replace(/^export (\w+)=/gm, 'set -gx $1 '));
  await writePrivate('env.ps1', powerShellLines(settings));
  await writePrivate('nightly-sync.key', `${key}\n`);
}

function powerShellLines(settings: Readonly<Record<string, string>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `$env:${name} = '${value.replaceAll("'", "''")}'\n`)
    .join('');
}

async function writePrivate(name: string, text: string): Promise<void> {
  await writeFile(path.resolve(settingsFolder, name), text, { mode: 0o600 });
}
