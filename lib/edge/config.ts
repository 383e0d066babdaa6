import type { PeopleClients } from '../domain/accounts/people-clients.ts';
import type { CiIssuer } from '../domain/ci/issuers.ts';
import type { ExchangeThrottles } from '../sts/throttle.ts';
import type { LinkSite } from './link-page.ts';

/** What a deployed edge function knows of its deployment. Names, since it is built before there are ARNs. */
export interface EdgeConfig {
  home_region: string;
  table_name: string;
  session_key_secret_name: string;
  api_key_master_secret_name: string;
  /** The KMS key that seals the credentials of data connections, by its alias. */
  connection_key_id: string;
  ci_issuers: readonly CiIssuer[];
  /** Who signs people in to their data: as the settings name them, or the parameter of the home region that does. */
  people: { clients: PeopleClients } | { parameter_name: string };
  throttles: ExchangeThrottles;
  /** How long CloudFront may keep answers about open data; 0 for not at all. */
  open_data_cache_seconds: number;
  /** The data proxy's URL, which CI tokens name as their audience; by default `https://` and the distribution's name. */
  audience?: string;
  /** What a refusal shows to a person who opens a link. */
  site: LinkSite;
  /** The host below which account names are host labels; none for path style alone. */
  virtual_host_base?: string;
}

// Edge functions have no environment variables: the stacks put this into the bundle.
declare const SLUICE_EDGE_CONFIG: EdgeConfig;

export function readEdgeConfig(): EdgeConfig {
  return SLUICE_EDGE_CONFIG;
}
