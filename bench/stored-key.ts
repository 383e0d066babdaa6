import { hashServiceAccountKey, issueServiceAccountKey } from '../lib/domain/service-accounts/service-account-key.ts';
import type { ServiceAccountKeyRecord } from '../lib/domain/service-accounts/service-accounts.ts';
import { systemRandom } from '../lib/lambda/random.ts';
import type { SeededService } from './seeded-service.ts';

/** Stores a key in any state, without the management API. */
export async function storeKey(
  { services }: SeededService,
  serviceAccountId: string,
  changes: Partial<ServiceAccountKeyRecord> = {},
): Promise<string> {
  const { facts, serviceAccountKeys } = services.store;
  const { serviceAccount } = await facts.readRequestData({ serviceAccountId });
  if (serviceAccount === undefined) throw new Error(`there is no service account ${serviceAccountId}`);
  const key = issueServiceAccountKey(systemRandom);
  const record: ServiceAccountKeyRecord = {
    key_hash: hashServiceAccountKey(key),
    key_id: systemRandom.uuid(),
    service_account_id: serviceAccountId,
    service_account_uid: serviceAccount.uid,
    label: 'bench',
    expires_at: null,
    last_used_at: null,
    revoked_at: null,
    created_at: new Date().toISOString(),
    ...changes,
  };
  await serviceAccountKeys.create(serviceAccount, record, {
    event_id: systemRandom.uuid(),
    time: record.created_at,
    kind: 'service_account_key.issued',
    account_id: 'tide-institute',
    actor: { account_id: 'ada' },
    subject: { key_id: record.key_id },
    request_id: 'bench',
  });
  return key;
}
