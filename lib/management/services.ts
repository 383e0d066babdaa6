import type { CiIssuer } from '../domain/ci/issuers.ts';
import type { ConnectionSecrets } from '../domain/secrets/connection-secrets.ts';
import type { SecretSource } from '../domain/secrets/secret-versions.ts';
import type { ApiServices } from '../http/api-handler.ts';
import type { Store } from '../store/store.ts';
import type { SearchCatalogue } from './catalogue-search.ts';
import type { ResolveHost } from './connection-test/probe.ts';
import type { FindPartnerKey } from './partner-keys.ts';

/**
 * The services of a management operation's `run`. A deployment creates them from the environment, and bin/local.ts
 * creates them locally.
 */
export interface Services extends ApiServices {
  store: Store;
  /** The first issuer is the default of requests that name none. */
  ciIssuers: readonly CiIssuer[];
  /**
   * The URL at which machines sign in and read objects, and the audience of CI tokens unless their issuer has its own.
   */
  dataProxy: () => { url: string; audience: string };
  /** True when a data connection may name storage on this machine over http, which only local mode allows. */
  allowsLoopbackEndpoints: boolean;
  /** Absent when no secret scanning partner is configured. The partner's route then returns 404. */
  findPartnerKey?: FindPartnerKey;
}

/** The services of catalogue operations. Only their Lambdas have the search index in memory. */
export interface SearchServices extends Services {
  searchCatalogue: SearchCatalogue;
}

/** The services of the operation that issues temporary credentials. */
export interface SealingServices extends Services {
  sessionKeys: SecretSource;
}

/** The services of operations whose registry entry declares the use of connection credentials. */
export interface ConnectionServices extends Services {
  connectionSecrets: ConnectionSecrets;
  resolveHost: ResolveHost;
}
