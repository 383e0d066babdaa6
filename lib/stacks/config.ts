import * as z from 'zod';
import { ciIssuerSchema } from '../domain/ci/issuers.ts';
import { accountConnectionsSchema } from '../domain/data/connection-rules.ts';
import { limits } from '../domain/limits.ts';
import { siteSchema } from '../domain/site.ts';

const httpsUrl = z
  .string()
  .regex(/^https:\/\/[^?#]+$/, 'must be an https URL without query, such as https://id.example.org');

const hostName = z
  .string()
  .regex(/^(?=.{1,253}$)[a-z0-9-]+(?:\.[a-z0-9-]+)+$/, 'must be a lower-case host name, such as data.example.org');

/** A domain name of a CloudFront distribution, with its certificate. */
const domainSchema = z.strictObject({
  name: hostName,
  certificateArn: z
    .string()
    .regex(
      /^arn:aws:acm:us-east-1:\d{12}:certificate\/[\w-]+$/,
      'must be the ARN of a certificate in us-east-1: CloudFront takes those of no other region',
    ),
});

/** Users paste the audience into shells, YAML, and configuration files, so it has no special characters of these. */
const audience = z.string().regex(/^[\w./:@-]+$/, 'must be of letters, digits and ./:@_-');

const configuredCiIssuerSchema = ciIssuerSchema.extend({ issuer: httpsUrl, audience: audience.exactOptional() });

/** The retention periods that CloudWatch Logs allows. */
const retentionDays = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
] as const;

/** WAF counts requests of an IP address over five minutes. Its minimum limit is ten. */
const per5Minutes = z.int().min(10).max(2_000_000_000);

const throttlesSchema = z.strictObject({
  /** Exchanges for each IP address, minute, and warm instance. The firewall counts separately. */
  perIpPerMinute: z.int().min(1).default(limits.exchangesPerIpPerMinute),
  /** Exchanges for each key, minute, and warm instance. */
  perKeyPerMinute: z.int().min(1).default(limits.exchangesPerKeyPerMinute),
  /** Requests per second to the management API, of all clients together. Further requests get 429. */
  apiPerSecond: z.int().min(1).default(500),
  /** The size of a burst of such requests. */
  apiBurst: z.int().min(1).default(1000),
  /** Requests of one IP address to the management API in five minutes. Further requests get 429. */
  apiPerIpPer5Minutes: per5Minutes.default(6_000),
  /** The part of these requests that may go to the public revocation, which needs no authentication. */
  revocationsPerIpPer5Minutes: per5Minutes.default(100),
  /**
   * Sign-ups and other requests that send an email, for each IP address in five minutes. A school class may share one.
   */
  signUpsPerIpPer5Minutes: per5Minutes.default(100),
  /** Requests of one IP address to the data proxy in five minutes. Further requests get 503 `SlowDown`. */
  dataPerIpPer5Minutes: per5Minutes.default(60_000),
  /** The part of these requests that may go to the exchange. CI systems often share one IP address. */
  exchangesPerIpPer5Minutes: per5Minutes.default(3_000),
});

const positive = z.int().min(1, 'must be a whole number of at least 1');

/** Reserved concurrency in the home region. It guarantees and also limits the concurrent runs of a function. */
const reservedConcurrencySchema = z.strictObject({
  /** The function that checks the origin secret of requests from the API's distribution. */
  authorizer: positive.exactOptional(),
  /** Each of the public revocation operations, which need no authentication. */
  publicRevocation: positive.exactOptional(),
  /** The public catalogue. It needs no authentication, and each instance loads the whole search index. */
  catalogue: positive.exactOptional(),
  /** Each of the two stream consumers. A shard uses up to four concurrent runs. */
  stream: z.int().min(4, 'must be at least 4, or revocations of one shard wait for one another').exactOptional(),
});

/** The characters and lengths that every kind of CloudFormation resource accepts. */
const tagsSchema = z
  .record(z.string(), z.string().regex(/^[\w .:/=+@-]{0,256}$/, 'must have at most 256 letters, digits and _.:/=+@-'))
  .refine(
    (tags) => Object.keys(tags).every((name) => /^(?!aws:)[\w .:/=+@-]{1,128}$/i.test(name)),
    'must have names of at most 128 letters, digits and _.:/=+@-, not beginning with aws:',
  )
  .refine((tags) => Object.keys(tags).length <= 40, 'must be at most 40');

/** The maximum throughput of the table and of each index, in request units per second. DynamoDB throttles above it. */
const unitsMax = z.int().min(100, 'must be at least 100, or signing in alone is throttled').optional();

const configSchema = z
  .strictObject({
    /** The prefix of every physical name, so that two deployments can share an AWS account. It cannot change later. */
    name: z
      .string()
      .regex(/^[a-z](?:[a-z0-9-]{0,18}[a-z0-9])?$/, 'must be at most 20 lower-case letters, digits and hyphens')
      // Two stacks of the deployment `tide-api` would have the same names as stacks of `tide`.
      .regex(/(?<!-api|-edge)$/, 'must not end in -api or -edge, as stacks of other deployments do')
      .default('sluice'),
    /**
     * The region of the table, the secrets, and the management API. It cannot change later. The edge stacks are always
     * in us-east-1.
     */
    homeRegion: z
      .string()
      .regex(/^[a-z]{2}(?:-[a-z]+)+-\d$/, 'must be a region code such as eu-west-1')
      // These partitions need separate accounts, and the edge is in us-east-1.
      .regex(/^(?!cn-|us-gov-|us-iso)/, 'must be no region of AWS China or GovCloud, which have no us-east-1')
      .default('us-east-1'),
    /** The domain of the management API. The default is CloudFront's domain name. */
    apiDomain: domainSchema.optional(),
    /** A second domain of the API's distribution, for the pages. The certificate of `apiDomain` must include it. */
    siteDomain: hostName.optional(),
    /** The site's name, texts, and design. */
    site: siteSchema.prefault({}),
    /** The domain of the data proxy. The default is CloudFront's domain name. */
    dataDomain: domainSchema.optional(),
    /**
     * The host whose subdomains are account names. Its wildcard (`*.`) needs a certificate entry and a DNS record that
     * points to the distribution.
     */
    virtualHostBase: hostName.optional(),
    /** The audience of CI tokens, if it is neither the data domain nor the distribution's domain name. */
    audience: httpsUrl.and(audience).optional(),
    /**
     * The OpenID Connect issuer of users, and the audience or client ID of its tokens. The default is a Cognito user
     * pool.
     */
    userIssuer: z
      .strictObject({
        issuer: httpsUrl,
        audience: z.string().min(1),
        /** The public client of the site. Without it, the site has no sign-in. */
        clientId: z.string().min(1).optional(),
        /** The audience or client ID of tokens for data access with tools. Without it, tools cannot sign in. */
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
    /** The first admins, by the `sub` of their tokens. They must also create an account. */
    adminIdentityIds: z
      .array(z.string().min(1).max(64))
      // All environment variables of a Lambda must fit into 4 KB.
      .max(30, 'must be at most 30; these can give others the flag admin')
      .default([]),
    /** CI systems that service accounts can trust. A request without an issuer means the first one. */
    ciIssuers: z
      .array(configuredCiIssuerSchema)
      .default([{ issuer: 'https://token.actions.githubusercontent.com', kind: 'github', algorithms: ['RS256'] }]),
    /** The URL of a secret scanning partner's public keys. Without it, the route for reports does not exist. */
    secretScanningKeysUrl: httpsUrl.optional(),
    /** Origins of web apps that may call the management API from a browser. */
    corsOrigins: z
      .array(
        z.string().regex(/^https?:\/\/[^/*]+$/, 'must be an origin without path or *, such as https://app.example.org'),
      )
      .default([]),
    /** The accounts that may connect their own storage: all, those whose user has a flag, or none. */
    accountConnections: accountConnectionsSchema.default('on'),
    /**
     * The numbers of the keys with which the deployment identifies itself to the roles of data connections. All are
     * published, and the first one signs. To rotate: deploy [1, 2], a day later [2, 1], and another day later [2].
     */
    identityKeys: z
      .array(positive)
      .min(1, 'must name the key that signs')
      .max(3, 'must be at most 3')
      .refine((numbers) => new Set(numbers).size === numbers.length, 'must be different numbers')
      .default([1]),
    throttles: throttlesSchema.prefault({}),
    /**
     * The number of the secret that identifies pages to the data proxy's firewall. A higher number creates a new
     * secret.
     */
    pagesSecret: positive.default(1),
    /** The retention of logs, in days. */
    logRetentionDays: z
      .literal(retentionDays, `must be one of the spans that CloudWatch Logs knows: ${retentionDays.join(', ')}`)
      .default(90),
    /** The email address for alarms. The recipient must confirm it. Without it, alarms appear in CloudWatch only. */
    alarmsEmail: z.email('must be an email address').optional(),
    /** ARNs of the IAM roles that data connections of the type `s3_assume_role` may use. The default is none. */
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
     * The CloudFront locations that serve requests: all, all except the most expensive, or North America and Europe
     * only.
     */
    priceClass: z
      .enum(
        ['PriceClass_All', 'PriceClass_200', 'PriceClass_100'],
        'must be PriceClass_All, PriceClass_200 or PriceClass_100',
      )
      .default('PriceClass_All'),
    /** How long CloudFront may cache open data, in seconds; 0 disables caching. */
    openDataCacheSeconds: z
      .int('must be a whole number of seconds')
      .min(0, 'must be 0 or more')
      .max(
        limits.openDataCacheSecondsMax,
        `must be at most ${limits.openDataCacheSecondsMax}: no reader gets data for longer after a revocation`,
      )
      .default(limits.openDataCacheSeconds),
    /** True when anyone may sign up in the Cognito user pool. When false, an operator creates users. */
    selfSignUp: z.boolean('must be true or false').optional(),
    /** Read units per second of the table and of each index. The default is the account's limit. */
    tableReadUnitsMax: unitsMax,
    /** Write units per second of the table and of each index. */
    tableWriteUnitsMax: unitsMax,
    /** Reserved concurrency of single functions. The default is none, because new accounts have a low limit. */
    reservedConcurrency: reservedConcurrencySchema.prefault({}),
    /**
     * Monthly budget of the whole AWS account in US dollars. Alarms are sent at 80 % and 100 %, and for a forecast
     * above it.
     */
    monthlyBudget: z.number().min(1, 'must be at least 1 US dollar').optional(),
    /** Tags of every resource that supports tags. */
    tags: tagsSchema.default({}),
    /** True when CloudFormation refuses to delete the stacks. The default is true if `removalPolicy` is `retain`. */
    terminationProtection: z.boolean('must be true or false').optional(),
    /** `destroy` deletes the data with the stacks. */
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

/** The settings of a deployment. Every setting has a default. */
export type Settings = z.input<typeof configSchema>;

/** The settings with all defaults. */
export type Config = z.output<typeof configSchema>;

/** The names of all settings, with nested names such as `throttles.apiBurst`. */
export const settingNames: readonly string[] = [
  ...Object.keys(configSchema.shape),
  ...Object.keys(throttlesSchema.shape).map((name) => `throttles.${name}`),
  ...Object.keys(reservedConcurrencySchema.shape).map((name) => `reservedConcurrency.${name}`),
];

/** Invalid settings. The message names them and the correction. It is printed without a stack trace. */
export class ConfigError extends Error {}

/** Gives `sluice.config.ts` its type. */
export function defineConfig(settings: Settings): Settings {
  return settings;
}

/**
 * Parses the settings.
 *
 * @param settings the settings of `sluice.config.ts`
 * @param context the CDK context entry `sluice`, whose fields replace those of the file: an object in cdk.json, or JSON
 *   text on the command line (`-c sluice='{…}'`)
 * @throws ConfigError with each invalid field. It includes unknown fields, because a misspelled setting would have no
 *   effect.
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
