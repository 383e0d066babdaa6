import {
  type Account,
  type AccountFlag,
  type AccountProfile,
  type AccountRecord,
  accountRecord,
  shownNameOf,
} from '../../domain/accounts/accounts.ts';
import type { UserIdentity } from '../../domain/accounts/callers.ts';
import { type Disabling, disablingFields } from '../../domain/accounts/disabling.ts';
import type { ListedMembership, Membership } from '../../domain/accounts/memberships.ts';
import type { AuditEvent, ListedAuditEvent } from '../../domain/changes/audit.ts';
import { ServiceError } from '../../domain/errors.ts';
import { parseServiceAccountId } from '../../domain/identifiers.ts';
import { limits } from '../../domain/limits.ts';
import type { ListPage } from '../../domain/list-pages.ts';
import { foldPhrase } from '../../domain/text.ts';
import { daySeconds, parseTimestamp, toTimestamp } from '../../domain/time.ts';
import { auditWrite } from '../audit.ts';
import { decode, encode } from '../codec.ts';
import { type Change, changeTo, ifUnchanged, nextVersion } from '../expressions.ts';
import { keys, listPosition, lists, rangeOfPrefix, sublists } from '../keys.ts';
import { memberWrites } from '../memberships/memberships.ts';
import { identityRecord, type MembershipRecord } from '../records.ts';
import { countReopening, type Opener } from '../repositories/repositories.ts';
import { type Table, TableStore } from '../table.ts';
import { countInWindow, put, remove, update, type Write, windowOf } from '../writes.ts';
import { accountConflict, checkAccountNotDeleted, disabledChange } from './account-status.ts';

/**
 * The audit event of an account's creation, and the user whose daily count of created accounts grows. Creations by an
 * administrator do not count.
 */
export interface Creation {
  event: AuditEvent;
  counted: UserIdentity | undefined;
}

export class AccountStore extends TableStore {
  readonly #identities: Identities;

  constructor(table: Table, identities: Identities) {
    super(table);
    this.#identities = identities;
  }

  /**
   * Creates a user account. The transaction reserves the account ID and the user's identity. If two requests use the
   * same ID or identity at the same time, only one request succeeds.
   */
  async createUser(account: Account, user: UserIdentity, made: Creation): Promise<void> {
    await this.table.transact([
      ...newAccount(account, made.event.time, { identity_issuer: user.issuer }),
      this.#identities.writeFor(user, account.account_id),
      ...creationWrites(made),
    ]);
  }

  /** Creates an organization and its first owner in one transaction. */
  async createOrganization(account: Account, owner: MembershipRecord, made: Creation): Promise<void> {
    // Compare the IDs before the transaction, because a transaction that contains one item twice fails with another
    // error.
    if (account.account_id === owner.account_id) throw takenId(account.account_id);
    await this.table.transact([
      ...newAccount(account, made.event.time, { owner_count: 1 }),
      checkAccountNotDeleted(owner.account_id),
      ...memberWrites(owner),
      ...creationWrites(made),
    ]);
  }

  async createPlatformLogin(account: Account, made: Creation): Promise<void> {
    await this.table.transact([...newAccount(account, made.event.time), ...creationWrites(made)]);
  }

  /**
   * Disables or enables the account. If two requests change the account at the same time, the second request gets a
   * conflict and must retry.
   */
  async setDisabled(
    account: AccountRecord,
    disabling: Disabling | undefined,
    event: AuditEvent,
    { asAdmin = false }: Opener = {},
  ): Promise<AccountRecord> {
    // Enabling an account counts as a reopening, because the account's public data and pages become available again.
    const counted = disabling === undefined && !asAdmin ? [countReopening(account.account_id, event.time)] : [];
    const after = { ...account, ...disablingFields(disabling, event.time) };
    await this.#change(account, disabledChange(disabling, event.time), event, after, counted);
    return after;
  }

  async setFlags(account: AccountRecord, flags: readonly AccountFlag[], event: AuditEvent): Promise<void> {
    await this.#change(account, { set: { flags: [...flags] } }, event);
  }

  /** Updates only the fields of the request, so that two updates of different fields both succeed. */
  async setProfileFields(account: AccountRecord, fields: AccountProfile, event: AuditEvent): Promise<AccountProfile> {
    const sent = Object.entries(fields).filter(([, value]) => value !== undefined);
    if (sent.length === 0) return account.profile;
    const set = Object.fromEntries(sent.map(([name, value]) => [`profile.${name}`, value]));
    const profile = { ...account.profile, ...fields };
    await this.#change(account, { set }, event, { ...account, profile });
    return profile;
  }

  /**
   * Changes the account. `next` is the account after the change, from which the method derives the index keys for the
   * account search.
   */
  async #change(
    account: AccountRecord,
    { set, ...change }: Change,
    event: AuditEvent,
    next = account,
    further: readonly Write[] = [],
  ): Promise<void> {
    const indexKeys = changeTo(wantedIndexKeys(next));
    await this.table.transact([
      update(
        keys.account(account.account_id),
        {
          ...change,
          set: { ...set, ...nextVersion(account), ...indexKeys.set },
          remove: [...(change.remove ?? []), ...indexKeys.remove],
        },
        ifUnchanged(account),
        accountConflict,
      ),
      ...further,
      auditWrite(event),
    ]);
  }
}

function creationWrites({ event, counted }: Creation): Write[] {
  if (counted === undefined) return [auditWrite(event)];
  const day = event.time.slice(0, 10);
  const ttl = parseTimestamp(event.time) / 1000 + 2 * daySeconds;
  return [
    update(
      keys.accountsCreated(counted.issuer, counted.identity_id, day),
      { set: { entity: 'accounts_created_tally', ttl: Math.ceil(ttl) }, add: { created: 1 } },
      { absentOrLessThan: { created: limits.accountsCreatedPerDayMax } },
      new ServiceError(
        'limit_reached',
        `One user creates at most ${limits.accountsCreatedPerDayMax} accounts a day, counted in UTC; try again tomorrow`,
      ),
    ),
    auditWrite(event),
  ];
}

function takenId(accountId: string): ServiceError {
  return new ServiceError('account_id_taken', `The account ID ${accountId} is taken; choose another`);
}

function newAccount(account: Account, created_at: string, extra: Record<string, unknown> = {}): Write[] {
  const { account_id } = account;
  const taken = takenId(account_id);
  return [
    put(
      // Store the creation time, because young accounts can send fewer invitations.
      {
        ...encode('account', { ...account, ...extra, created_at, version: 1 }, { key: keys.account(account_id) }),
        ...wantedIndexKeys(account),
      },
      { exists: false },
      taken,
    ),
    checkAccountNotDeleted(account_id, taken),
  ];
}

/**
 * Maps a user's identity to the user account. The identity contains the issuer, because two issuers can use the same
 * subject.
 */
export class Identities extends TableStore {
  async findAccountId({ issuer, identity_id }: UserIdentity): Promise<string | undefined> {
    return (await this.table.find(identityRecord, keys.user(issuer, identity_id)))?.account_id;
  }

  /**
   * Returns the write that reserves the identity for a new account. It fails if the identity already has an account.
   */
  writeFor({ issuer, identity_id }: UserIdentity, account_id: string): Write {
    return put(
      encode('identity', { account_id }, { key: keys.user(issuer, identity_id) }),
      { exists: false },
      new ServiceError('account_exists', 'This identity has a user account already; sign in to use it'),
    );
  }

  /** Returns the writes that release the identity of a deleted account, so that the user can create another account. */
  removalWrites({ account_id, identity_id, identity_issuer }: AccountRecord): Write[] {
    if (identity_issuer === undefined) return [];
    const key = keys.user(identity_issuer, identity_id);
    return [remove(key, { absentOrEquals: { account_id } })];
  }
}

/** Returns the public name for an account ID. */
export type NameOf = (accountId: string | null) => string | null;

export class AccountNameStore extends TableStore {
  /**
   * Reads the public names of accounts in one round trip. The caller has already loaded the account `known`, so the
   * method does not read it.
   */
  async find(accountIds: readonly (string | null)[], known: Account | null): Promise<NameOf> {
    const ids = [...new Set(accountIds.filter((id) => id !== null))];
    const unknown = ids.filter((id) => id !== known?.account_id);
    const items = await this.table.getMany(unknown.map(keys.account));
    const names = new Map(unknown.map((id, index) => [id, shownNameOf(decode(accountRecord, items[index]))]));
    if (known !== null) names.set(known.account_id, shownNameOf(known));
    return (id) => (id === null ? null : (names.get(id) ?? null));
  }

  /**
   * Adds account names to a page of memberships, in one round trip. The caller has already loaded the account `known`,
   * so the method does not read it.
   */
  async ofMemberships({ items, next }: ListPage<Membership>, known: Account): Promise<ListPage<ListedMembership>> {
    const nameOf = await this.find(
      items.flatMap((item) => [item.account_id, item.membership_account_id]),
      known,
    );
    const named = items.map((item) => ({
      ...item,
      account_name: nameOf(item.account_id),
      membership_account_name: nameOf(item.membership_account_id),
    }));
    return { items: named, next };
  }

  /** Adds the names of the actors to a page of audit events, in one round trip. */
  async ofActors({ items, next }: ListPage<AuditEvent>, known: Account | null): Promise<ListPage<ListedAuditEvent>> {
    const nameOf = await this.find(
      items.map(({ actor }) => actor.account_id),
      known,
    );
    const named = items.map((item) => ({
      ...item,
      actor: { ...item.actor, account_name: nameOf(item.actor.account_id) },
    }));
    return { items: named, next };
  }

  /** Adds the names of the creators to a page of a list, in one round trip. */
  async ofCreators<Created extends { created_by: string }>(
    { items, next }: ListPage<Created>,
    known: Account,
  ): Promise<ListPage<Created & { created_by_name: string | null }>> {
    const nameOf = await this.find(
      items.map(({ created_by }) => created_by),
      known,
    );
    return { items: items.map((item) => ({ ...item, created_by_name: nameOf(item.created_by) })), next };
  }
}

/** Searches for accounts to invite, by the beginning of an account ID or of a display name. */
export class AccountSearchStore extends TableStore {
  /**
   * Returns the first enabled user accounts that match the text. Matches of the ID come first, then matches of the
   * name; both are sorted. Takes one round trip, because the indexes contain whole accounts. The indexes can lag behind
   * the table for a moment.
   *
   * Counts the search, and throws `throttled` above the searching account's limit per minute.
   */
  async search(text: string, accountId: string, now: number): Promise<Account[]> {
    const page = {
      ...rangeOfPrefix(indexedName(text)),
      limit: limits.foundAccountsMax,
      after: undefined,
      roundTripsMax: 1,
    };
    const [byId, byName] = await Promise.all([
      this.table.listPage('lists', lists.accounts('users'), page),
      this.table.listPage('sublists', sublists.accountsByName('users'), page),
      this.#count(accountId, toTimestamp(now)),
    ]);
    const found = [...byId.items, ...byName.items].map((item) => decode(accountRecord, item));
    const unique = new Map(found.map((account) => [account.account_id, account]));
    return [...unique.values()].slice(0, limits.foundAccountsMax);
  }

  /**
   * Counts an account search without a transaction, because many simultaneous searches would conflict in transactions.
   */
  async #count(accountId: string, time: string): Promise<void> {
    const { key, change, condition, refusal } = countInWindow({
      key: keys.accountSearches(accountId, windowOf(time, 'minute')),
      entity: 'account_searches_tally',
      counter: 'searches',
      max: limits.accountSearchesPerMinuteMax,
      window: 'minute',
      time,
      sentence: () =>
        `One user searches for accounts at most ${limits.accountSearchesPerMinuteMax} times a minute; wait until the next one begins`,
    });
    if ((await this.table.update(key, change, condition)) === undefined) throw refusal;
  }
}

type Found = Pick<Account, 'account_id' | 'account_type' | 'disabled' | 'profile'>;

/** Returns the start of a display name in lower case and without accents, as index keys contain it. */
export function indexedName(text: string): string {
  return Array.from(foldPhrase(text)).slice(0, limits.indexedNameLettersMax).join('');
}

/**
 * Returns the keys of an account in the search indexes, by ID and by name. A service account that an account owns has
 * no such keys, because it is in the list of its owner. A key that is undefined is removed from the item.
 */
function wantedIndexKeys(account: Found) {
  const { account_id, account_type, disabled } = account;
  if (parseServiceAccountId(account_id) !== undefined) return {};
  const kind = disabled ? 'disabled' : account_type === 'user' ? 'users' : 'others';
  const name = indexedName(account.profile.name ?? '');
  return {
    list_pk: lists.accounts(kind),
    list_sk: account_id,
    sublist_pk: name === '' ? undefined : sublists.accountsByName(kind),
    sublist_sk: name === '' ? undefined : listPosition(name, account_id),
  };
}
