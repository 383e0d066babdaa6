import { identityPath } from '../domain/data/web-identity.ts';
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
    /**
     * The name of the SSM parameter with the ID of the data proxy's distribution. It is in us-east-1, as all edge
     * stacks are.
     */
    dataDistributionParameter: `/${name}/data-distribution`,
    /** The name of the parameter with the ID of the distribution of the site and the API. It is in the edge region. */
    siteDistributionParameter: `/${name}/site-distribution`,
    originSecret: `${name}/origin`,
    /**
     * The name of the parameter in the home region with the OIDC clients of users, as JSON of `userClientsSchema`. The
     * last stack of a deployment creates and changes it.
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

/** The issuer of tokens for storage, and the aliases of its keys. The first key signs. */
export interface StorageIssuerConfig {
  issuer: string;
  deployment_id: string;
  key_ids: [string, ...string[]];
}

/** The name of the stack output with the role of the data proxy. Roles of data connections trust this role. */
export const storagePrincipalOutput = 'StoragePrincipal';

/** Returns the name of the role of the repository jobs. The role of the data proxy trusts this role by its name. */
export function repositoryJobsRoleName({ name }: Pick<Config, 'name'>): string {
  return `${name}-run-repository-jobs`;
}

/**
 * Returns the issuer of tokens for storage. A deployment has an issuer only with a domain of its own for data, because
 * every role of a data connection names the issuer.
 */
export function storageIssuerConfig({
  name,
  dataDomain,
  identityKeys,
}: Pick<Config, 'name' | 'dataDomain' | 'identityKeys'>): StorageIssuerConfig | undefined {
  const [signing, ...others] = identityKeys.map((number) => identityKeyAlias({ name }, number));
  if (dataDomain === undefined || signing === undefined) return undefined;
  return {
    issuer: `https://${dataDomain.name}${identityPath}`,
    deployment_id: name,
    key_ids: [signing, ...others],
  };
}

/**
 * Returns the alias of a key that signs tokens for storage. The alias is the same in the home region and in the edge
 * region.
 */
export function identityKeyAlias({ name }: Pick<Config, 'name'>, number: number): string {
  return `alias/${name}-identity-${number}`;
}

/** Returns the name of the stack output with the ARN of a key that signs tokens for storage. */
export function identityKeyOutput(number: number): string {
  return `IdentityKey${number}Arn`;
}

/** The constant that replaces environment variables in edge bundles. It contains names only, no secrets. */
export function edgeConfig(config: Config): EdgeConfig {
  const names = physicalNames(config);
  const storageIssuer = storageIssuerConfig(config);
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
    ...(storageIssuer === undefined ? {} : { storage_issuer: storageIssuer }),
    ...(config.virtualHostBase === undefined ? {} : { virtual_host_base: config.virtualHostBase }),
  };
}
