import { readFileSync } from 'node:fs';
import path from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { parseArgs } from 'node:util';
import type * as z from 'zod';
import { limits } from '../lib/domain/limits.ts';
import { shellLines } from '../lib/domain/service-accounts/client-settings.ts';
import { defaultSite, siteSchema } from '../lib/domain/site.ts';
import { type DynamoDbEngine, startDynamoDbEngine } from '../lib/local/dynamodb/engine.ts';
import { publishExampleCatalogue } from '../lib/local/example-catalogue/publish.ts';
import { LocalStartError } from '../lib/local/ports.ts';
import { createSeedVersion, isSeedKey, seed, seededUsers, seedNames } from '../lib/local/seed.ts';
import { publishSeedData } from '../lib/local/seed-data.ts';
import type { LocalService } from '../lib/local/service.ts';
import { type LocalServiceOptions, localDataCiteSchema } from '../lib/local/service-options.ts';
import { clientSettings, readStoredKey, writeSettings } from '../lib/local/settings-files.ts';
import { startPhase } from '../lib/local/start-phases.ts';
import { createRequestLines, type Verbosity } from './terminal/request-lines.ts';

/** The names of all settings that were read during this start. */
const knownSettings = new Set<string>();

const endTimeoutMs = 2000;
const orphanCheckMs = 250;

/** Ends this process. The database engine ends as well, because it watches its parent process. */
let end = (): void => process.exit(0);
endWithParent();

try {
  await main();
} catch (error) {
  const sentence = sentenceFor(error);
  if (sentence === undefined) throw error;
  console.error(sentence);
  process.exit(1);
}

/**
 * Ends this process when its parent process has ended. npm passes a signal only to its shell, and some shells do not
 * pass it on to the command.
 */
function endWithParent(): void {
  if (process.env['npm_lifecycle_event'] === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    end();
  }, orphanCheckMs).unref();
}

async function main(): Promise<void> {
  const { https, verbosity } = readArguments();
  const isSeeded = readSeeded();
  const settings = readOptions();
  warnOfUnknownSettings();
  await requireStore(settings.storage);
  console.log('Starting Sluice: identity issuers, object store, database engine, management API, data proxy …');
  // Print no request lines during the start, because the start sends these requests itself.
  let shown: Verbosity = 'quiet';
  const log = createRequestLines(() => shown);
  const users = isSeeded ? seededUsers : seededUsers.slice(0, 1);
  const engine = settings.dynamodb === undefined ? startEngine(settings) : undefined;
  // Import the service only now, because loading its code takes a second. During this time, the engine already starts.
  // A mistyped setting is refused before.
  const { startLocalService } = await startPhase('code of the service', () => import('../lib/local/service.ts'));
  const service = await startLocalService({ ...settings, https, users, log, engine, repositoryJobsEveryMinutes: 0.1 });
  end = () => {
    setTimeout(() => process.exit(0), endTimeoutMs);
    void service
      .close()
      .then(async () => (await engine)?.close())
      .then(() => process.exit(0));
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, end);
  const { apiUrl, dataUrl, identity, authority } = service;
  if (authority !== undefined) setDefaultCACertificates([...getCACertificates('default'), authority]);
  if (isSeeded) console.log('Seeding it: two users, three organizations, ten repositories, a service account …');
  const key = isSeeded ? await plantSeed(service) : undefined;
  await writeSettings({ apiUrl, dataUrl, identity, authority }, key);

  const seconds = (performance.now() / 1000).toFixed(1);
  console.log(`
Sluice runs on this machine (started in ${seconds} s; Ctrl-C ends it)

  pages               ${apiUrl}/    for a browser; to publish: ${apiUrl}/-/console
  management API      ${apiUrl}/api/v1    reference ${apiUrl}/api/v1/docs
  data proxy          ${dataUrl}    credential exchange ${dataUrl}/.sts
  identity issuers    ${identity.url}    people: ${identity.people.issuer} (scripts: POST /people/token), CI: GET /ci/token
`);
  if (isSeeded) console.log(whatToTry(service));
  if (verbosity !== 'quiet') console.log('Requests (npm start -- --quiet shows none, --verbose shows more):\n');
  shown = verbosity;
}

/** Starts the database engine. The service waits for the engine later, and reports if it failed. */
function startEngine({ dataDirectory, javaHome }: LocalServiceOptions): Promise<DynamoDbEngine> {
  const directory = dataDirectory && path.join(dataDirectory, 'dynamodb');
  const engine = startPhase('database engine', () => startDynamoDbEngine({ directory, javaHome }));
  engine.catch(() => undefined);
  return engine;
}

function whatToTry(service: LocalService): string {
  const { organization_id, data_repository_id, open_repository_id } = seedNames;
  return `Settings of a stock AWS client for the service account (also in .sluice/env, .sluice/env.fish and .sluice/env.ps1):

${shellLines(clientSettings(service))}
Try in another terminal:

  npm run demo
  curl ${service.dataUrl}/${organization_id}/${data_repository_id}/README.md
  . .sluice/env && aws s3 cp package.json s3://${organization_id}/${open_repository_id}/
`;
}

async function plantSeed(service: LocalService): Promise<string> {
  const { apiUrl, dataUrl, identity, storage } = service;
  try {
    // Check the stored key before using it again. It may be revoked, or may come from a start with other data.
    const found = await readStoredKey();
    const storedKey = found !== undefined && (await isSeedKey(dataUrl, found)) ? found : undefined;
    const { key } = await startPhase('seed', () =>
      seed({ apiUrl, identityUrl: identity.url, storage, storedKey, withDataSet: true }),
    );
    await startPhase('data set', async () => {
      await publishSeedData({ dataUrl, key });
      await createSeedVersion({ apiUrl, identityUrl: identity.url });
    });
    await startPhase('example catalogue', () => publishExampleCatalogue(service));
    return key;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new LocalStartError(
      `The seed cannot be made over the data that is there (${reason}): put that right, or set SLUICE_SEED=none, or SLUICE_DATA_DIR to another folder.`,
      { cause },
    );
  }
}

function readOptions(): LocalServiceOptions {
  const endpoint = readSetting('SLUICE_DYNAMODB_ENDPOINT');
  return {
    hasVersionedStorage: true,
    apiPort: readPort('SLUICE_API_PORT', 8787),
    dataPort: readPort('SLUICE_DATA_PORT', 8788),
    identityPort: readPort('SLUICE_IDENTITY_PORT', 8789),
    dataDirectory: readSetting('SLUICE_DATA_DIR'),
    javaHome: readSetting('JAVA_HOME'),
    dynamodb:
      endpoint === undefined
        ? undefined
        : { endpoint, region: 'us-east-1', credentials: { accessKeyId: 'sluice', secretAccessKey: 'unchecked' } },
    corsOrigins: readOrigins(),
    accountLoopbackEndpoints: readSetting('SLUICE_ACCOUNT_LOOPBACK_ENDPOINTS') === 'allow',
    site:
      readFileSetting(
        'SLUICE_SITE_FILE',
        siteSchema,
        '{ "name": "Open Tides", "accent": "#0b6b82" }; docs/operating/configuration.md says what else the setting "site" takes',
      ) ?? defaultSite,
    dataCite: readFileSetting(
      'SLUICE_DATACITE_FILE',
      localDataCiteSchema,
      '{ "repositoryId": "TIDES.OPEN", "password": "…", "prefix": "10.5281" }; docs/operating/configuration.md describes the setting "dataCite"',
    ),
    storage: readStorage(),
    throttles: {
      per_ip_per_minute: readCount('SLUICE_EXCHANGES_PER_IP', limits.exchangesPerIpPerMinute),
      per_key_per_minute: readCount('SLUICE_EXCHANGES_PER_KEY', limits.exchangesPerKeyPerMinute),
    },
  };
}

function readArguments(): { https: boolean; verbosity: Verbosity } {
  const flag = { type: 'boolean', default: false } as const;
  try {
    const { https, quiet, verbose } = parseArgs({ options: { https: flag, quiet: flag, verbose: flag } }).values;
    return { https, verbosity: quiet ? 'quiet' : verbose ? 'verbose' : 'normal' };
  } catch (cause) {
    throw new LocalStartError(
      'The options are --https, --quiet and --verbose (npm start -- --https): leave out everything else.',
      { cause },
    );
  }
}

/**
 * Returns a setting from the environment. An empty text counts as not set, because an empty path, for example, would
 * mean the working directory.
 */
function readSetting(name: string): string | undefined {
  knownSettings.add(name);
  return process.env[name] || undefined;
}

/**
 * Warns about environment variables with unknown names, which are probably mistyped. A mistyped setting has no effect,
 * and the user could lose data that the service should have stored.
 */
function warnOfUnknownSettings(): void {
  const elsewhere = /^SLUICE_(?:VERIFY_.*|TEST_.*|URL|TOKEN|SETTINGS)$/;
  const unknown = Object.keys(process.env).filter(
    (name) => name.startsWith('SLUICE_') && !elsewhere.test(name) && !knownSettings.has(name),
  );
  if (unknown.length === 0) return;
  console.error(
    `Passed over, since npm start has no such setting or it needs another one: ${unknown.join(', ')}. docs/operating/one-machine.md has the settings there are.`,
  );
}

function readSeeded(): boolean {
  const text = readSetting('SLUICE_SEED');
  if (text === undefined || text === 'none') return text === undefined;
  throw new LocalStartError('SLUICE_SEED can be set to none, which starts empty: set it to that, or unset it.');
}

function readOrigins(): string[] {
  const origins = (readSetting('SLUICE_CORS_ORIGINS') ?? '').split(',').filter((origin) => origin !== '');
  if (origins.every((origin) => /^https?:\/\/[^/*\s]+$/.test(origin))) return origins;
  throw new LocalStartError(
    'SLUICE_CORS_ORIGINS must be origins without path or *, with commas between them, such as http://localhost:3000.',
  );
}

/** Reads a setting that is the name of a JSON file. The file has the form of a setting of a deployment. */
function readFileSetting<Schema extends z.ZodType>(
  name: string,
  schema: Schema,
  form: string,
): z.output<Schema> | undefined {
  const file = readSetting(name);
  if (file === undefined) return undefined;
  try {
    return schema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    throw new LocalStartError(`${name} must be a JSON file such as ${form}.`, { cause });
  }
}

function readStorage(): LocalServiceOptions['storage'] {
  const endpoint = readSetting('SLUICE_S3_ENDPOINT');
  if (endpoint === undefined) return undefined;
  return {
    endpoint,
    region: readSetting('SLUICE_S3_REGION') ?? 'us-east-1',
    bucket: readNeeded('SLUICE_S3_BUCKET'),
    access_key_id: readNeeded('SLUICE_S3_ACCESS_KEY_ID'),
    secret_access_key: readNeeded('SLUICE_S3_SECRET_ACCESS_KEY'),
  };
}

/**
 * Checks that the configured storage answers. Without this check, an error would appear only at the first request for
 * an object.
 */
async function requireStore(storage: LocalServiceOptions['storage']): Promise<void> {
  if (storage === undefined) return;
  try {
    await fetch(storage.endpoint, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(10_000) });
  } catch (cause) {
    throw new LocalStartError(
      `No object store answers at ${storage.endpoint}: start one there, or unset SLUICE_S3_ENDPOINT to use the embedded one.`,
      { cause },
    );
  }
}

function readNeeded(name: string): string {
  const value = readSetting(name);
  if (value === undefined) throw new LocalStartError(`SLUICE_S3_ENDPOINT needs ${name} too: set it and start again.`);
  return value;
}

function readPort(name: string, usual: number): number {
  const text = readSetting(name);
  if (text === undefined) return usual;
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) {
    throw new LocalStartError(
      `${name} must be a port from 0 to 65535 (0 picks a free one); it is set to something else.`,
    );
  }
  return port;
}

/** Reads a setting that is a number of requests per minute. */
function readCount(name: string, usual: number): number {
  const text = readSetting(name) ?? String(usual);
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new LocalStartError(`${name} must be a whole number from 1 to 999999999; it is set to something else.`);
}

/**
 * Returns a sentence for an error that the user can correct. Returns undefined for a bug, because the stack trace is
 * then useful.
 */
function sentenceFor(error: unknown): string | undefined {
  if (error instanceof LocalStartError) return error.message;
  if (!(error instanceof Error && 'code' in error && 'path' in error)) return undefined;
  return `${error.path} cannot be used (${error.code}): start in a folder that this user may write to, and set SLUICE_DATA_DIR to such a one.`;
}
