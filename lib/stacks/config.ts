import * as z from 'zod';
import { ciIssuerSchema } from '../domain/ci/issuers.ts';
import { dataCiteSchema } from '../domain/citation/dois.ts';
import { accountConnectionsSchema } from '../domain/data/connection-rules.ts';
import { limits } from '../domain/limits.ts';
import { siteSchema } from '../domain/site.ts';

const httpsUrl = z
  .string()
  .regex(/^https:\/\/[^?#]+$/, 'must be an https URL without query, such as https://id.example.org');

const hostName = z
  .string()
  .regex(/^(?=.{1,253}$)[a-z0-9-]+(?:\.[a-z0-9-]+)+$/, 'must be a lower-case host name, such as data.example.org');

/** A domain name for a CloudFront distribution, with its certificate. */
const domainSchema = z.strictObject({
  name: hostName,
  certificateArn: z
    .string()
    .regex(
      /^arn:aws:acm:us-east-1:\d{12}:certificate\/[\w-]+$/,
      'must be the ARN of a certificate in us-east-1: CloudFront takes those of no other region',
    ),
});

/**
 * The audience of CI tokens. Users paste it into shells, YAML, and configuration files, so it may contain no characters
 * with a special meaning in any of them.
 */
const audience = z.string().regex(/^[\w./:@-]+$/, 'must be of letters, digits and ./:@_-');

const configuredCiIssuerSchema = ciIssuerSchema.extend({ issuer: httpsUrl, audience: audience.exactOptional() });

/** The retention periods of logs that CloudWatch Logs supports. */
const retentionDays = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
] as const;

/**
 * The maximum number of requests from one IP address in five minutes, as WAF counts them. WAF accepts no limit below
 * ten.
 */
const per5Minutes = z.int().min(10).max(2_000_000_000);

const throttlesSchema = z.strictObject({
  /**
   * Maximum number of credential exchanges per minute from each IP address, as each warm instance counts them. The
   * firewall has a separate limit.
   */
  perIpPerMinute: z.int().min(1).default(limits.exchangesPerIpPerMinute),
  /** Maximum number of credential exchanges per minute with each key, as each warm instance counts them. */
  perKeyPerMinute: z.int().min(1).default(limits.exchangesPerKeyPerMinute),
  /**
   * Maximum number of requests per second to the management API from all clients together. Above this limit, the
   * response is 429.
   */
  apiPerSecond: z.int().min(1).default(500),
  /** Maximum number of requests to the management API at one moment, in addition to the rate per second. */
  apiBurst: z.int().min(1).default(1000),
  /**
   * Maximum number of requests from one IP address to the management API in five minutes. Above this limit, the
   * response is 429.
   */
  apiPerIpPer5Minutes: per5Minutes.default(6_000),
  /**
   * Maximum number of requests from one IP address to the public revocation in five minutes. The limit is low, because
   * these requests need no authentication.
   */
  revocationsPerIpPer5Minutes: per5Minutes.default(100),
  /**
   * Maximum number of sign-ups and other requests that send an email, from one IP address in five minutes. A whole
   * school, for example, may have one IP address.
   */
  signUpsPerIpPer5Minutes: per5Minutes.default(100),
  /**
   * Maximum number of requests from one IP address to the data proxy in five minutes. Above this limit, the response is
   * 503 `SlowDown`.
   */
  dataPerIpPer5Minutes: per5Minutes.default(60_000),
  /**
   * Maximum number of requests from one IP address to the credential exchange in five minutes. Many jobs of a CI system
   * often have one IP address.
   */
  exchangesPerIpPer5Minutes: per5Minutes.default(3_000),
});

const positive = z.int().min(1, 'must be a whole number of at least 1');

/**
 * The reserved concurrency of functions in the home region. It guarantees this number of concurrent runs to a function,
 * and is also the maximum.
 */
const reservedConcurrencySchema = z.strictObject({
  /**
   * Reserved concurrency of the function that checks whether a request came through the API's distribution. The
   * function compares a secret header.
   */
  authorizer: positive.exactOptional(),
  /** Reserved concurrency of each public revocation function. Requests to these functions need no authentication. */
  publicRevocation: positive.exactOptional(),
  /**
   * Reserved concurrency of the function for the public catalogue. It needs no authentication, and each of its
   * instances loads the complete search index.
   */
  catalogue: positive.exactOptional(),
  /**
   * Reserved concurrency of each of the two stream consumers. They process up to four batches of a shard at the same
   * time.
   */
  stream: z.int().min(4, 'must be at least 4, or revocations of one shard wait for one another').exactOptional(),
});

/** The tags of resources. Only characters and lengths that all kinds of CloudFormation resources accept are allowed. */
const tagsSchema = z
  .record(z.string(), z.string().regex(/^[\w .:/=+@-]{0,256}$/, 'must have at most 256 letters, digits and _.:/=+@-'))
  .refine(
    (tags) => Object.keys(tags).every((name) => /^(?!aws:)[\w .:/=+@-]{1,128}$/i.test(name)),
    'must have names of at most 128 letters, digits and _.:/=+@-, not beginning with aws:',
  )
  .refine((tags) => Object.keys(tags).length <= 40, 'must be at most 40');

/**
 * The maximum throughput of the table and of each index, in request units per second. DynamoDB throttles requests above
 * it.
 */
const unitsMax = z.int().min(100, 'must be at least 100, or signing in alone is throttled').optional();

const configSchema = z
  .strictObject({
    /**
     * The prefix of the physical names of all resources. With different prefixes, two deployments can be in the same
     * AWS account. The prefix cannot be changed later.
     */
    name: z
      .string()
      .regex(/^[a-z](?:[a-z0-9-]{0,18}[a-z0-9])?$/, 'must be at most 20 lower-case letters, digits and hyphens')
      // Refuse these suffixes, because stacks of two deployments could get the same name. A stack of the deployment
      // `tide-api` would be named like a stack of the deployment `tide`.
      .regex(/(?<!-api|-edge)$/, 'must not end in -api or -edge, as stacks of other deployments do')
      .default('sluice'),
    /**
     * The region of the table, the secrets, and the management API. It cannot be changed later. The edge stacks are
     * always in us-east-1.
     */
    homeRegion: z
      .string()
      .regex(/^[a-z]{2}(?:-[a-z]+)+-\d$/, 'must be a region code such as eu-west-1')
      // Refuse regions of AWS China and of GovCloud: they need separate AWS accounts without us-east-1, and the edge
      // stacks are always in us-east-1.
      .regex(/^(?!cn-|us-gov-|us-iso)/, 'must be no region of AWS China or GovCloud, which have no us-east-1')
      .default('us-east-1'),
    /** The domain of the management API. If absent, CloudFront chooses the domain name. */
    apiDomain: domainSchema.optional(),
    /**
     * A second domain of the API's distribution, used for the pages. The certificate of `apiDomain` must be valid for
     * this domain as well.
     */
    siteDomain: hostName.optional(),
    /** The site's name, texts, and design. */
    site: siteSchema.prefault({}),
    /** The domain of the data proxy. If absent, CloudFront chooses the domain name. */
    dataDomain: domainSchema.optional(),
    /**
     * The host for virtual-host style requests. Account IDs are its subdomains. The certificate must be valid for its
     * wildcard (`*.`), and a DNS record of the wildcard must point to the distribution.
     */
    virtualHostBase: hostName.optional(),
    /**
     * The audience of CI tokens. The default is the data domain, or the domain name of the distribution if no data
     * domain is set.
     */
    audience: httpsUrl.and(audience).optional(),
    /**
     * The OpenID Connect issuer of users, with the audience or client ID of its tokens. If absent, the deployment
     * creates a Cognito user pool.
     */
    userIssuer: z
      .strictObject({
        issuer: httpsUrl,
        audience: z.string().min(1),
        /** The ID of the public client for the site. If absent, users cannot sign in on the site. */
        clientId: z.string().min(1).optional(),
        /**
         * The audience or client ID of tokens with which tools access data for a user. If absent, users cannot sign in
         * with tools.
         */
        dataAudience: z.string().min(1).optional(),
      })
      .refine(({ clientId, dataAudience }) => clientId === undefined || clientId !== dataAudience, {
        path: ['clientId'],
        error: 'must be another client than that of dataAudience: tokens of the site would sign tools in',
      })
      .refine(({ audience, dataAudience }) => audience !== dataAudience, {
        path: ['dataAudience'],
        error: 'must be another than audience: a token that a tool leaks would open the management API',
      })
      .optional(),
    /** The first administrators, by the `sub` claim of their tokens. Each of them must also create an account. */
    adminIdentityIds: z
      .array(z.string().min(1).max(64))
      // The number of administrators is limited, because all environment variables of a Lambda function together may
      // have at most 4 KB.
      .max(30, 'must be at most 30; these can give others the flag admin')
      .default([]),
    /** The CI systems that service accounts can trust. When a request contains no issuer, the first one is used. */
    ciIssuers: z
      .array(configuredCiIssuerSchema)
      .default([{ issuer: 'https://token.actions.githubusercontent.com', kind: 'github', algorithms: ['RS256'] }]),
    /**
     * The URL of the public keys with which a secret scanning partner signs its reports. If absent, the API has no
     * route for these reports.
     */
    secretScanningKeysUrl: httpsUrl.optional(),
    /** The origins of web apps that may call the management API from a browser. */
    corsOrigins: z
      .array(
        z.string().regex(/^https?:\/\/[^/*]+$/, 'must be an origin without path or *, such as https://app.example.org'),
      )
      .default([]),
    /**
     * The account with which the deployment registers DOIs of versions. If absent, owners can only enter DOIs that were
     * registered elsewhere.
     */
    dataCite: dataCiteSchema
      .extend({
        /** The secret of Secrets Manager that contains the password of the DataCite account as text. */
        secretArn: z
          .string()
          .regex(
            /^arn:aws:secretsmanager:[a-z0-9-]+:\d{12}:secret:[\w/+=.@-]+-\w{6}$/,
            'must be the complete ARN of a secret with the password, which ends in a hyphen and six characters',
          ),
      })
      .optional(),
    /** The accounts that may connect their own storage: all accounts, accounts whose user has a flag, or none. */
    accountConnections: accountConnectionsSchema.default('on'),
    /**
     * The numbers of the keys with which the deployment identifies itself to the roles of data connections. All keys
     * are published, and the first key signs. To rotate: deploy [1, 2], a day later [2, 1], and another day later [2].
     */
    identityKeys: z
      .array(positive)
      .min(1, 'must name the key that signs')
      .max(3, 'must be at most 3')
      .refine((numbers) => new Set(numbers).size === numbers.length, 'must be different numbers')
      .default([1]),
    throttles: throttlesSchema.prefault({}),
    /**
     * The number of the secret by which the data proxy's firewall recognizes requests of pages. To replace the secret,
     * increase the number.
     */
    pagesSecret: positive.default(1),
    /** The number of days for which logs are stored. */
    logRetentionDays: z
      .literal(retentionDays, `must be one of the spans that CloudWatch Logs knows: ${retentionDays.join(', ')}`)
      .default(90),
    /**
     * The email address to which alarms are sent. The recipient must confirm it once. If absent, alarms are visible
     * only in CloudWatch.
     */
    alarmsEmail: z.email('must be an email address').optional(),
    /** The ARNs of IAM roles that data connections of the type `s3_assume_role` may use. By default, there are none. */
    storageRoleArns: z
      .array(
        z
          .string()
          .regex(
            /^arn:aws(?:-cn|-us-gov)?:iam::\d{12}:role\/[\w+=,.@/-]+$/,
            'must be the ARN of a role without *, such as arn:aws:iam::111122223333:role/storage',
          ),
      )
      .max(40, 'must be at most 40: all rights of a role fit into 10,240 characters')
      .default([]),
    /**
     * The CloudFront locations that answer requests: all locations, all except the most expensive, or only those in
     * North America and Europe.
     */
    priceClass: z
      .enum(
        ['PriceClass_All', 'PriceClass_200', 'PriceClass_100'],
        'must be PriceClass_All, PriceClass_200 or PriceClass_100',
      )
      .default('PriceClass_All'),
    /** The maximum number of seconds for which CloudFront caches open data. 0 disables caching. */
    openDataCacheSeconds: z
      .int('must be a whole number of seconds')
      .min(0, 'must be 0 or more')
      .max(
        limits.openDataCacheSecondsMax,
        `must be at most ${limits.openDataCacheSecondsMax}: no reader gets data for longer after a revocation`,
      )
      .default(limits.openDataCacheSeconds),
    /** True when anyone may sign up in the Cognito user pool. If false, an operator creates the users. */
    selfSignUp: z.boolean('must be true or false').optional(),
    /**
     * The maximum number of read units per second for the table and for each index. The default is the limit of the AWS
     * account.
     */
    tableReadUnitsMax: unitsMax,
    /**
     * The maximum number of write units per second for the table and for each index. The default is the limit of the
     * AWS account.
     */
    tableWriteUnitsMax: unitsMax,
    /**
     * The reserved concurrency of single functions. By default, functions have none, because new AWS accounts have a
     * low concurrency limit.
     */
    reservedConcurrency: reservedConcurrencySchema.prefault({}),
    /**
     * The monthly budget for the complete AWS account, in US dollars. Alarms are sent at 80 % and at 100 % of the
     * budget, and when a forecast is above it.
     */
    monthlyBudget: z.number().min(1, 'must be at least 1 US dollar').optional(),
    /** Tags that are added to every resource that supports tags. */
    tags: tagsSchema.default({}),
    /**
     * True when CloudFormation must refuse to delete the stacks. The default is true if `removalPolicy` is `retain`.
     */
    terminationProtection: z.boolean('must be true or false').optional(),
    /** `destroy` deletes the data when the stacks are deleted. */
    removalPolicy: z.enum(['retain', 'destroy']).default('retain'),
  })
  .refine(({ userIssuer, ciIssuers }) => !ciIssuers.some(({ issuer }) => issuer === userIssuer?.issuer), {
    path: ['ciIssuers'],
    error: 'must not hold the user issuer: its tokens would sign in as service accounts',
  })
  .refine(({ selfSignUp, userIssuer }) => selfSignUp === undefined || userIssuer === undefined, {
    path: ['selfSignUp'],
    error: 'is for the Cognito user pool: with userIssuer, that issuer decides who can sign up',
  })
  .refine(({ virtualHostBase, dataDomain }) => virtualHostBase === undefined || dataDomain !== undefined, {
    path: ['virtualHostBase'],
    error: 'needs dataDomain: CloudFront answers to no other names than those of a certificate',
  })
  .refine(({ virtualHostBase, dataDomain }) => !dataDomain?.name.endsWith(`.${virtualHostBase}`), {
    path: ['virtualHostBase'],
    error:
      'must not be a parent domain of dataDomain, or every request to dataDomain would name the account of its first label',
  })
  .refine(({ siteDomain, apiDomain }) => siteDomain === undefined || apiDomain !== undefined, {
    path: ['siteDomain'],
    error: 'needs apiDomain, whose certificate holds both names: CloudFront answers to no others',
  })
  .refine(
    ({ siteDomain, apiDomain, dataDomain }) =>
      (siteDomain !== apiDomain?.name && siteDomain !== dataDomain?.name) || siteDomain === undefined,
    {
      path: ['siteDomain'],
      error: 'must be another name than those of apiDomain and dataDomain',
    },
  )
  .refine(({ apiDomain, dataDomain }) => apiDomain === undefined || apiDomain.name !== dataDomain?.name, {
    path: ['apiDomain', 'name'],
    error: 'must be another name than that of dataDomain: each is a distribution of its own',
  });

/** The settings of a deployment. All settings have a default. */
export type Settings = z.input<typeof configSchema>;

/** The settings of a deployment, with default values for settings that are not set. */
export type Config = z.output<typeof configSchema>;

/** The names of all settings. Nested names have the form `throttles.apiBurst`. */
export const settingNames: readonly string[] = [
  ...Object.keys(configSchema.shape),
  ...Object.keys(throttlesSchema.shape).map((name) => `throttles.${name}`),
  ...Object.keys(reservedConcurrencySchema.shape).map((name) => `reservedConcurrency.${name}`),
];

/**
 * Thrown for invalid settings. The message names each invalid setting and its correction. It is printed without a stack
 * trace.
 */
export class ConfigError extends Error {}

/** Returns the settings unchanged. `sluice.config.ts` calls it, so that the settings are type-checked. */
export function defineConfig(settings: Settings): Settings {
  return settings;
}

/**
 * Parses the settings and fills in the defaults.
 *
 * @param settings the settings of `sluice.config.ts`
 * @param context the CDK context entry `sluice`: an object in cdk.json, or JSON text on the command line (`-c
 * sluice='{…}'`). Its fields replace those of the file.
 * @throws ConfigError with each invalid field. An unknown field is invalid, because a misspelled setting would have no
 * effect.
 */
export function parseConfig(settings: object, context?: unknown): Config {
  const parsed = configSchema.safeParse({ ...settings, ...readContext(context) });
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => `  ${[...path, ''].join('.').slice(0, -1)} ${message}`);
  throw new ConfigError(
    `These settings of sluice.config.ts (or of the context entry "sluice") cannot be used:\n${faults.join('\n')}\n` +
      'docs/operating/configuration.md describes each.',
  );
}

function readContext(context: unknown): object {
  if (context === undefined) return {};
  const given: unknown = typeof context === 'string' ? parseJson(context) : context;
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return given;
  throw new ConfigError('The context entry "sluice" must be a JSON object of settings, such as \'{"name":"staging"}\'');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
