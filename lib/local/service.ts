import path from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { handler as exchangeCredentials } from '../../functions/edge/exchange-credentials.ts';
import { handler as serveObject } from '../../functions/edge/serve-object.ts';
import { handler as shapeResponse } from '../../functions/edge/shape-response.ts';
import { readLogo } from '../assets/logo.ts';
import type { BodyDecoding } from '../domain/data/decision.ts';
import type { AssumeRole } from '../domain/data/role-requests.ts';
import { identityPath, type StorageIssuer } from '../domain/data/web-identity.ts';
import { limits } from '../domain/limits.ts';
import type { SecretSource } from '../domain/secrets/secret-versions.ts';
import { defaultSite, type Site } from '../domain/site.ts';
import type { Clock } from '../domain/time.ts';
import { createRoleCredentialSource } from '../edge/assumed-roles.ts';
import { CachedDataAccess } from '../edge/cached-data-access.ts';
import { createStorageCheck } from '../edge/storage-check.ts';
import { StorageHealthReports } from '../edge/storage-health.ts';
import { createIssuerFetcher } from '../issuers/fetch-keys.ts';
import { createAssumeRole, issueStorageTokens } from '../lambda/aws/assume-role.ts';
import { createDataCite } from '../lambda/datacite.ts';
import { systemRandom } from '../lambda/random.ts';
import type { ConnectionServices, DoiServices, IssuerServices, SealingServices } from '../lambda/services.ts';
import { openTable } from '../lambda/table.ts';
import { managementCors } from '../operations/cors.ts';
import { resolveHost } from '../s3/connection-test/probe.ts';
import { DataAccessStore } from '../store/data-access.ts';
import { TableExchangeStore } from '../store/exchange.ts';
import type { RepositoryJobStore } from '../store/repositories/repository-jobs.ts';
import { TableRevocationFeed } from '../store/revocation-feed.ts';
import { StorageHealthStore } from '../store/storage-health.ts';
import { createStore, type Store } from '../store/store.ts';
import type { Table } from '../store/table.ts';
import { fetchJson } from '../sts/fetch-json.ts';
import { createIssuerKeyCache } from '../sts/issuer-keys.ts';
import { createPartnerKeyCache } from '../sts/partner-keys.ts';
import { createExchangeThrottle } from '../sts/throttle.ts';
import { createIdentityTokenVerifier } from '../sts/token-verifier.ts';
import { LocalAccessLog } from './access-log.ts';
import { startGateway } from './api-gateway/server.ts';
import { type LocalInvalidationQueue, type ScheduledFunction, startBackground } from './background-tasks.ts';
import { type LocalCertificate, openLocalCertificate } from './certificate.ts';
import type { ObjectCache } from './cloudfront/cache/object-cache.ts';
import { type Edge, type EdgeOptions, startEdge } from './cloudfront/server.ts';
import { type DynamoDbEndpoint, startDynamoDbEngine } from './dynamodb/engine.ts';
import type { StreamDelivery } from './dynamodb/stream-delivery.ts';
import { createTable, finishMigrations, requireRunningEngine } from './dynamodb/table.ts';
import type { TtlDeleter } from './dynamodb/ttl.ts';
import { openEdgeTable } from './edge-table.ts';
import { type LocalStorage, startEmbeddedStorage } from './embedded-storage.ts';
import { createFunctions, gatewayRoutes, runningAs } from './functions.ts';
import { openLocalSigner } from './identity-signer.ts';
import { type IdentityIssuers, startIdentityIssuers } from './oidc/issuers.ts';
import { createLocalUserTokens, localUserIssuer, userClientsOf, withStoredIssuer } from './oidc/user-tokens.ts';
import { createFixedSecret, createLocalConnectionSecrets, type LocalSecrets, openLocalSecrets } from './secrets.ts';
import type { LocalLogLine, LocalServiceOptions } from './service-options.ts';
import { createSiteDistribution, serveAsset } from './site-distribution.ts';
import { startPhase } from './start-phases.ts';
import { startSts } from './sts/server.ts';
import { originsOnThisMachine } from './web-server.ts';

export interface LocalService {
  apiUrl: string;
  dataUrl: string;
  /** The certificate (PEM) that clients must trust. Undefined without https. */
  authority: string | undefined;
  identity: IdentityIssuers;
  storage: LocalStorage;
  /** The emulator of AWS STS and IAM roles. */
  stsUrl: string;
  services: ManagementServices;
  /** Delivers the table's changes to the stream consumers. */
  stream: StreamDelivery;
  ttl: TtlDeleter;
  /** The cache of the distribution in front of the data proxy. */
  cache: ObjectCache;
  /** The cache of the distribution in front of the site. */
  pageCache: ObjectCache;
  /** The queue of cache invalidations. */
  invalidations: LocalInvalidationQueue;
  /** The scheduled function that fetches the signing keys of registered issuers again. */
  issuerKeys: ScheduledFunction;
  /** The scheduled function that counts the reads of repositories. */
  usage: ScheduledFunction;
  /** The scheduled function that runs the background jobs of repositories. */
  repositoryJobs: ScheduledFunction;
  /** The background jobs in the table. */
  repositoryJobStore: RepositoryJobStore;
  close(): Promise<void>;
}

/**
 * Starts the complete service on this machine. It runs the same functions as a deployment, with emulators of API
 * Gateway, CloudFront, DynamoDB, S3, and two OpenID Connect issuers. All servers listen on 127.0.0.1.
 *
 * @throws LocalStartError when a part cannot start; parts that have started are ended again
 */
export async function startLocalService(options: LocalServiceOptions = {}): Promise<LocalService> {
  const started = new AsyncDisposableStack();
  try {
    return await start(options, started);
  } catch (error) {
    await started.disposeAsync();
    throw error;
  }
}

/** The options and helpers that all parts of the local service need. */
interface Setup {
  options: LocalServiceOptions;
  clock: Clock;
  site: Site;
  userIssuer: string;
  openDataCacheSeconds: number;
  certificate: LocalCertificate | undefined;
  log: (line: LocalLogLine) => void;
  report: (source: string) => (failure: unknown) => void;
  /**
   * The URLs of the two servers. A URL is empty until its server has started. Because the servers refer to each other,
   * each reads these URLs only when it answers a request.
   */
  urls: { api: string; data: string };
  started: AsyncDisposableStack;
}

async function start(options: LocalServiceOptions, started: AsyncDisposableStack): Promise<LocalService> {
  const { clock = Date.now, dataDirectory, log = () => undefined } = options;
  const secrets = await openLocalSecrets(dataDirectory);
  const setup: Setup = {
    options,
    clock,
    site: options.site ?? defaultSite,
    userIssuer: options.userIssuer ?? localUserIssuer,
    openDataCacheSeconds: options.openDataCacheSeconds ?? limits.openDataCacheSeconds,
    certificate: options.https ? await openLocalCertificate(dataDirectory, clock) : undefined,
    log,
    report: (source) => (failure) => log({ source, failure }),
    urls: { api: '', data: '' },
    started,
  };
  // Start servers with fixed ports first. If a port is in use, the error then appears before the engine starts, which
  // takes two seconds.
  const identity = await startPhase('identity issuers', () => startIssuers(setup));
  const storage =
    options.storage ??
    (await startPhase('object store', () =>
      startEmbeddedStorage(options, secrets.object_store_secret, clock, started),
    ));
  const secretSources = options.rotatingSecrets ?? {
    apiKeyMasters: createFixedSecret(secrets.api_key_master),
    sessionKeys: createFixedSecret(secrets.session_key),
  };
  const tables = await openTables(setup);
  const sts = await startSts({ lent: storage.lent, clock });
  started.defer(() => sts.close());
  const storageIssuer = {
    deploymentId: 'local',
    signer: await openLocalSigner(dataDirectory),
    get issuer() {
      return setup.urls.data + identityPath;
    },
  };
  const services = createServices(setup, { identity, tables, secrets, secretSources, storageIssuer, stsUrl: sts.url });
  const { gateway, distribution } = await startPhase('management API', () => startApi(setup, services, identity));
  const { usage } = createStore(openTable(tables.backgroundClient, tables.table_name));
  const accessLog = new LocalAccessLog(dataDirectory, usage, clock);
  started.defer(() => accessLog.close());
  const edge = await startPhase('data proxy', () => startDataProxy(setup, services, { identity, tables, accessLog }));
  const caches = { objects: edge.cache, pages: distribution.cache };
  const { fetchIssuerKeys } = services;
  const storageAccess = {
    secrets: services.connectionSecrets,
    roles: createRoleCredentialSource(services.assumeRole, storageIssuer.deploymentId, clock),
  };
  const { repositoryJobsEveryMinutes } = options;
  const background = startBackground(
    { ...tables, clock, log, caches, fetchIssuerKeys, storageAccess, repositoryJobsEveryMinutes, accessLog },
    started,
  );
  return {
    apiUrl: gateway.url,
    dataUrl: edge.url,
    authority: setup.certificate?.authority,
    identity,
    storage,
    stsUrl: sts.url,
    services,
    ...background,
    cache: edge.cache,
    pageCache: distribution.cache,
    close: () => started.disposeAsync(),
  };
}

async function startIssuers({ options, clock, site, report, urls, started }: Setup): Promise<IdentityIssuers> {
  const { dataDirectory } = options;
  const identity = await startIdentityIssuers({
    port: options.identityPort ?? 0,
    clock,
    users: options.users ?? [],
    siteOrigins: () => [...originsOnThisMachine(urls.api), ...(options.corsOrigins ?? [])],
    site,
    report: report('identity'),
    ...(dataDirectory === undefined ? {} : { directory: path.join(dataDirectory, 'identity') }),
  });
  started.defer(() => identity.close());
  return identity;
}

interface Tables {
  dynamodb: DynamoDbEndpoint;
  table_name: string;
  stream_arn: string;
  /** The DynamoDB table, opened with the client that edge functions use. */
  edgeTable: Table;
  /** The table client of the management functions. */
  client: DynamoDBClient;
  store: Store;
  /**
   * The table client of the background tasks. As in a deployment, it is separate, so that tests can count the requests
   * of functions without those of background tasks.
   */
  backgroundClient: DynamoDBClient;
}

async function openTables({ options, clock, report, started }: Setup): Promise<Tables> {
  const { tableName: table_name = 'sluice' } = options;
  const dynamodb = options.dynamodb ?? (await (options.engine ?? startEngine(options, started)));
  const client = new DynamoDBClient(dynamodb);
  started.defer(() => client.destroy());
  if (options.dynamodb !== undefined) await requireRunningEngine(client, dynamodb.endpoint);
  const { stream_arn } = await startPhase('table', () => createTable(client, { table_name }));
  // The engine belongs to this process, so no other release of the service uses its data. All migrations can therefore
  // be completed.
  if (options.dynamodb === undefined) {
    await startPhase('migrations', () => finishMigrations(client, { table_name, clock, report: report('migrations') }));
  }
  const atEdge = openEdgeTable(dynamodb, table_name, options.instrument);
  started.defer(() => atEdge.close());
  options.instrument?.(client);
  const store = createStore(openTable(client, table_name));
  const backgroundClient = new DynamoDBClient(dynamodb);
  started.defer(() => backgroundClient.destroy());
  options.instrumentBackground?.(backgroundClient);
  return { dynamodb, table_name, stream_arn, edgeTable: atEdge.table, client, store, backgroundClient };
}

/** Starts an engine that ends with this process. If there is a data folder, the engine stores its tables there. */
async function startEngine({ dataDirectory, javaHome }: LocalServiceOptions, started: AsyncDisposableStack) {
  const directory = dataDirectory && path.join(dataDirectory, 'dynamodb');
  const engine = await startDynamoDbEngine({ directory, javaHome });
  started.defer(() => engine.close());
  return engine;
}

type ManagementServices = ConnectionServices & SealingServices & IssuerServices & Pick<DoiServices, 'doiRegistry'>;

function createServices(
  { options, clock, userIssuer, log, urls }: Setup,
  {
    identity,
    tables: { store },
    secrets,
    secretSources: { apiKeyMasters, sessionKeys },
    storageIssuer,
    stsUrl,
  }: {
    storageIssuer: StorageIssuer;
    stsUrl: string;
    identity: IdentityIssuers;
    tables: Tables;
    secrets: LocalSecrets;
    secretSources: { apiKeyMasters: SecretSource; sessionKeys: SecretSource };
  },
): ManagementServices {
  const keysUrl = options.secretScanningKeysUrl;
  const resolve = options.resolveHost ?? resolveHost;
  const connectionSecrets = createLocalConnectionSecrets(secrets.connection_key);
  return {
    store,
    requestData: store.requestData,
    idempotency: store.idempotency,
    userTokens: createLocalUserTokens(identity.people, userIssuer),
    apiKeyMasters,
    adminIdentityIds: new Set(options.adminIdentityIds ?? ['admin']),
    connectionSecrets: options.instrumentSecrets?.(connectionSecrets) ?? connectionSecrets,
    storageIssuer,
    assumeRole: options.assumeRole ?? localAssumeRole(stsUrl, storageIssuer, clock),
    resolveHost: resolve,
    fetchIssuerKeys: options.fetchIssuerKeys ?? createIssuerFetcher({ resolveHost: resolve, allowsLoopback: true }),
    userIssuer: identity.people.issuer,
    sessionKeys,
    ciIssuers: [{ issuer: identity.ci.issuer, kind: 'github', algorithms: ['RS256'] }, ...(options.ciIssuers ?? [])],
    dataProxy: () => ({ url: urls.data, audience: urls.data }),
    accountConnections: options.accountConnections ?? 'on',
    allowsLoopbackEndpoints: true,
    allowsAccountLoopbackEndpoints: options.accountLoopbackEndpoints ?? false,
    doiRegistry:
      options.dataCite &&
      createDataCite({
        ...options.dataCite,
        readPassword: async () => options.dataCite?.password ?? '',
        siteUrl: () => urls.api,
      }),
    deploymentHosts: () => [urls.api, urls.data].map((url) => new URL(url).hostname),
    ...(keysUrl === undefined ? {} : { findPartnerKey: createPartnerKeyCache({ keysUrl, fetchJson, clock }) }),
    clock,
    random: systemRandom,
    log,
  };
}

/** Starts the management API and the site, with a distribution in front of them. */
async function startApi(setup: Setup, services: ManagementServices, identity: IdentityIssuers) {
  const { options, clock, site, certificate, openDataCacheSeconds, log, report, urls, started } = setup;
  const logo = site.logo === undefined ? undefined : readLogo(site.logo);
  const distribution = createSiteDistribution(clock);
  const gateway = await startGateway({
    port: options.apiPort ?? 0,
    portSetting: 'SLUICE_API_PORT',
    certificate,
    routes: gatewayRoutes,
    cors: { origins: options.corsOrigins ?? [], ...managementCors },
    serveFile: (request) => serveAsset(request, logo),
    distribution: distribution.serve,
    invoke: createFunctions(services, identity.people, {
      site: () => ({ ...site, url: urls.api, logoFile: logo?.name }),
      openDataCacheSeconds,
    }),
    clock,
    random: systemRandom,
    onError: (name, error) => report(name)(error),
    onAccess: (access) => log({ access }),
  });
  started.defer(() => gateway.close());
  urls.api = gateway.url;
  return { gateway, distribution };
}

/** Starts the data proxy: the edge functions, with a distribution in front of them. */
async function startDataProxy(setup: Setup, services: ManagementServices, parts: EdgeParts): Promise<Edge> {
  const { options, clock, certificate, log, report, urls, started } = setup;
  const decodings = new Map<string, BodyDecoding>();
  const edge = await startEdge({
    port: options.dataPort ?? 0,
    portSetting: 'SLUICE_DATA_PORT',
    certificate,
    handlers: createEdgeHandlers(setup, services, parts, decodings),
    viewerSettings: { siteUrl: urls.api, virtualHostBase: 'localhost' },
    takeDecoding: (requestId) => {
      const decoding = decodings.get(requestId);
      decodings.delete(requestId);
      return decoding;
    },
    random: systemRandom,
    clock,
    onError: report('edge'),
    onAccess: (access) => log({ access }),
    onLogged: (line) => parts.accessLog.add(line),
  });
  started.defer(() => edge.close());
  urls.data = edge.url;
  return edge;
}

interface EdgeParts {
  identity: IdentityIssuers;
  tables: Tables;
  accessLog: LocalAccessLog;
}

function createEdgeHandlers(
  setup: Setup,
  services: ManagementServices,
  parts: EdgeParts,
  decodings: Map<string, BodyDecoding>,
): EdgeOptions['handlers'] {
  const { clock, site, certificate, openDataCacheSeconds, report, urls } = setup;
  const { sessionKeys, apiKeyMasters, connectionSecrets } = services;
  const { edgeTable } = parts.tables;
  const log = ({ failure }: { failure: unknown }) => report('edge')(failure);
  const roles = createRoleCredentialSource(services.assumeRole, services.storageIssuer?.deploymentId ?? '', clock);
  const exchange = createExchange(setup, services, parts);
  const siteInLinks = { name: site.name, accent: site.accent, url: urls.api };
  const storageHealth = new StorageHealthReports(new StorageHealthStore(edgeTable), clock, report('storage health'));
  const object = serveObject.withServices({
    clock,
    storageHealth,
    access: new CachedDataAccess(
      new DataAccessStore(edgeTable),
      { secrets: connectionSecrets, roles: storageHealth.watching(roles) },
      clock,
      {
        feed: new TableRevocationFeed(edgeTable),
        report: report('feed'),
      },
    ),
    sessionKeys,
    apiKeyMasters,
    virtualHostBase: 'localhost',
    protocol: certificate === undefined ? 'http' : 'https',
    log,
    site: siteInLinks,
    ...(services.storageIssuer === undefined ? {} : { storageIssuer: services.storageIssuer }),
    decodeBody: (requestId, decoding) => void decodings.set(requestId, decoding),
    loadExchange: async () => exchange,
  });
  const checkStorage = createStorageCheck(clock, storageHealth);
  const shape = shapeResponse.withServices({ checkStorage, clock, openDataCacheSeconds, log, site: siteInLinks });
  return {
    exchangeCredentials: runningAs('exchange-credentials', exchange),
    serveObject: runningAs('serve-object', object),
    shapeResponse: runningAs('shape-response', shape),
  };
}

/** Creates the same credential exchange as in a deployment, but with the local issuers. */
function createExchange(
  { options, clock, userIssuer, report, urls }: Setup,
  { sessionKeys, ciIssuers }: ManagementServices,
  { identity, tables }: EdgeParts,
) {
  const identityTokens = createIdentityTokenVerifier({
    issuers: ciIssuers,
    userClients: async () => userClientsOf(identity.people),
    findKeys: createIssuerKeyCache({ fetchJson, clock }),
    clock,
  });
  const { exchangesPerIpPerMinute: per_ip_per_minute, exchangesPerKeyPerMinute: per_key_per_minute } = limits;
  return exchangeCredentials.withServices({
    clock,
    random: systemRandom,
    store: new TableExchangeStore(tables.edgeTable),
    sessionKeys,
    identityTokens: withStoredIssuer(identityTokens, userIssuer),
    throttle: createExchangeThrottle({ per_ip_per_minute, per_key_per_minute, ...options.throttles }, clock),
    audience: () => urls.data,
    log: ({ failure }) => report('edge')(failure),
  });
}

/** Assumes roles at the emulator of STS, with tokens of the local issuer. */
function localAssumeRole(endpoint: string, storageIssuer: StorageIssuer, clock: Clock): AssumeRole {
  const credentials = () => ({ access_key_id: 'LOCAL', secret_access_key: 'local' });
  const options = { endpoint, region: 'us-east-1', credentials, triesMax: 1 };
  return createAssumeRole(options, issueStorageTokens(storageIssuer, clock));
}
