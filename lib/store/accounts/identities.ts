import type { AccountRecord } from '../../domain/accounts/accounts.ts';
import type { PersonIdentity } from '../../domain/accounts/callers.ts';
import { ServiceError } from '../../domain/errors.ts';
import { encode } from '../codec.ts';
import { keys } from '../keys.ts';
import { identityRecord } from '../records.ts';
import { TableStore } from '../table.ts';
import { put, remove, type Write } from '../writes.ts';

/** Maps an identity to its user account. Two issuers can use one subject, so an identity names both. */
export class Identities extends TableStore {
  async findAccountId({ issuer, identity_id }: PersonIdentity): Promise<string | undefined> {
    return (await this.table.find(identityRecord, keys.person(issuer, identity_id)))?.account_id;
  }

  /** Returns the write that reserves the identity for a new account. It fails when the identity has an account. */
  writeFor({ issuer, identity_id }: PersonIdentity, account_id: string): Write {
    return put(
      encode('identity', { account_id }, { key: keys.person(issuer, identity_id) }),
      { exists: false },
      new ServiceError('account_exists', 'This identity has a user account already; sign in to use it'),
    );
  }

  /** Returns the writes that release the identity of a deleted account, so that the user can create another account. */
  removalWrites({ account_id, identity_id, identity_issuer }: AccountRecord): Write[] {
    if (identity_issuer === undefined) return [];
    const key = keys.person(identity_issuer, identity_id);
    return [remove(key, { absentOrEquals: { account_id } })];
  }
}
