import type { AccountType } from '../../domain/accounts/accounts.ts';
import { ServiceError } from '../../domain/errors.ts';
import { encode } from '../codec.ts';
import { keys } from '../keys.ts';
import { check, put, type Write } from '../writes.ts';

/** The permanent marker of a deleted account. No other account can get its ID and the trust in this ID. */
export interface DeletedAccount {
  account_id: string;
  account_type: AccountType;
  deleted_at: string;
}

export function deletionNote(deleted: DeletedAccount): Write {
  return put(encode('deleted_account', deleted, { key: keys.deletedAccount(deleted.account_id) }), { exists: false });
}

/**
 * Returns the check that the account was not deleted. Every write that adds something to an account includes this
 * check.
 */
export function whileNotDeleted(accountId: string, refusal: ServiceError = deletedMeanwhile): Write {
  return check(keys.deletedAccount(accountId), { exists: false }, refusal);
}

const deletedMeanwhile = new ServiceError(
  'wrong_state',
  'The account was deleted; nothing can be given to it any more',
);
