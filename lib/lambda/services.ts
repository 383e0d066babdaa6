import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { CiIssuer } from '../domain/ci/issuers.ts';
import type { DoiRegistry } from '../domain/citation/registration.ts';
import type { AccountConnections, EndpointRules } from '../domain/data/connection-rules.ts';
import type { ConnectionSecrets } from '../domain/data/data-connections.ts';
import type { AssumeRole } from '../domain/data/role-requests.ts';
import type { SecretSource } from '../domain/secrets/secret-versions.ts';
import type { ApiServices } from '../http/api-handler.ts';
import type { FetchIssuerKeys } from '../issuers/fetch-keys.ts';
import type { ResolveHost } from '../s3/connection-test/probe.ts';
import type { SearchCatalogue } from '../search/open-catalogue.ts';
import { createStore, type Store } from '../store/store.ts';
import type { FindPartnerKey } from '../sts/partner-keys.ts';
import { createSecretReader } from './aws/secrets-manager.ts';
import { regionOf } from './aws/service.ts';
import type { Environment, SiteServices } from './environment.ts';
import { createRequestLog } from './log.ts';
import { systemRandom } from './random.ts';
import { createSecretSource } from './secrets/secrets.ts';
import { openTable } from './table.ts';

/**
 * The services that a management operation's `run` can use. A deployment creates them from environment variables, and
 * bin/local.ts creates them for the local service.
 */
export interface Services extends ApiServices, EndpointRules {
  store: Store;
  /** The configured CI issuers. Requests that name no issuer use the first one. */
  ciIssuers: readonly CiIssuer[];
  /**
   * The URL at which software signs in and reads objects. `audience` is the audience of CI tokens, unless their issuer
   * has its own.
   */
  dataProxy: () => { url: string; audience: string };
  accountConnections: AccountConnections;
  /**
   * Verifies reports of the secret scanning partner. Absent when no partner is configured. The partner's route then
   * returns 404.
   */
  findPartnerKey?: FindPartnerKey;
}

/** The services of operations that search the catalogue. Only their Lambdas load the search index into memory. */
export interface SearchServices extends Services {
  searchCatalogue: SearchCatalogue;
}

/** The services of operations that show the name and the URL of the site. */
export interface SiteApiServices extends Services, SiteServices {}

/** The services of the operation that registers DOIs. */
export interface DoiServices extends SiteApiServices {
  /** Registers DOIs. Absent if the deployment has no account at DataCite. */
  doiRegistry?: DoiRegistry | undefined;
}

/** The services of the operation that issues temporary credentials. */
export interface SealingServices extends Services {
  sessionKeys: SecretSource;
}

/**
 * The services of operations that use the credentials of data connections. The registry declares this for each
 * operation.
 */
export interface ConnectionServices extends Services {
  connectionSecrets: ConnectionSecrets;
  resolveHost: ResolveHost;
  assumeRole: AssumeRole;
}

/** The services of the operation that registers issuers. */
export interface IssuerServices extends Services {
  fetchIssuerKeys: FetchIssuerKeys;
  /** The `iss` claim of users' tokens. */
  userIssuer: string;
}

/**
 * The services that every deployed Lambda of the API and of the pages has. They do not include services that
 * authenticate a caller.
 */
export type TableServices = Omit<ApiServices, 'userTokens' | 'adminIdentityIds'> &
  Pick<Services, 'store' | 'dataProxy'>;

export function createTableServices(environment: Environment): TableServices {
  const clock = Date.now;
  const store = createStore(openTable(new DynamoDBClient(), environment.SLUICE_TABLE_NAME));
  const masterArn = environment.SLUICE_API_KEY_MASTER_SECRET_ARN;
  return {
    store,
    requestData: store.requestData,
    idempotency: store.idempotency,
    apiKeyMasters: createSecretSource(createSecretReader({ region: regionOf(masterArn) }), masterArn, clock),
    dataProxy: () => ({ url: environment.SLUICE_DATA_PROXY_URL, audience: environment.SLUICE_CI_AUDIENCE }),
    clock,
    random: systemRandom,
    log: createRequestLog(),
  };
}
