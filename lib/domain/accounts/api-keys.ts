import * as z from 'zod';
import { ofRepository } from '../data/internal-ids.ts';
import { invalidInput } from '../errors.ts';
import { anyAccountIdSchema, identifierSchema, serviceAccountIdSchema, uuidSchema } from '../identifiers.ts';
import { limits } from '../limits.ts';
import type { RandomSource } from '../random.ts';
import { deriveApiKeySecret, hashApiKeySecret, issueApiKeyId } from '../secrets/api-key-secrets.ts';
import { activeVersion, type SecretSource } from '../secrets/secret-versions.ts';
import { keyStateSchema } from '../service-accounts/service-accounts.ts';
import { boundedText, timestampSchema } from '../text.ts';
import { parseTimestamp, toTimestamp } from '../time.ts';
import { shownNameOf } from './accounts.ts';
import { actingAccountOf, type Caller } from './callers.ts';
import { keyCreatorShape } from './key-creators.ts';
import type { Roles } from './memberships.ts';

export const apiKeySchema = z.object({
  access_key_id: z.string(),
  account_id: anyAccountIdSchema,
  repository_id: identifierSchema.optional(),
  disabled: z.boolean(),
  expires: timestampSchema,
  name: boundedText(limits.apiKeyNameLengthMax, 1),
  ...keyCreatorShape,
  secret_access_key: z.string().optional(),
});
export type ApiKey = z.infer<typeof apiKeySchema>;

/**
 * A stored API key. The service derives its secret from the master secret of `secret_version`, and never stores it.
 */
export const apiKeyRecord = apiKeySchema
  .omit({ secret_access_key: true, created_by: true, created_by_name: true, created_by_is_member: true })
  .extend({
    created_by: z.string().optional(),
    /** The internal ID of the owning service account. Absent for users and organizations, whose IDs are not reused. */
    account_uid: z.string().optional(),
    secret_version: z.int(),
    created_at: z.string(),
    /** SHA-256 of the secret. The public revocation compares it with the hash of the reported secret. */
    secret_hash: z.string(),
    ...ofRepository,
  });
export type ApiKeyRecord = z.infer<typeof apiKeyRecord>;

/** Returns true if the key belongs to this account, not to a deleted service account with the same ID. */
export function isKeyOfAccount(
  { account_uid }: Pick<ApiKeyRecord, 'account_uid'>,
  { uid }: { uid?: string | undefined },
): boolean {
  return account_uid === uid;
}

export function isLiveApiKey(key: Pick<ApiKey, 'disabled' | 'expires'>, now: number): boolean {
  return !key.disabled && parseTimestamp(key.expires) > now;
}

/** An API key or service account key in the list of keys that a user created. */
export const createdKeySchema = z.object({
  kind: z.enum(['api_key', 'service_account_key']),
  access_key_id: z.string().optional(),
  repository_id: identifierSchema.optional(),
  service_account_id: serviceAccountIdSchema.optional(),
  key_id: uuidSchema.optional(),
  name: z.string(),
  state: keyStateSchema,
  expires_at: timestampSchema.nullable(),
  created_at: timestampSchema,
});
export type CreatedKey = z.infer<typeof createdKeySchema>;

interface NewApiKey {
  account_id: string;
  account_uid?: string | undefined;
  repository_id?: string;
  repository_uid?: string | undefined;
  name: string;
  expires: string;
}

/**
 * Creates an API key. The field `shown` contains the secret, which only this one response returns. Throws
 * `invalid_request`.
 */
export async function newApiKey(
  wanted: NewApiKey,
  { caller, roles }: { caller: Caller; roles: Roles },
  { apiKeyMasters, random }: { apiKeyMasters: SecretSource; random: RandomSource },
  now: number,
): Promise<{ record: ApiKeyRecord; shown: ApiKey & { secret_access_key: string } }> {
  if (parseTimestamp(wanted.expires) <= now)
    throw invalidInput([{ path: 'expires', message: 'must lie in the future' }]);
  const master = activeVersion(await apiKeyMasters(), now, limits.secretActivationSeconds);
  const key = { ...wanted, access_key_id: issueApiKeyId(random), disabled: false };
  const creator = actingAccountOf(caller);
  const created_by = creator?.account_id;
  const isMember = created_by === key.account_id || roles.account !== undefined || roles.repository !== undefined;
  const secret_access_key = deriveApiKeySecret(master, key.access_key_id);
  const secret_hash = hashApiKeySecret(secret_access_key);
  return {
    record: { ...key, created_by, secret_version: master.version, secret_hash, created_at: toTimestamp(now) },
    shown: {
      ...key,
      created_by: created_by ?? null,
      created_by_name: shownNameOf(creator),
      created_by_is_member: isMember,
      secret_access_key,
    },
  };
}
