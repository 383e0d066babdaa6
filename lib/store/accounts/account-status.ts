import type { DisabledBy } from '../../domain/accounts/disabling.ts';
import type { AccountStatus, ActingAccountStatus } from '../../domain/data/data-access.ts';
import { conflict } from '../../domain/errors.ts';
import { decode } from '../codec.ts';
import type { Change } from '../expressions.ts';
import type { Item } from '../keys.ts';
import { accountRecord, disabledCount } from '../records.ts';

export function accountStatusOf(item: Item | undefined): AccountStatus | undefined {
  const account = decode(accountRecord, item);
  return account && { account_id: account.account_id, account_type: account.account_type, disabled: account.disabled };
}

export function actingAccountStatusOf(item: Item | undefined): ActingAccountStatus | undefined {
  const account = accountStatusOf(item);
  return account && { ...account, times_disabled: timesDisabled(item) };
}

export const accountChangedMeanwhile = conflict('The account was changed at the same time; read it and try again');

/**
 * Returns the change that disables an account of any type, or enables it when `by` is undefined. Each disable
 * increments `times_disabled`.
 */
export function disabledChange(by: DisabledBy | undefined): Change {
  if (by === undefined) return { set: { disabled: false }, remove: ['disabled_by'] };
  return { set: { disabled: true, disabled_by: by }, add: { times_disabled: 1 } };
}

/**
 * Adds the owner's `times_disabled` to that of a service account. The sign-in stores this sum in the credentials, and
 * every later check must compute the same sum.
 */
export function withOwnersCount<Counted extends { times_disabled: number }>(
  serviceAccount: Counted,
  owner: Item | undefined,
): Counted {
  return { ...serviceAccount, times_disabled: serviceAccount.times_disabled + timesDisabled(owner) };
}

export function timesDisabled(item: Item | undefined): number {
  return decode(disabledCount, item)?.times_disabled ?? 0;
}
