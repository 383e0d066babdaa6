import { showKey } from '../../lib/domain/secrets/key-rotation.ts';
import { toTimestamp } from '../../lib/domain/time.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { revokeServiceAccountKey } from '../../lib/operations/service-accounts.ts';

export const handler = apiFunction(revokeServiceAccountKey, async ({ target, path, query, services, now, event }) => {
  const { account, serviceAccount } = target;
  const { service_account_id, end_sessions_on_revocation } = serviceAccount;
  const { serviceAccountKeys, endedSessions } = services.store;
  const { key, all } = await serviceAccountKeys.load(serviceAccount, path.key_id);
  const revoked_at = key.revoked_at ?? toTimestamp(now);
  const revoked = event('service_account_key.revoked', account.account_id, { service_account_id, key_id: key.key_id });
  const isEnding = query.end_sessions === 'true' || end_sessions_on_revocation;
  const ended = await endedSessions.revoke({ serviceAccount, id: key.key_id, isEnding }, now, (ending) =>
    // Accept a key that is already revoked, so that the caller can still end its sessions.
    key.revoked_at === null ? serviceAccountKeys.revoke(key, revoked_at, revoked, ending) : endedSessions.write(ending),
  );
  return { ...showKey({ ...key, revoked_at }, all, now), ...ended };
});
