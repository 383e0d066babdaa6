import { type RefusedSignIn, refusedSignInSchema } from '../domain/service-accounts/refused-sign-ins.ts';
import type { ServiceAccountRecord } from '../domain/service-accounts/service-accounts.ts';
import { decode } from './codec.ts';
import { keys } from './keys.ts';
import { TableStore } from './table.ts';

export class RefusedSignInStore extends TableStore {
  /**
   * Returns the last refusal of each service account, in the same order. Refusals before the creation of the service
   * account do not count.
   */
  async findLast(
    serviceAccounts: readonly Pick<ServiceAccountRecord, 'service_account_id' | 'created_at'>[],
  ): Promise<(RefusedSignIn | undefined)[]> {
    const items = await this.table.getMany(
      serviceAccounts.map(({ service_account_id }) => keys.refusedSignIn(service_account_id)),
    );
    const refusals = items.map((item) => decode(refusedSignInSchema, item));
    return refusals.map((refused, index) => {
      const serviceAccount = serviceAccounts[index];
      return serviceAccount !== undefined && refused !== undefined && isRefusalOf(refused, serviceAccount)
        ? refused
        : undefined;
    });
  }
}

/** Returns false for a refusal before the creation of the service account. */
export function isRefusalOf(refused: RefusedSignIn, { created_at }: Pick<ServiceAccountRecord, 'created_at'>): boolean {
  return created_at <= refused.time;
}
