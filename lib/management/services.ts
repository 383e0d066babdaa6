import type { CiIssuer } from '../domain/ci/issuers.ts';
import type { ConnectionSecrets } from '../domain/secrets/connection-secrets.ts';
import type { SecretSource } from '../domain/secrets/secret-versions.ts';
import type { ApiServices } from '../http/api-handler.ts';
import type { Store } from '../store/store.ts';
import type { SearchCatalogue } from './catalogue-search.ts';
import type { ResolveHost } from './connection-test/probe.ts';
import type { FindPartnerKey } from './partner-keys.ts';

/** Everything a management operation's `run` may use. Deployed it is wired from the environment, locally by bin/local.ts. */
export interface Services extends ApiServices {
  store: Store;
  /** The first is the one meant where a request names none. */
  ciIssuers: readonly CiIssuer[];
  /** Where machines sign in and find objects, and what CI tokens name as their audience unless their issuer has its own. */
  dataProxy: () => { url: string; audience: string };
  /** Whether a data connection may name a store on this machine over http: in local mode only. */
  allowsLoopbackEndpoints: boolean;
  /** Absent where no secret scanning partner is configured: then its route answers 404. */
  findPartnerKey?: FindPartnerKey;
}

/** For the catalogue, which alone keeps the index of all that is in it. */
export interface SearchServices extends Services {
  searchCatalogue: SearchCatalogue;
}

/** For the operation that issues temporary credentials. */
export interface SealingServices extends Services {
  sessionKeys: SecretSource;
}

/** For the operations whose entry in the registry says what they do with the credentials of connections. */
export interface ConnectionServices extends Services {
  connectionSecrets: ConnectionSecrets;
  resolveHost: ResolveHost;
}
