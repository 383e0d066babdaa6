import type { EdgeConfig } from '../edge/config.ts';
import type { Config } from './config.ts';

/** Where Lambda@Edge functions, web ACLs of distributions and all that belongs to these are made, and nowhere else. */
export const edgeRegion = 'us-east-1';

/** Physical names that more than one region must know: an edge function is built before any ARN exists. */
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
    /** In the region of the edge: the id of the data proxy's distribution. */
    dataDistributionParameter: `/${name}/data-distribution`,
    /** The same of the site's, which is the API's. */
    siteDistributionParameter: `/${name}/site-distribution`,
    originSecret: `${name}/origin`,
    /** In the home region, JSON as `peopleClientsSchema` has it. Not there until the clients of the site are made. */
    peopleClientsParameter: `/${name}/people-clients`,
  };
}

/** In the region of the edge, where the firewall is. Another number is another secret. */
export function pagesSecretName({ name, pagesSecret }: Pick<Config, 'name' | 'pagesSecret'>): string {
  return `${name}/pages-${pagesSecret}`;
}

/** Of an issuer of its own a deployment knows all; a user pool and its clients have no ids before they are made. */
function peopleOf({ userIssuer, ...config }: Config): EdgeConfig['people'] {
  if (userIssuer === undefined) return { parameter_name: physicalNames(config).peopleClientsParameter };
  const { issuer, audience, dataAudience } = userIssuer;
  return {
    clients: { issuer, api_audiences: [audience], data_audiences: dataAudience === undefined ? [] : [dataAudience] },
  };
}

/** What is put into the edge bundles in place of environment variables. Names only: nothing here is a secret. */
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
    people: peopleOf(config),
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
