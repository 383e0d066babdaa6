import type { Account } from '../domain/accounts/accounts.ts';
import { explainRefusal } from '../domain/ci/sign-in-differences.ts';
import { limits } from '../domain/limits.ts';
import { showRefusal } from '../domain/service-accounts/refused-sign-ins.ts';
import type { ServiceAccount, ServiceAccountRecord } from '../domain/service-accounts/service-accounts.ts';
import type { Store } from './store.ts';

/**
 * Returns a service account in the form for users who manage it, with an explanation of its last refused sign-in. Takes
 * two round trips.
 */
export async function showServiceAccount(
  serviceAccount: ServiceAccountRecord,
  owner: Account,
  store: Pick<Store, 'refusedSignIns' | 'trustedWorkflows'>,
): Promise<ServiceAccount> {
  const [refused] = await store.refusedSignIns.findLast([serviceAccount]);
  if (refused === undefined) return serviceAccount;
  const page = { limit: limits.trustedWorkflowsMax, after: undefined };
  const trusted = await store.trustedWorkflows.list(serviceAccount.uid, page);
  const isDisabled = serviceAccount.disabled || owner.disabled;
  return { ...serviceAccount, last_refused_sign_in: explainRefusal(refused, trusted.items, { isDisabled }) };
}

/** Returns many service accounts in one round trip. Does not explain their refused sign-ins. */
export async function showServiceAccounts(
  serviceAccounts: readonly ServiceAccountRecord[],
  store: Pick<Store, 'refusedSignIns'>,
): Promise<ServiceAccount[]> {
  const refusals = await store.refusedSignIns.findLast(serviceAccounts);
  return serviceAccounts.map((serviceAccount, index) => {
    const refused = refusals[index];
    return refused === undefined ? serviceAccount : { ...serviceAccount, last_refused_sign_in: showRefusal(refused) };
  });
}
