import type { Account } from '../domain/accounts/accounts.ts';
import { explainRefusal } from '../domain/ci/sign-in-differences.ts';
import { limits } from '../domain/limits.ts';
import type { ServiceAccount, ServiceAccountRecord } from '../domain/service-accounts/service-accounts.ts';
import type { Store } from '../store/store.ts';

/** Enough that a long list takes moments, few enough that it does not throttle the table. */
const atOnce = 20;

/** Service accounts as their managers see them, each with its last refused sign-in explained. */
export async function showServiceAccounts(
  serviceAccounts: readonly ServiceAccountRecord[],
  owner: Account,
  store: Pick<Store, 'refusedSignIns' | 'trustedWorkflows'>,
): Promise<ServiceAccount[]> {
  const refusals = await store.refusedSignIns.findLast(serviceAccounts);
  const show = async (serviceAccount: ServiceAccountRecord, index: number): Promise<ServiceAccount> => {
    const refused = refusals[index];
    if (refused === undefined) return serviceAccount;
    const trusted = await store.trustedWorkflows.list(serviceAccount.uid, {
      limit: limits.trustedWorkflowsMax,
      after: undefined,
    });
    const isDisabled = serviceAccount.disabled || owner.disabled;
    return { ...serviceAccount, last_refused_sign_in: explainRefusal(refused, trusted.items, { isDisabled }) };
  };
  const shown: ServiceAccount[] = [];
  for (let start = 0; start < serviceAccounts.length; start += atOnce) {
    const group = serviceAccounts.slice(start, start + atOnce);
    shown.push(...(await Promise.all(group.map((serviceAccount, index) => show(serviceAccount, start + index)))));
  }
  return shown;
}
