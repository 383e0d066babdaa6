import * as z from 'zod';
import { ciIssuerSchema } from '../domain/ci/issuers.ts';
import { dataCiteSchema } from '../domain/citation/dois.ts';
import { accountConnectionsSchema } from '../domain/data/connection-rules.ts';
import { type ShownSite, siteSchema } from '../domain/site.ts';
import { type SiteEntries, siteEntriesSchema } from '../domain/site-assets.ts';

const json = <Schema extends z.ZodType>(schema: Schema) =>
  z
    .string()
    .transform((text) => JSON.parse(text))
    .pipe(schema);

export const storageIssuerVariable = json(
  z.object({ issuer: z.string(), deployment_id: z.string(), key_ids: z.tuple([z.string()], z.string()) }),
).optional();

const environmentSchema = z.object({
  SLUICE_TABLE_NAME: z.string(),
  SLUICE_API_KEY_MASTER_SECRET_ARN: z.string(),
  SLUICE_CONNECTION_KEY_ARN: z.string(),
  /** The secret that encrypts session tokens. Set only for functions that issue temporary credentials. */
  SLUICE_SESSION_KEY_SECRET_ARN: z.string().optional(),
  /** The account at DataCite and the secret with its password. Set only for functions that register DOIs. */
  SLUICE_DATACITE: json(dataCiteSchema.extend({ secretArn: z.string() })).optional(),
  SLUICE_USER_ISSUER: z.string(),
  /** The audience of user tokens. Set if the configuration names an issuer. */
  SLUICE_USER_AUDIENCE: z.string().exactOptional(),
  /**
   * The parameter with the site's client and further audiences of user tokens. Set if the deployment has a user pool.
   */
  SLUICE_USER_CLIENTS_PARAMETER: z.string().optional(),
  SLUICE_ADMIN_IDENTITY_IDS: json(z.array(z.string())),
  SLUICE_CI_ISSUERS: json(z.array(ciIssuerSchema)),
  SLUICE_ACCOUNT_CONNECTIONS: accountConnectionsSchema,
  SLUICE_DATA_PROXY_URL: z.string(),
  /**
   * The issuer of tokens for storage, with the aliases of its keys. Absent in a deployment without a domain of its own
   * for data.
   */
  SLUICE_STORAGE_ISSUER: storageIssuerVariable,
  /** The configured host names of the deployment, except that of the data proxy. */
  SLUICE_DEPLOYMENT_HOSTS: json(z.array(z.string())),
  SLUICE_CI_AUDIENCE: z.string(),
  /** The URL of GitHub secret scanning's public keys. */
  SLUICE_SECRET_SCANNING_KEYS_URL: z.url({ protocol: /^https$/ }).optional(),
});
export type Environment = z.infer<typeof environmentSchema>;

/** Returns the settings that the API stack gives every management Lambda. Throws if one is missing. */
export function readEnvironment(): Environment {
  return environmentSchema.parse(process.env);
}

/**
 * The deployment's name, design, and URL. It is a function, because `npm start` learns its port only after it has
 * created the services.
 */
export interface SiteServices {
  site: () => DeployedSite;
}

/** The settings of the site, without the browser files that only pages load. */
type DeployedSite = Omit<ShownSite, 'entries'>;

/** Reads the settings of the site from the environment variables that the pages stack sets. */
export function createDeployedSite(): SiteServices {
  const { SLUICE_SITE, SLUICE_SITE_URL, SLUICE_SITE_LOGO } = siteEnvironmentSchema.parse(process.env);
  const site = { ...SLUICE_SITE, url: SLUICE_SITE_URL, logoFile: SLUICE_SITE_LOGO };
  return { site: () => site };
}

/** Reads the name and the design of the site, for a function that does not get its URL. */
export function createSiteDesign(): { site: () => Pick<ShownSite, 'name' | 'accent'> } {
  const { SLUICE_SITE } = siteEnvironmentSchema.pick({ SLUICE_SITE: true }).parse(process.env);
  return { site: () => SLUICE_SITE };
}

const siteEnvironmentSchema = z.object({
  SLUICE_SITE: json(siteSchema),
  SLUICE_SITE_URL: z.url(),
  SLUICE_SITE_LOGO: z.string().optional(),
});

/** Returns the client ID of the site at a configured issuer. Returns undefined if the site has no client. */
export function readSiteClientId(): string | undefined {
  return process.env['SLUICE_SITE_CLIENT_ID'];
}

/** Returns the names of the site's browser files in this deployment. */
export function readSiteEntries(): SiteEntries {
  return json(siteEntriesSchema).parse(process.env['SLUICE_SITE_ENTRIES']);
}

const cacheSecondsSchema = z.coerce.number().pipe(z.int().min(0));

/** Returns the number of seconds for which CloudFront may cache pages. */
export function readOpenDataCacheSeconds(): number {
  return cacheSecondsSchema.parse(process.env['SLUICE_OPEN_DATA_CACHE_SECONDS']);
}
