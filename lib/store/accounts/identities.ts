import type { AccountRecord } from '../../domain/accounts/accounts.ts';
import type { PersonIdentity } from '../../domain/accounts/callers.ts';
import { ServiceError } from '../../domain/errors.ts';
import { decode, encode } from '../codec.ts';
import { keys } from '../keys.ts';
import { identityRecord } from '../records.ts';
import type { Table, Write } from '../table.ts';

/** Maps a person to their user account. Issuer and subject name a person: two issuers may use one subject for two people. */
export class Identities {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  async findAccountId({ issuer, identity_id }: PersonIdentity): Promise<string | undefined> {
    return decode(identityRecord, await this.#table.get(keys.person(issuer, identity_id)))?.account_id;
  }

  /** Returns the write that reserves the person for a new account. It fails when the person has an account. */
  writeFor({ issuer, identity_id }: PersonIdentity, account_id: string): Write {
    return {
      kind: 'put',
      item: encode('identity', { account_id }, { key: keys.person(issuer, identity_id) }),
      condition: { exists: false },
      refusal: new ServiceError('account_exists', 'This identity has a user account already; sign in to use it'),
    };
  }

  /** Returns the writes that release the person of a deleted account, so that they can create another one. */
  removalWrites({ account_id, identity_id, identity_issuer }: AccountRecord): Write[] {
    if (identity_issuer === undefined) return [];
    const key = keys.person(identity_issuer, identity_id);
    return [{ kind: 'delete', key, condition: { absentOrEquals: { account_id } } }];
  }
}
