import { deriveApiKeySecret, hashApiKeySecret } from '../../domain/secrets/api-key-secrets.ts';
import { toTimestamp } from '../../domain/time.ts';
import { decode } from '../codec.ts';
import { apiKeyRecord } from '../records.ts';
import { attributesOf, type Migration } from './migration.ts';

/**
 * Gives the keys of an older release the hash of their secret, by which the public revocation knows them, and revokes
 * those that were reported with it meanwhile. A key whose version of the master is gone cannot be used any more.
 */
export const secretsOfApiKeys: Migration = {
  name: '0006-secrets-of-api-keys',
  entities: ['api_key'],
  async *changes(item, { apiKeyMasters, now }) {
    const { access_key_id, secret_hash: known, secret_version, disabled, reported_hashes } = decode(apiKeyRecord, item);
    if (known !== undefined) return;
    if (apiKeyMasters === undefined)
      throw new Error('the master secret of API keys is needed, to hash what follows from it');
    const master = (await apiKeyMasters()).find(({ version }) => version === secret_version);
    if (master === undefined) return;
    const secret_hash = hashApiKeySecret(deriveApiKeySecret(master, access_key_id));
    const isReported = !disabled && reported_hashes?.has(secret_hash) === true;
    yield* attributesOf(item, {
      secret_hash,
      disabled_when_found: true,
      reported_hashes: undefined,
      ...(isReported ? { disabled: true, reported_at: toTimestamp(now) } : {}),
    });
  },
};
