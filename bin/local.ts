import { seed } from '../lib/local/seed.ts';
import { type LocalLogLine, type LocalServiceOptions, startLocalService } from '../lib/local/service.ts';
import { clientSettings, exportLines, readKeptKey, writeSettings } from '../lib/local/settings-files.ts';
import { LocalStartError } from '../lib/local/start-error.ts';

try {
  await main();
} catch (error) {
  if (!(error instanceof LocalStartError)) throw error;
  console.error(error.message);
  process.exit(1);
}

async function main(): Promise<void> {
  const startedAt = performance.now();
  const service = await startLocalService(readOptions());
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => void service.close().then(() => process.exit(0)));
  }
  const { apiUrl, dataUrl, identity } = service;
  const isSeeded = process.env['SLUICE_SEED'] !== 'none';
  const key = isSeeded
    ? (await seed({ apiUrl, identityUrl: identity.url, storage: service.storage, keptKey: await keptKey() })).key
    : undefined;
  await writeSettings({ apiUrl, dataUrl, identityUrl: identity.url }, key);

  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`Sluice runs on this machine (started in ${seconds} s; Ctrl-C ends it)

  management API      ${apiUrl}/api/v1
  data proxy          ${dataUrl}    credential exchange ${dataUrl}/.sts
  identity issuers    ${identity.url}    people: POST /people/token, CI: GET /ci/token
`);
  if (isSeeded) {
    console.log(
      `Settings of a stock AWS client for the service account (also in .sluice/env):\n\n${exportLines(clientSettings(dataUrl))}`,
    );
  }
}

/** A key belongs to the data it was issued over: without a data directory every start issues a new one. */
async function keptKey(): Promise<string | undefined> {
  return process.env['SLUICE_DATA_DIR'] === undefined ? undefined : readKeptKey();
}

function readOptions(): LocalServiceOptions {
  const endpoint = process.env['SLUICE_DYNAMODB_ENDPOINT'];
  return {
    apiPort: readPort('SLUICE_API_PORT', 8787),
    dataPort: readPort('SLUICE_DATA_PORT', 8788),
    identityPort: readPort('SLUICE_IDENTITY_PORT', 8789),
    dataDirectory: process.env['SLUICE_DATA_DIR'],
    javaHome: process.env['JAVA_HOME'],
    dynamodb:
      endpoint === undefined
        ? undefined
        : { endpoint, region: 'us-east-1', credentials: { accessKeyId: 'sluice', secretAccessKey: 'unchecked' } },
    storage: readStorage(),
    log: printFailures,
  };
}

function readStorage(): LocalServiceOptions['storage'] {
  const endpoint = process.env['SLUICE_S3_ENDPOINT'];
  if (endpoint === undefined) return undefined;
  return {
    endpoint,
    region: process.env['SLUICE_S3_REGION'] ?? 'us-east-1',
    bucket: readNeeded('SLUICE_S3_BUCKET'),
    access_key_id: readNeeded('SLUICE_S3_ACCESS_KEY_ID'),
    secret_access_key: readNeeded('SLUICE_S3_SECRET_ACCESS_KEY'),
  };
}

function readNeeded(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '')
    throw new LocalStartError(`SLUICE_S3_ENDPOINT needs ${name} too: set it and start again.`);
  return value;
}

function readPort(name: string, usual: number): number {
  const text = process.env[name];
  if (text === undefined || text === '') return usual;
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) {
    throw new LocalStartError(
      `${name} must be a port from 0 to 65535 (0 picks a free one); it is set to something else.`,
    );
  }
  return port;
}

/** The terminal shows what went wrong inside; requests that were answered are not its business. */
function printFailures(line: LocalLogLine): void {
  const failure = 'failure' in line ? line.failure : line.cause;
  if (failure === undefined) return;
  const source = 'source' in line ? line.source : `${line.operation} ${line.request_id}`;
  console.error(`${source}:`, failure);
}
