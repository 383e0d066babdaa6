import type { CiIssuer } from '../domain/ci/issuers.ts';
import type { ExchangeThrottles } from '../sts/throttle.ts';
import type { LinkSite } from './link-page.ts';

/**
 * The settings of a deployed edge function. They contain names instead of ARNs, because the function is built before
 * the ARNs exist.
 */
export interface EdgeConfig {
  home_region: string;
  table_name: string;
  session_key_secret_name: string;
  api_key_master_secret_name: string;
  /** The alias of the KMS key that encrypts the credentials of data connections. */
  connection_key_id: string;
  ci_issuers: readonly CiIssuer[];
  /** The SSM parameter in the home region with the OIDC clients for user sign-in. */
  user_clients_parameter: string;
  throttles: ExchangeThrottles;
  /** Number of seconds for which CloudFront may cache open data; 0 disables caching. */
  open_data_cache_seconds: number;
  /**
   * The data proxy's URL, which CI tokens name as their audience. The default is `https://` and the distribution's
   * domain.
   */
  audience?: string;
  /** The issuer of tokens for storage, with the aliases of its keys in the edge region. The first key signs. */
  storage_issuer?: { issuer: string; deployment_id: string; key_ids: [string, ...string[]] };
  /** The site's name, color, and URL, for the error page that a browser shows when a request for an object fails. */
  site: LinkSite;
  /** The host whose subdomains are account names. Undefined if clients can use only path-style URLs. */
  virtual_host_base?: string;
}

// The settings as a constant that the build puts into the bundle, because Lambda@Edge has no environment variables.
declare const SLUICE_EDGE_CONFIG: EdgeConfig;

export function readEdgeConfig(): EdgeConfig {
  return SLUICE_EDGE_CONFIG;
}
