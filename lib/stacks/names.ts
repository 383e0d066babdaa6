import type { EdgeConfig } from '../edge/config.ts';
import type { Config } from './config.ts';

/** The region of Lambda@Edge functions and of web ACLs for distributions. AWS supports both only in this region. */
export const edgeRegion = 'us-east-1';

/** The name of the stack output that contains the data proxy's URL. Stacks of the home region read it. */
export const dataProxyUrlOutput = 'DataProxyUrl';

/** The name of the stack output that contains the URL of the API and the site. */
export const apiUrlOutput = 'ApiUrl';

/**
 * Returns the physical names of resources that are used from several regions. Names are needed because an edge function
 * is built before any ARN exists.
 */
export function physicalNames({ name }: Pick<Config, 'name'>) {
  return {
    table: name,
    sessionKeySecret: `${name}/session-keys`,
    apiKeyMasterSecret: `${name}/api-key-master`,
    connectionKeyAlias: `alias/${name}-connections`,
    tableKeyAlias: `alias/${name}-table`,
    failureQueue: `${name}-failures`,
    revocationFailureQueue: `${name}-revocation-failures`,
    invalidationQueue: `${name}-invalidations`,
    invalidationFailureQueue: `${name}-invalidation-failures`,
    /** The name of the parameter with the ID of the data proxy's distribution. It is in the edge region. */
    dataDistributionParameter: `/${name}/data-distribution`,
    /** The name of the parameter with the ID of the distribution of the site and the API. It is in the edge region. */
    siteDistributionParameter: `/${name}/site-distribution`,
    originSecret: `${name}/origin`,
    /**
     * The name of the parameter with the clients of users, as JSON of `userClientsSchema`. It is in the home region.
     * The last stack of a deployment creates and changes it.
     */
    userClientsParameter: `/${name}/people-clients`,
  };
}

/**
 * Returns the name of the secret that identifies pages. The secret is in the edge region, like the firewall that checks
 * it. Another number in the settings gives another name, and therefore a new secret.
 */
export function pagesSecretName({ name, pagesSecret }: Pick<Config, 'name' | 'pagesSecret'>): string {
  return `${name}/pages-${pagesSecret}`;
}

/**
 * Returns the settings that are compiled into the bundles of edge functions in place of environment variables. They
 * contain only names and no secrets.
 */
export function edgeConfig(config: Config): EdgeConfig {
  const names = physicalNames(config);
  const audience =
    config.audience ?? (config.dataDomain === undefined ? undefined : `https://${config.dataDomain.name}`);
  return {
    home_region: config.homeRegion,
    table_name: names.table,
    session_key_secret_name: names.sessionKeySecret,
    api_key_master_secret_name: names.apiKeyMasterSecret,
    connection_key_id: names.connectionKeyAlias,
    ci_issuers: config.ciIssuers,
    user_clients_parameter: names.userClientsParameter,
    throttles: {
      per_ip_per_minute: config.throttles.perIpPerMinute,
      per_key_per_minute: config.throttles.perKeyPerMinute,
    },
    open_data_cache_seconds: config.openDataCacheSeconds,
    site: {
      name: config.site.name,
      accent: config.site.accent,
      ...(config.siteDomain === undefined ? {} : { url: `https://${config.siteDomain}` }),
    },
    ...(audience === undefined ? {} : { audience }),
    ...(config.virtualHostBase === undefined ? {} : { virtual_host_base: config.virtualHostBase }),
  };
}
