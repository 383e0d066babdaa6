import * as z from 'zod';
import { ciIssuerSchema } from '../domain/ci/issuers.ts';
import { limits } from '../domain/limits.ts';
import { siteSchema } from '../domain/site.ts';

const httpsUrl = z
  .string()
  .regex(/^https:\/\/[^?#]+$/, 'must be an https URL without query, such as https://id.example.org');

const hostName = z
  .string()
  .regex(/^(?=.{1,253}$)[a-z0-9-]+(?:\.[a-z0-9-]+)+$/, 'must be a lower-case host name, such as data.example.org');

/** A name under which CloudFront answers, with the certificate for it. */
const domainSchema = z.strictObject({
  name: hostName,
  certificateArn: z
    .string()
    .regex(
      /^arn:aws:acm:us-east-1:\d{12}:certificate\/[\w-]+$/,
      'must be the ARN of a certificate in us-east-1: CloudFront takes those of no other region',
    ),
});

/** People paste it into shells, YAML and configuration files: nothing in it may mean anything there. */
const audience = z.string().regex(/^[\w./:@-]+$/, 'must be of letters, digits and ./:@_-');

const configuredCiIssuerSchema = ciIssuerSchema.extend({ issuer: httpsUrl, audience: audience.exactOptional() });

/** The spans that CloudWatch Logs knows. */
const retentionDays = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
] as const;

/** WAF counts by IP address over five minutes, and knows no limit below ten. */
const per5Minutes = z.int().min(10).max(2_000_000_000);

const throttlesSchema = z.strictObject({
  /** Exchanges of one IP address that one warm instance takes a minute; the firewall in front of it counts for itself. */
  perIpPerMinute: z.int().min(1).default(limits.exchangesPerIpPerMinute),
  /** Exchanges of one key that one warm instance takes a minute. */
  perKeyPerMinute: z.int().min(1).default(limits.exchangesPerKeyPerMinute),
  /** Requests that the management API takes a second, of everybody together; 429 past that. */
  apiPerSecond: z.int().min(1).default(500),
  /** How many of them may come at once. */
  apiBurst: z.int().min(1).default(1000),
  /** What one IP address may send to the management API in five minutes; 429 past that. */
  apiPerIpPer5Minutes: per5Minutes.default(6_000),
  /** … of these, to the public revocation, which needs no identity. */
  revocationsPerIpPer5Minutes: per5Minutes.default(100),
  /** Sign-ups, and what else makes the user pool send a mail, of one IP address in five minutes. Whole classes share one. */
  signUpsPerIpPer5Minutes: per5Minutes.default(100),
  /** What one IP address may send to the data proxy in five minutes; 503 `SlowDown` past that. */
  dataPerIpPer5Minutes: per5Minutes.default(60_000),
  /** … of these, to the credential exchange. CI systems send whole fleets through one IP address. */
  exchangesPerIpPer5Minutes: per5Minutes.default(3_000),
});

const positive = z.int().min(1, 'must be a whole number of at least 1');

/** Of the account's concurrent Lambdas in the home region, reserved for these functions and their most at once. */
const reservedConcurrencySchema = z.strictObject({
  /** The function that lets in what comes through the API's distribution. */
  authorizer: positive.exactOptional(),
  /** Each of the public revocations, which need no identity. */
  publicRevocation: positive.exactOptional(),
  /** The public catalogue, which needs no identity, and of which each run loads the index of all of it. */
  catalogue: positive.exactOptional(),
  /** Each of the two functions that read the table's stream; a shard wants up to four at once. */
  stream: z.int().min(4, 'must be at least 4, or revocations of one shard wait for one another').exactOptional(),
});

/** As CloudFormation takes them for every kind of resource. */
const tagsSchema = z
  .record(z.string(), z.string().regex(/^[\w .:/=+@-]{0,256}$/, 'must have at most 256 letters, digits and _.:/=+@-'))
  .refine(
    (tags) => Object.keys(tags).every((name) => /^(?!aws:)[\w .:/=+@-]{1,128}$/i.test(name)),
    'must have names of at most 128 letters, digits and _.:/=+@-, not beginning with aws:',
  )
  .refine((tags) => Object.keys(tags).length <= 40, 'must be at most 40');

/** Requests a second that the table and each of its indexes take at most; DynamoDB refuses what is more. */
const unitsMax = z.int().min(100, 'must be at least 100, or signing in alone is throttled').optional();

const configSchema = z
  .strictObject({
    /** Begins every physical name, so that two deployments can share an AWS account. Cannot change later. */
    name: z
      .string()
      .regex(/^[a-z](?:[a-z0-9-]{0,18}[a-z0-9])?$/, 'must be at most 20 lower-case letters, digits and hyphens')
      // Two of the stacks of `tide-api` have the names of stacks of `tide`.
      .regex(/(?<!-api|-edge)$/, 'must not end in -api or -edge, as stacks of other deployments do')
      .default('sluice'),
    /** Where the table, the secrets and the management API live. The edge is in us-east-1 whatever this is. Cannot change later. */
    homeRegion: z
      .string()
      .regex(/^[a-z]{2}(?:-[a-z]+)+-\d$/, 'must be a region code such as eu-west-1')
      // Those are accounts of their own, and the edge is in us-east-1.
      .regex(/^(?!cn-|us-gov-|us-iso)/, 'must be no region of AWS China or GovCloud, which have no us-east-1')
      .default('us-east-1'),
    /** The management API's own name; without it, CloudFront's name for it. */
    apiDomain: domainSchema.optional(),
    /** A second name of the API's distribution, under which people find the pages; the certificate of `apiDomain` holds it too. */
    siteDomain: hostName.optional(),
    /** What the pages say of this deployment. */
    site: siteSchema.prefault({}),
    /** The data proxy's own name; without it, CloudFront's name for it. */
    dataDomain: domainSchema.optional(),
    /** The host below which accounts are host labels; `*.` of it must be in the certificate and point to the distribution. */
    virtualHostBase: hostName.optional(),
    /** What CI tokens name as their audience, when neither the data domain nor the distribution's name. */
    audience: httpsUrl.and(audience).optional(),
    /** Who signs people in: an OpenID Connect issuer and the audience or client id of its tokens. Without it, a Cognito user pool. */
    userIssuer: z
      .strictObject({
        issuer: httpsUrl,
        audience: z.string().min(1),
        /** The public client with which the site signs people in; without it the site signs nobody in. */
        clientId: z.string().min(1).optional(),
        /** The audience or client id of tokens with which tools sign in to data; without it they cannot. */
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
    /** The first admins, by the `sub` of their tokens. They must have created an account as well. */
    adminIdentityIds: z
      .array(z.string().min(1).max(64))
      // All of a Lambda's variables fit into 4 KB.
      .max(30, 'must be at most 30; these can give others the flag admin')
      .default([]),
    /** CI systems whose workflows service accounts may trust. The first is the one meant where a request names none. */
    ciIssuers: z
      .array(configuredCiIssuerSchema)
      .default([{ issuer: 'https://token.actions.githubusercontent.com', kind: 'github', algorithms: ['RS256'] }]),
    /** Where a secret scanning partner publishes its keys; without it there is no route for its reports. */
    secretScanningKeysUrl: httpsUrl.optional(),
    /** Origins of web apps whose browsers may call the management API. */
    corsOrigins: z
      .array(
        z.string().regex(/^https?:\/\/[^/*]+$/, 'must be an origin without path or *, such as https://app.example.org'),
      )
      .default([]),
    /** Rate limits. */
    throttles: throttlesSchema.prefault({}),
    /** Which secret the data proxy's firewall knows the pages by: raise it to have a new one. */
    pagesSecret: positive.default(1),
    /** How long logs are stored. */
    logRetentionDays: z
      .literal(retentionDays, `must be one of the spans that CloudWatch Logs knows: ${retentionDays.join(', ')}`)
      .default(90),
    /** Who is told of alarms, by mail; the mailbox must confirm. Without it, alarms are seen in CloudWatch alone. */
    alarmsEmail: z.email('must be an email address').optional(),
    /** IAM roles that data connections of the type `s3_assume_role` may name, each by its whole ARN; none by default. */
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
    /** Which of CloudFront's locations answer: all, all but the dearest, or those of North America and Europe alone. */
    priceClass: z
      .enum(
        ['PriceClass_All', 'PriceClass_200', 'PriceClass_100'],
        'must be PriceClass_All, PriceClass_200 or PriceClass_100',
      )
      .default('PriceClass_All'),
    /** For how many seconds CloudFront may keep answers about open data; 0 for not at all. */
    openDataCacheSeconds: z
      .int('must be a whole number of seconds')
      .min(0, 'must be 0 or more')
      .max(
        limits.openDataCacheSecondsMax,
        `must be at most ${limits.openDataCacheSecondsMax}: nobody reads longer what was closed`,
      )
      .default(limits.openDataCacheSeconds),
    /** Whether anyone may sign up in the Cognito user pool; without it an operator creates people. */
    selfSignUp: z.boolean('must be true or false').optional(),
    /** Read units a second, of the table and of each index; without it as many as the account may have. */
    tableReadUnitsMax: unitsMax,
    /** Write units a second, of the table and of each index. */
    tableWriteUnitsMax: unitsMax,
    /** Concurrent runs that are reserved for single functions; none by default, since new accounts have too few. */
    reservedConcurrency: reservedConcurrencySchema.prefault({}),
    /** US dollars a month of the whole AWS account, past 80 % of which, or when they will be passed, alarms are told. */
    monthlyBudget: z.number().min(1, 'must be at least 1 US dollar').optional(),
    /** Tags of every resource that takes tags. */
    tags: tagsSchema.default({}),
    /** Whether CloudFormation refuses to delete the stacks; by default where `removalPolicy` is `retain`. */
    terminationProtection: z.boolean('must be true or false').optional(),
    /** `destroy` is for deployments whose data may be lost with their stacks. */
    removalPolicy: z.enum(['retain', 'destroy']).default('retain'),
  })
  .refine(({ userIssuer, ciIssuers }) => !ciIssuers.some(({ issuer }) => issuer === userIssuer?.issuer), {
    path: ['ciIssuers'],
    error: "must not hold the people's issuer: its tokens would sign in as service accounts",
  })
  .refine(({ selfSignUp, userIssuer }) => selfSignUp === undefined || userIssuer === undefined, {
    path: ['selfSignUp'],
    error: 'is for the Cognito user pool: with userIssuer, who may sign up is for that issuer to say',
  })
  .refine(({ virtualHostBase, dataDomain }) => virtualHostBase === undefined || dataDomain !== undefined, {
    path: ['virtualHostBase'],
    error: 'needs dataDomain: CloudFront answers to no other names than those of a certificate',
  })
  .refine(({ virtualHostBase, dataDomain }) => !dataDomain?.name.endsWith(`.${virtualHostBase}`), {
    path: ['virtualHostBase'],
    error:
      "must not be what dataDomain lies below: whoever takes its first label as an account would get everyone's requests",
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

/** What a deployment may choose; every part has a default. */
export type Settings = z.input<typeof configSchema>;

/** The settings with every default filled in. */
export type Config = z.output<typeof configSchema>;

/** The names of all settings, those of `throttles` as `throttles.apiBurst`. */
export const settingNames: readonly string[] = [
  ...Object.keys(configSchema.shape),
  ...Object.keys(throttlesSchema.shape).map((name) => `throttles.${name}`),
  ...Object.keys(reservedConcurrencySchema.shape).map((name) => `reservedConcurrency.${name}`),
];

/** Settings that cannot be used: the message says which, and what to do. It is printed without a stack. */
export class ConfigError extends Error {}

/** Gives `sluice.config.ts` its type. */
export function defineConfig(settings: Settings): Settings {
  return settings;
}

/**
 * @param settings those of `sluice.config.ts`
 * @param context the CDK context's entry `sluice`, each of whose fields takes the place of the one in the file: an
 * object in cdk.json, or JSON text on the command line (`-c sluice='{…}'`)
 * @throws ConfigError naming each field that does not fit; unknown ones too, since a misspelt setting would be a silent default
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
