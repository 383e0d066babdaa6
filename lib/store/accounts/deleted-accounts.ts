import type { AccountType } from '../../domain/accounts/accounts.ts';
import { ServiceError } from '../../domain/errors.ts';
import { encode } from '../codec.ts';
import { keys } from '../keys.ts';
import type { Write } from '../table.ts';

/** Of a deleted account this is left for good, so that nobody gets its ID and what it stood for. */
export interface DeletedAccount {
  account_id: string;
  account_type: AccountType;
  deleted_at: string;
}

export function deletionNote(deleted: DeletedAccount): Write {
  return {
    kind: 'put',
    item: encode('deleted_account', deleted, { key: keys.deletedAccount(deleted.account_id) }),
    condition: { exists: false },
  };
}

/** Part of whatever an account gets: nothing begins in one that is deleted at the same time, nor for its ID afterwards. */
export function whileNotDeleted(accountId: string, refusal: ServiceError = deletedMeanwhile): Write {
  return { kind: 'check', key: keys.deletedAccount(accountId), condition: { exists: false }, refusal };
}

const deletedMeanwhile = new ServiceError(
  'wrong_state',
  'The account was deleted; nothing can be given to it any more',
);
