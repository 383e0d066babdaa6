import type { Account, AccountFlag, AccountProfile, AccountRecord } from '../domain/accounts/accounts.ts';
import type { DisabledBy } from '../domain/accounts/disabling.ts';
import type { AuditEvent } from '../domain/changes/audit.ts';
import { ServiceError } from '../domain/errors.ts';
import { disabledChange } from './account-facts.ts';
import { auditWrite } from './audit.ts';
import { encode } from './codec.ts';
import type { Change, Condition } from './expressions.ts';
import { keys } from './keys.ts';
import { memberWrites } from './memberships.ts';
import type { MembershipRecord } from './records.ts';
import type { Table, Write } from './table.ts';

export class AccountStore {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  /** One account per ID and one user account per identity, in one transaction: of two racing creates one is refused. */
  async createUser(account: Account, event: AuditEvent): Promise<void> {
    await this.#table.transact([
      newAccount(account),
      {
        kind: 'put',
        item: encode('identity', { account_id: account.account_id }, { key: keys.identity(account.identity_id) }),
        condition: { exists: false },
        refusal: new ServiceError('conflict', 'This identity has a user account already; sign in to use it'),
      },
      auditWrite(event),
    ]);
  }

  /** An organization and its first owner appear together or not at all. */
  async createOrganization(account: Account, owner: MembershipRecord, event: AuditEvent): Promise<void> {
    await this.#table.transact([newAccount(account, { owner_count: 1 }), ...memberWrites(owner), auditWrite(event)]);
  }

  async createPlatformLogin(account: Account, event: AuditEvent): Promise<void> {
    await this.#table.transact([newAccount(account), auditWrite(event)]);
  }

  /**
   * Only from what was read: of an owner and an administrator at the same time, the second has to look again at what
   * the first one did.
   */
  async setDisabled(account: AccountRecord, by: DisabledBy | undefined, event: AuditEvent): Promise<void> {
    const { account_id, disabled, disabled_by } = account;
    await this.#change(account_id, disabledChange(by), event, {
      condition: { equals: { disabled }, equalsOrAbsent: { disabled_by } },
      refusal: new ServiceError('conflict', 'The account was changed at the same time; read it and try again'),
    });
  }

  async setFlags(account: Account, flags: readonly AccountFlag[], event: AuditEvent): Promise<void> {
    await this.#change(account.account_id, { set: { flags: [...flags] } }, event);
  }

  /** Sets each field sent and leaves the others, so that two updates of different fields both last. */
  async setProfileFields(account: Account, fields: AccountProfile, event: AuditEvent): Promise<AccountProfile> {
    const sent = Object.entries(fields).filter(([, value]) => value !== undefined);
    if (sent.length === 0) return account.profile;
    await this.#change(
      account.account_id,
      { set: Object.fromEntries(sent.map(([name, value]) => [`profile.${name}`, value])) },
      event,
    );
    return { ...account.profile, ...fields };
  }

  async #change(
    accountId: string,
    change: Change,
    event: AuditEvent,
    bound: { condition: Condition; refusal?: ServiceError } = { condition: { exists: true } },
  ): Promise<void> {
    await this.#table.transact([{ kind: 'update', key: keys.account(accountId), change, ...bound }, auditWrite(event)]);
  }
}

function newAccount(account: Account, extra: Record<string, unknown> = {}): Write {
  return {
    kind: 'put',
    item: encode('account', { ...account, ...extra }, { key: keys.account(account.account_id) }),
    condition: { exists: false },
    refusal: new ServiceError('conflict', `The account ID ${account.account_id} is taken; choose another`),
  };
}
