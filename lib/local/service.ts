import path from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { handler as serveObject } from '../../functions/edge/serve-object.ts';
import { handler as shapeResponse } from '../../functions/edge/shape-response.ts';
import { readLogo } from '../assets/logo.ts';
import type { CiIssuer } from '../domain/ci/issuers.ts';
import type { BodyDecoding } from '../domain/data/decision.ts';
import { limits } from '../domain/limits.ts';
import { defaultSite } from '../domain/site.ts';
import { type AssumeRole, createRoleCredentialSource } from '../edge/assumed-roles.ts';
import { createBucketWatch } from '../edge/bucket-watch.ts';
import { CachedDataAccess } from '../edge/cached-data-access.ts';
import { systemRandom } from '../lambda/random.ts';
import { resolveHost } from '../lambda/resolve-host.ts';
import { openTable } from '../lambda/table.ts';
import { createPartnerKeyCache } from '../management/partner-keys.ts';
import type { ConnectionServices, SealingServices } from '../management/services.ts';
import { managementCors } from '../operations/cors.ts';
import { DataAccessStore } from '../store/data-access.ts';
import { TableRevocationFeed } from '../store/revocation-feed.ts';
import { createStore } from '../store/store.ts';
import { fetchJson } from '../sts/fetch-json.ts';
import type { AccessLogEntry } from './access-log.ts';
import { startGateway } from './api-gateway/server.ts';
import { startBackground } from './background-tasks.ts';
import { openLocalCertificate } from './certificate.ts';
import type { ObjectCache } from './cloudfront/cache/object-cache.ts';
import { startEdge } from './cloudfront/server.ts';
import { startEmbeddedEngine } from './dynamodb/embedded-engine.ts';
import { requireRunningEngine } from './dynamodb/external-engine.ts';
import { finishMigrations } from './dynamodb/migrations.ts';
import type { StreamDelivery } from './dynamodb/stream-delivery.ts';
import { createTable } from './dynamodb/table.ts';
import type { TtlDeleter } from './dynamodb/ttl.ts';
import { openEdgeTable } from './edge-table.ts';
import { type LocalStorage, startEmbeddedStorage } from './embedded-storage.ts';
import { createLocalExchange } from './exchange.ts';
import { gatewayRoutes, loadFunctions } from './functions.ts';
import type { InvalidationQueue } from './invalidation-queue.ts';
import { originsOnThisMachine } from './loopback-host.ts';
import { type IdentityIssuers, startIdentityIssuers } from './oidc/issuers.ts';
import { createLocalPersonTokens, localPeopleIssuer } from './oidc/person-tokens.ts';
import { runningAs } from './running-function.ts';
import { createFixedSecret, createLocalConnectionSecrets, openLocalSecrets } from './secrets.ts';
import type { LocalServiceOptions } from './service-options.ts';
import { serveAsset } from './site-assets.ts';
import { createSiteDistribution } from './site-distribution.ts';

export interface LocalService {
  apiUrl: string;
  dataUrl: string;
  /** With https, the certificate (PEM) that clients must trust. */
  authority: string | undefined;
  identity: IdentityIssuers;
  storage: LocalStorage;
  /** Services of the management functions. */
  services: ConnectionServices & SealingServices;
  /** Delivers the table's changes to the stream consumers. */
  stream: StreamDelivery;
  ttl: TtlDeleter;
  /** Cache of the data proxy's edge. */
  cache: ObjectCache;
  /** Cache of the site. */
  pageCache: ObjectCache;
  /** Queue of invalidations. */
  closings: InvalidationQueue;
  close(): Promise<void>;
}

/**
 * Starts the whole service on this machine: the deployed functions behind emulators of API Gateway, CloudFront,
 * DynamoDB, S3 and two OpenID Connect issuers. Everything listens on 127.0.0.1.
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

async function start(options: LocalServiceOptions, started: AsyncDisposableStack): Promise<LocalService> {
  const { clock = Date.now, dataDirectory, tableName = 'sluice', log = () => undefined, site = defaultSite } = options;
  const { peopleIssuer = localPeopleIssuer } = options;
  const report = (source: string) => (failure: unknown) => log({ source, failure });
  const onAccess = (access: AccessLogEntry) => log({ access });
  const logo = site.logo === undefined ? undefined : readLogo(site.logo);
  const secrets = await openLocalSecrets(dataDirectory);
  const certificate = options.https ? await openLocalCertificate(dataDirectory, clock) : undefined;
  // Servers with fixed ports start first, so that a taken port is reported before the engine starts, which takes two
  // seconds.
  const identity = await startIdentityIssuers({
    port: options.identityPort ?? 0,
    clock,
    people: options.people ?? [],
    // Read after everything has started.
    siteOrigins: () => [...originsOnThisMachine(gateway.url), ...(options.corsOrigins ?? [])],
    site,
    report: report('identity'),
    ...(dataDirectory === undefined ? {} : { directory: path.join(dataDirectory, 'identity') }),
  });
  started.defer(() => identity.close());
  const { storage, store: inProcessOrigin } =
    options.storage === undefined
      ? await startEmbeddedStorage(dataDirectory, secrets.object_store_secret, clock, started)
      : { storage: options.storage, store: undefined };
  const dynamodb = options.dynamodb ?? (await startEmbeddedEngine(options, started));

  const { apiKeyMasters, sessionKeys } = options.rotatingSecrets ?? {
    apiKeyMasters: createFixedSecret(secrets.api_key_master),
    sessionKeys: createFixedSecret(secrets.session_key),
  };
  const client = new DynamoDBClient(dynamodb);
  started.defer(() => client.destroy());
  if (options.dynamodb !== undefined) await requireRunningEngine(client, dynamodb.endpoint);
  const { stream_arn } = await createTable(client, { table_name: tableName });
  // No other release uses an engine of this process, so its data can be brought up to date.
  if (options.dynamodb === undefined) {
    const known = { userIssuer: peopleIssuer, apiKeyMasters };
    await finishMigrations(client, { table_name: tableName, ...known, clock, report: report('migrations') });
  }
  const atEdge = openEdgeTable(dynamodb, tableName, options.instrument);
  started.defer(() => atEdge.close());
  options.instrument?.(client);
  const table = openTable(client, tableName);
  const store = createStore(table, clock);
  // Background tasks have their own client, as in a deployment. Its requests do not count as those of requests.
  const background = new DynamoDBClient(dynamodb);
  started.defer(() => background.destroy());
  options.instrumentBackground?.(background);
  const feed = new TableRevocationFeed(atEdge.table);
  const ciIssuers: CiIssuer[] = [
    { issuer: identity.ci.issuer, kind: 'github', algorithms: ['RS256'] },
    ...(options.ciIssuers ?? []),
  ];
  const keysUrl = options.secretScanningKeysUrl;
  const ownSecrets = createLocalConnectionSecrets(secrets.connection_key);
  const connectionSecrets = options.instrumentSecrets?.(ownSecrets) ?? ownSecrets;

  const services: ConnectionServices & SealingServices = {
    store,
    facts: store.facts,
    idempotency: store.idempotency,
    personTokens: createLocalPersonTokens(identity.people, peopleIssuer),
    apiKeyMasters,
    adminIdentityIds: new Set(options.adminIdentityIds ?? ['admin']),
    connectionSecrets,
    resolveHost: options.resolveHost ?? resolveHost,
    sessionKeys,
    ciIssuers,
    // Read after everything has started.
    dataProxy: () => ({ url: edge.url, audience: edge.url }),
    allowsLoopbackEndpoints: true,
    ...(keysUrl === undefined ? {} : { findPartnerKey: createPartnerKeyCache({ keysUrl, fetchJson, clock: clock }) }),
    clock,
    random: systemRandom,
    log,
  };
  const openDataCacheSeconds = options.openDataCacheSeconds ?? limits.openDataCacheSeconds;
  const distribution = createSiteDistribution(clock);
  const gateway = await startGateway({
    port: options.apiPort ?? 0,
    portSetting: 'SLUICE_API_PORT',
    certificate,
    routes: gatewayRoutes,
    cors: { origins: options.corsOrigins ?? [], ...managementCors },
    serveFile: (request) => serveAsset(request, logo),
    distribution: distribution.serve,
    // Read after everything has started.
    invoke: await loadFunctions(services, identity.people, {
      site: () => ({ ...site, url: gateway.url, logoFile: logo?.name }),
      openDataCacheSeconds,
    }),
    clock,
    random: systemRandom,
    onError: (name, error) => report(name)(error),
    onAccess,
  });
  started.defer(() => gateway.close());

  const edgeLog = ({ failure }: { failure: unknown }) => report('edge')(failure);
  const roles = createRoleCredentialSource(options.assumeRole ?? noRoles, clock);
  const decodings = new Map<string, BodyDecoding>();
  const exchange = createLocalExchange({
    clock,
    table: atEdge.table,
    sessionKeys,
    ciIssuers,
    people: identity.people,
    peopleIssuer,
    throttles: options.throttles,
    audience: () => edge.url,
    log: edgeLog,
  });
  const atLinks = { name: site.name, accent: site.accent, url: gateway.url };
  const edge = await startEdge({
    port: options.dataPort ?? 0,
    portSetting: 'SLUICE_DATA_PORT',
    certificate,
    handlers: {
      exchangeCredentials: runningAs('exchange-credentials', exchange),
      serveObject: runningAs(
        'serve-object',
        serveObject.withServices({
          clock: clock,
          access: new CachedDataAccess(
            new DataAccessStore(atEdge.table, store.migrations),
            { secrets: connectionSecrets, roles },
            clock,
            {
              feed,
              report: report('feed'),
            },
          ),
          sessionKeys,
          apiKeyMasters,
          virtualHostBase: 'localhost',
          protocol: certificate === undefined ? 'http' : 'https',
          log: edgeLog,
          site: atLinks,
          decodeBody: (requestId, decoding) => void decodings.set(requestId, decoding),
          loadExchange: async () => exchange,
        }),
      ),
      shapeResponse: shapeResponse.withServices({
        isBucketMissing: createBucketWatch(clock),
        clock,
        openDataCacheSeconds,
        log: edgeLog,
        site: atLinks,
      }),
    },
    inProcessOrigin,
    places: { siteUrl: gateway.url, virtualHostBase: 'localhost' },
    takeDecoding: (requestId) => {
      const decoding = decodings.get(requestId);
      decodings.delete(requestId);
      return decoding;
    },
    random: systemRandom,
    clock,
    onError: report('edge'),
    onAccess,
  });
  started.defer(() => edge.close());

  const { stream, ttl, closings } = startBackground(
    {
      ...{ dynamodb, client: background, table_name: tableName, stream_arn, clock, log },
      caches: { objects: edge.cache, pages: distribution.cache },
    },
    started,
  );

  return {
    apiUrl: gateway.url,
    dataUrl: edge.url,
    authority: certificate?.authority,
    identity,
    storage,
    services,
    stream,
    ttl,
    cache: edge.cache,
    pageCache: distribution.cache,
    closings,
    close: () => started.disposeAsync(),
  };
}

const noRoles: AssumeRole = () => Promise.reject(new Error('roles of connections are assumed in a deployment alone'));
