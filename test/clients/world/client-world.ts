import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { S3Client } from '@aws-sdk/client-s3';
import type { LocalServiceOptions } from '../../../lib/local/service-options.ts';
import { type Credentials, roleArn, signIn } from '../../service/data-clients.ts';
import { type SeededService, startSeededService } from '../../service/seeded-service.ts';

export const schemes = ['http', 'https'] as const;
export type Scheme = (typeof schemes)[number];

/** A seeded service and what a client needs to work with it. */
export interface ClientWorld {
  service: SeededService;
  dataUrl: string;
  key: string;
  keyFile: string;
  /** For the files that a client reads and writes. */
  folder: string;
  /** How clients are told to trust the service: empty over http. */
  trust: Record<string, string>;
  /** The settings of sign-in by key (specification, 4.4), the second name of the region that some clients read, a home, trust. */
  settings: Record<string, string>;
  /** A config file with a profile `sluice` that says the same, for clients that read one, and a home and trust. */
  profile: Record<string, string>;
  /** For clients that take a fixed set of credentials. */
  credentials: Credentials;
  /** The same as the variables that most of them read. */
  fixedSettings: Record<string, string>;
  /** The store behind, to see what really got there. */
  storage: { client: S3Client; bucket: string };
  /** What to end with the service: software that was left running. */
  atClose: (() => void)[];
  close(): Promise<void>;
}

export async function startClientWorld(
  scheme: Scheme = 'http',
  options: { withDataSet?: boolean } & Pick<LocalServiceOptions, 'corsOrigins' | 'people'> = {},
): Promise<ClientWorld> {
  const service = await startSeededService({ https: scheme === 'https', ...options });
  const { dataUrl, key, authority } = service;
  const folder = await mkdtemp(path.join(tmpdir(), 'sluice-client-'));
  const keyFile = path.join(folder, 'nightly-sync.key');
  await writeFile(keyFile, `${key}\n`);
  await writeFile(path.join(folder, 'config'), profileText(dataUrl, keyFile));
  const trust = authority === undefined ? {} : trustSettings(path.join(folder, 'trusted.pem'));
  if (authority !== undefined) await writeFile(path.join(folder, 'trusted.pem'), authority);
  const home = { HOME: folder, ...trust };
  const common = { ...home, AWS_REGION: 'us-east-1', AWS_DEFAULT_REGION: 'us-east-1' };
  const credentials = await signIn(service, key);
  const { endpoint, region, bucket, access_key_id, secret_access_key } = service.storage;
  const client = new S3Client({
    endpoint,
    region,
    credentials: { accessKeyId: access_key_id, secretAccessKey: secret_access_key },
    forcePathStyle: true,
  });
  const atClose: ClientWorld['atClose'] = [];
  return {
    service,
    dataUrl,
    key,
    keyFile,
    folder,
    trust,
    settings: {
      ...common,
      AWS_ENDPOINT_URL_S3: dataUrl,
      AWS_ENDPOINT_URL_STS: `${dataUrl}/.sts`,
      AWS_ROLE_ARN: roleArn(),
      AWS_WEB_IDENTITY_TOKEN_FILE: keyFile,
    },
    profile: { ...home, AWS_CONFIG_FILE: path.join(folder, 'config'), AWS_PROFILE: 'sluice' },
    credentials,
    fixedSettings: {
      ...common,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      AWS_SESSION_TOKEN: credentials.sessionToken ?? '',
    },
    storage: { client, bucket },
    atClose,
    close: async () => {
      for (const end of atClose) end();
      client.destroy();
      await service.close();
      await rm(folder, { recursive: true });
    },
  };
}

function trustSettings(file: string): Record<string, string> {
  return { AWS_CA_BUNDLE: file, SSL_CERT_FILE: file, NODE_EXTRA_CA_CERTS: file, CURL_CA_BUNDLE: file };
}

function profileText(dataUrl: string, keyFile: string): string {
  return `[profile sluice]
region = us-east-1
role_arn = ${roleArn()}
web_identity_token_file = ${keyFile}
services = sluice

[services sluice]
s3 =
  endpoint_url = ${dataUrl}
sts =
  endpoint_url = ${dataUrl}/.sts
`;
}
