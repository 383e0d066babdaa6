import { shownNameOf } from '../../lib/domain/accounts/accounts.ts';
import { actingAccountOf } from '../../lib/domain/accounts/callers.ts';
import { ServiceError } from '../../lib/domain/errors.ts';
import {
  hashServiceAccountKey,
  issueServiceAccountKey as issueKey,
} from '../../lib/domain/service-accounts/service-account-key.ts';
import { expiryFrom, keyState } from '../../lib/domain/service-accounts/service-accounts.ts';
import { toTimestamp } from '../../lib/domain/time.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { issueServiceAccountKey } from '../../lib/operations/service-accounts.ts';

export const handler = apiFunction(issueServiceAccountKey, async ({ caller, target, body, services, now, event }) => {
  const { serviceAccount } = target;
  const { service_account_id } = serviceAccount;
  if (serviceAccount.disabled) {
    throw new ServiceError('wrong_state', 'The service account is disabled; enable it before you issue a key');
  }
  const key = issueKey(services.random);
  const issuer = actingAccountOf(caller);
  const record = {
    key_hash: hashServiceAccountKey(key),
    key_id: services.random.uuid(),
    service_account_id,
    service_account_uid: serviceAccount.uid,
    label: body.label,
    expires_at: expiryFrom(body.expiry, now),
    last_used_at: null,
    revoked_at: null,
    created_at: toTimestamp(now),
    created_by: issuer?.account_id,
  };
  const issued = event('service_account_key.issued', target.account.account_id, {
    service_account_id,
    key_id: record.key_id,
  });
  await services.store.serviceAccountKeys.create(serviceAccount, record, issued);
  const maker = {
    created_by: record.created_by ?? null,
    created_by_name: shownNameOf(issuer),
    created_by_is_member: true,
  };
  return { ...record, ...maker, state: keyState(record, now), newer_key_in_use: false, key };
});
