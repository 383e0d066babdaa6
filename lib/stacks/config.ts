import * as z from 'zod';
import { limits } from '../domain/limits.ts';

const httpsUrl = z.string().regex(/^https:\/\/[^?#]+$/, 'must be an https URL without query');

/** People paste it into shells, YAML and configuration files: nothing in it may mean anything there. */
const audience = z.string().regex(/^[\w./:@-]+$/, 'must be of letters, digits and ./:@_-');

const ciIssuerSchema = z.strictObject({
  issuer: httpsUrl,
  kind: z.enum(['github', 'gitlab']),
  algorithms: z.array(z.enum(['RS256', 'ES256'])).min(1),
  audience: audience.exactOptional(),
});

const configSchema = z
  .strictObject({
    /** Begins every physical name, so that two deployments can share an AWS account. */
    name: z
      .string()
      .regex(/^[a-z](?:[a-z0-9-]{0,18}[a-z0-9])?$/, 'must be at most 20 lower-case letters, digits and hyphens')
      .default('sluice'),
    /** Where the table, the secrets and the management API live. The edge lives in us-east-1 whatever this is. */
    homeRegion: z
      .string()
      .regex(/^[a-z]{2}-[a-z]+-\d$/, 'must be a region code such as eu-west-1')
      .default('us-east-1'),
    /** Who signs people in; without it the deployment makes a Cognito user pool. */
    userIssuer: z.strictObject({ issuer: httpsUrl, audience: z.string().min(1) }).optional(),
    adminIdentityIds: z.array(z.string().min(1)).default([]),
    ciIssuers: z
      .array(ciIssuerSchema)
      .default([{ issuer: 'https://token.actions.githubusercontent.com', kind: 'github', algorithms: ['RS256'] }]),
    /** Where a secret scanning partner publishes its keys; without it there is no address for its reports. */
    secretScanningKeysUrl: httpsUrl.optional(),
    corsOrigins: z.array(z.string().regex(/^https?:\/\/[^/*]+$/, 'must be an origin, without path or *')).default([]),
    /** The data proxy's own name. Its certificate must be one of us-east-1. */
    dataDomain: z.strictObject({ name: z.hostname(), certificateArn: z.string() }).optional(),
    /** What CI tokens name as their audience, when neither the data domain nor the distribution's name. */
    audience: httpsUrl.and(audience).optional(),
    /** The host below which accounts are host labels; `*.` of it must be in the certificate and point to the distribution. */
    virtualHostBase: z.string().optional(),
    /** How often one warm instance of the exchange takes a minute; the firewall in front of it counts for itself. */
    throttles: z
      .strictObject({
        perAddressPerMinute: z.int().min(1).default(limits.exchangesPerAddressPerMinute),
        perKeyPerMinute: z.int().min(1).default(limits.exchangesPerKeyPerMinute),
      })
      .prefault({}),
    /** `destroy` is for deployments whose data may be lost with their stacks. */
    removalPolicy: z.enum(['retain', 'destroy']).default('retain'),
  })
  .refine(({ userIssuer, ciIssuers }) => !ciIssuers.some(({ issuer }) => issuer === userIssuer?.issuer), {
    path: ['ciIssuers'],
    error: "must not hold the people's issuer: its tokens would sign in as service accounts",
  })
  .refine(({ virtualHostBase, dataDomain }) => virtualHostBase === undefined || dataDomain !== undefined, {
    path: ['virtualHostBase'],
    error: 'needs dataDomain: CloudFront answers to no other names than those of a certificate',
  });

/** What a deployment may choose; every part has a default. */
export type Config = z.output<typeof configSchema>;

/**
 * The CDK context's entry `sluice`: an object in cdk.json, or JSON text on the command line (`-c sluice='{…}'`).
 *
 * @throws Error naming each field that does not fit; unknown ones too, since a misspelt setting would be a silent default
 */
export function parseConfig(context: unknown): Config {
  const parsed = configSchema.safeParse(typeof context === 'string' ? JSON.parse(context) : (context ?? {}));
  if (parsed.success) return parsed.data;
  throw new Error(`The context entry "sluice" is not valid:\n${z.prettifyError(parsed.error)}`);
}
