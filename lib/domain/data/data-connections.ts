import * as z from 'zod';
import { requirableFlagSchema } from '../accounts/accounts.ts';
import { identifierSchema } from '../identifiers.ts';
import { isLoopbackHost } from '../loopback.ts';
import { boundedText } from '../text.ts';
import { versioned } from '../versions.ts';
import { repositoryDataModeSchema } from './repositories.ts';
import { storageHealthSchema } from './storage-health.ts';

/**
 * Matches bucket names by S3's rules for general purpose buckets. Dots are allowed, and IP addresses are not. Suffixes
 * that S3 reserves for aliases of buckets are not allowed, because an alias would hide that two connections use one
 * bucket.
 */
const bucketSchema = z
  .string()
  .regex(
    /^(?!\d+\.\d+\.\d+\.\d+$)(?!.*(?:-s3alias|--(?:ol|op|x|table)-s3|\.mrap)$)[a-z0-9](?!.*\.\.)[a-z0-9.-]{1,61}[a-z0-9]$/,
    'must be a valid S3 bucket name',
  );

/** Matches an empty text, or path segments that end in a slash. */
const basePrefixSchema = z
  .string()
  .max(512)
  .regex(
    /^(?:(?!\.{1,2}\/)[A-Za-z0-9._=-]+\/)*$/,
    'must be empty or path segments of letters, digits, ".", "_", "=" and "-", each ending in "/"',
  );

/**
 * The name of a region. Storage services other than AWS have their own names, such as `auto`, `nyc3`, `fr-par`, or
 * `us-west-004`.
 */
const regionSchema = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, "-" and "_"');

export function isAwsRegion(region: string): boolean {
  return /^[a-z]{2,}(?:-[a-z]+)+-\d{1,2}$/.test(region);
}

export const dataConnectionDetailsSchema = z.strictObject({
  provider: z.literal('s3'),
  bucket: bucketSchema,
  base_prefix: basePrefixSchema,
  region: regionSchema,
  endpoint: z.string().max(2048).optional(),
});
export type DataConnectionDetails = z.infer<typeof dataConnectionDetailsSchema>;

const accessKeyAuthenticationSchema = z.strictObject({
  type: z.literal('s3_access_key'),
  access_key_id: z.string().regex(/^[\x21-\x7e]{1,128}$/, 'must be 1 to 128 visible ASCII characters'),
  secret_access_key: z.string().regex(/^[\x21-\x7e]{1,256}$/, 'must be 1 to 256 visible ASCII characters'),
});

/** A role that the data proxy assumes with an external ID. The table stores no secret for it. */
const roleAuthenticationSchema = z.strictObject({
  type: z.literal('s3_assume_role'),
  role_arn: z
    .string()
    .regex(
      /^arn:aws(?:-cn|-eusc|-us-gov)?:iam::\d{12}:role\/[\w+=,.@/-]{1,512}$/,
      'must be the ARN of an IAM role such as arn:aws:iam::111122223333:role/sluice-storage',
    ),
  /**
   * The external ID of the role. It prevents a confused deputy: without it, a connection could name a role that trusts
   * the proxy for another user.
   */
  external_id: z.string().regex(/^[\w+=,.@:/-]{2,1224}$/, 'must be 2 to 1224 letters, digits or +=,.@:/_-'),
});
export type RoleAuthentication = z.infer<typeof roleAuthenticationSchema>;

/**
 * A role that the service assumes with a token of its own issuer. The table stores no secret for it. The role trusts
 * only the subject of this connection, so no other connection can use the role.
 */
const webIdentityAuthenticationSchema = z.strictObject({
  type: z.literal('s3_web_identity_role'),
  role_arn: roleAuthenticationSchema.shape.role_arn,
});
export type WebIdentityAuthentication = z.infer<typeof webIdentityAuthenticationSchema>;

const dataConnectionAuthenticationTypes = ['s3_access_key', 's3_assume_role', 's3_web_identity_role'] as const;

export const dataConnectionAuthenticationSchema = z.discriminatedUnion('type', [
  accessKeyAuthenticationSchema,
  roleAuthenticationSchema,
  webIdentityAuthenticationSchema,
]);
export type DataConnectionAuthentication = z.infer<typeof dataConnectionAuthenticationSchema>;

const placeholders = ['{{repository.account_id}}', '{{repository.repository_id}}'] as const;
export const defaultPrefixTemplate = `${placeholders[0]}/${placeholders[1]}/`;

export function isPlaceholder(segment: string): boolean {
  return placeholders.some((placeholder) => placeholder === segment);
}

/**
 * Matches a template for storage prefixes. The template contains each of the `placeholders` once, in any order. Literal
 * segments can be before, between, and after them.
 */
const prefixTemplatePattern = (() => {
  const [account, repository] = placeholders.map((placeholder) => placeholder.replace(/[{}.]/g, '\\$&'));
  const literals = '(?:(?!\\.{1,2}/)[A-Za-z0-9._=-]+/)*';
  const either = `(?:${account}/${literals}${repository}|${repository}/${literals}${account})`;
  return new RegExp(`^${literals}${either}/${literals}$`);
})();

export const prefixTemplateSchema = z
  .string()
  .max(512)
  .regex(
    prefixTemplatePattern,
    `must hold ${placeholders[0]} and ${placeholders[1]}, each once and as a whole path segment, and end in "/"`,
  );

/** Returns the prefix of a repository's objects below the connection's base prefix. It always ends in a slash. */
export function expandPrefixTemplate(
  template: string = defaultPrefixTemplate,
  repository: { account_id: string; repository_id: string },
): string {
  return template.replace(placeholders[0], repository.account_id).replace(placeholders[1], repository.repository_id);
}

export const dataConnectionSchema = z.object({
  data_connection_id: identifierSchema,
  name: boundedText(128, 1),
  prefix_template: prefixTemplateSchema.optional(),
  read_only: z.boolean(),
  allowed_data_modes: z.array(repositoryDataModeSchema),
  required_flag: requirableFlagSchema.optional(),
  details: dataConnectionDetailsSchema,
  authentication: dataConnectionAuthenticationSchema.optional(),
});
export type DataConnection = z.infer<typeof dataConnectionSchema>;

/** A data connection in responses. A connection of the platform has no owner. */
export const shownConnectionSchema = dataConnectionSchema.extend({
  owner_account_id: identifierSchema.optional(),
  /** Present if an administrator made the connection read-only. Only administrators can then allow writing again. */
  disabled_by: z.literal('admin').optional(),
  /** The type of `authentication` of an account's connection, for lists. Absent for a public bucket. */
  authentication_type: z.enum(dataConnectionAuthenticationTypes).optional(),
  /**
   * The state of a connection. A `draft` can hold no repositories until a test shows that its owner controls the
   * storage. Absent if no test is needed.
   */
  state: z.enum(['draft', 'ready']).optional(),
  /** The key of the marker object that the owner of a draft uploads, if the connection itself cannot write. */
  marker_key: z.string().optional(),
  /** The last failure of the connection's storage in 30 days. Absent if there was none. */
  health: storageHealthSchema.optional(),
  /** The policies of a role that the service assumes with a token (web identity). */
  identity: z
    .object({
      issuer: z.string(),
      audience: z.string(),
      subject: z.string(),
      trust_policy: z.string(),
      permission_policy: z.string(),
    })
    .optional(),
});
export type ShownConnection = z.infer<typeof shownConnectionSchema>;

/**
 * A stored data connection. Its credentials are encrypted. `in_use` is true if a repository was ever created on the
 * connection.
 */
export const dataConnectionRecord = shownConnectionSchema
  .omit({ authentication: true, marker_key: true, identity: true, health: true })
  .extend({
    /** The random internal ID of a connection. A later connection with the same ID gets a different one. */
    uid: z.string(),
    created_at: z.string(),
    in_use: z.boolean(),
    sealed_authentication: z.string().optional(),
    /** The value of `read_only` before an administrator disabled the connection. */
    read_only_before: z.boolean().optional(),
    /** The random part of the name of the marker object, for a draft. */
    marker_nonce: z.string().optional(),
    ...versioned,
  });
export type DataConnectionRecord = z.infer<typeof dataConnectionRecord>;

/** Returns the host of a storage endpoint in a normal form. An empty string means AWS without an endpoint. */
export function endpointHost({ endpoint }: Pick<DataConnectionDetails, 'endpoint'>): string {
  if (endpoint === undefined) return '';
  const { hostname, port } = new URL(endpoint);
  const host = hostname.replace(/\.$/, '');
  const isUsualPort = port === '' || port === '443' || port === '80';
  return (isLoopbackHost(host) ? 'localhost' : host) + (isUsualPort ? '' : `:${port}`);
}

/** Encrypts the credentials of data connections. A ciphertext opens only for its own connection. */
export interface ConnectionSecrets {
  seal(authentication: DataConnectionAuthentication, dataConnectionId: string): Promise<string>;
  open(sealed: string, dataConnectionId: string): Promise<DataConnectionAuthentication>;
}
