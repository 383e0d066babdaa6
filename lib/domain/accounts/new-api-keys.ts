import { invalidInput } from '../errors.ts';
import { limits } from '../limits.ts';
import type { RandomSource } from '../random.ts';
import { deriveApiKeySecret, hashApiKeySecret, issueApiKeyId } from '../secrets/api-key-secrets.ts';
import { activeVersion, type SecretSource } from '../secrets/secret-versions.ts';
import { parseTimestamp, toTimestamp } from '../time.ts';
import { shownNameOf } from './accounts.ts';
import type { ApiKey, ApiKeyRecord } from './api-keys.ts';
import { actingAccountOf, type Caller } from './callers.ts';
import type { Roles } from './memberships.ts';

interface NewApiKey {
  account_id: string;
  account_uid?: string | undefined;
  repository_id?: string;
  repository_uid?: string | undefined;
  name: string;
  expires: string;
}

/** Creates an API key. `shown` has the secret, for one response. Throws `invalid_request`. */
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
