import { type AccountType, accountRecord } from '../../domain/accounts/accounts.ts';
import { type Disabling, disablingFields } from '../../domain/accounts/disabling.ts';
import type { AccountStatus, ActingAccountStatus } from '../../domain/data/data-access.ts';
import { conflict, ServiceError } from '../../domain/errors.ts';
import { decode, encode } from '../codec.ts';
import { type Change, changeTo } from '../expressions.ts';
import { type Item, keys } from '../keys.ts';
import { disabledCount } from '../records.ts';
import { check, put, type Write } from '../writes.ts';

export function accountStatusOf(item: Item | undefined): AccountStatus | undefined {
  const account = decode(accountRecord, item);
  if (account === undefined) return undefined;
  const { account_id, account_type, disabled, times_disabled } = account;
  return { account_id, account_type, disabled, times_disabled };
}

export function actingAccountStatusOf(item: Item | undefined): ActingAccountStatus | undefined {
  const account = accountStatusOf(item);
  return account && { ...account, times_disabled: timesDisabled(item) };
}

export const accountConflict = conflict('The account was changed at the same time; read it and try again');

/**
 * Returns the update that disables an account and adds 1 to `times_disabled`. If `disabling` is undefined, the update
 * enables the account.
 */
export function disabledChange(disabling: Disabling | undefined, time: string): Change {
  const change = changeTo(disablingFields(disabling, time));
  return disabling === undefined ? change : { ...change, add: { times_disabled: 1 } };
}

/**
 * Adds the owner's `times_disabled` to the `times_disabled` of the service account. Issued credentials contain the sum,
 * and each later check compares it with the current sum.
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

/**
 * The permanent marker of a deleted account. It prevents another account from getting the ID, because others may still
 * trust this ID.
 */
export interface DeletedAccount {
  account_id: string;
  account_type: AccountType;
  deleted_at: string;
}

export function deletionMarker(deleted: DeletedAccount): Write {
  return put(encode('deleted_account', deleted, { key: keys.deletedAccount(deleted.account_id) }), { exists: false });
}

/**
 * Returns the condition check that the account was not deleted. Every transaction that adds something to an account
 * includes it.
 */
export function checkAccountNotDeleted(accountId: string, refusal: ServiceError = deletedMeanwhile): Write {
  return check(keys.deletedAccount(accountId), { exists: false }, refusal);
}

const deletedMeanwhile = new ServiceError('wrong_state', 'The account was deleted; it can no longer receive anything');
