import type { Account, AccountRecord } from '../../domain/accounts/accounts.ts';
import {
  endOfInvitation,
  type Membership,
  type MembershipMove,
  type MembershipRole,
  type MembershipState,
  membershipAt,
  moveMembership,
} from '../../domain/accounts/memberships.ts';
import type { StoredMembership } from '../../domain/accounts/request-data.ts';
import { type AuditEvent, type AuditKind, eventWithoutActor } from '../../domain/changes/audit.ts';
import type { OfRepository } from '../../domain/data/internal-ids.ts';
import type { RepositoryRecord } from '../../domain/data/repositories.ts';
import { conflict, ServiceError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import type { ListPage, ListPageRequest } from '../../domain/list-pages.ts';
import { dayMs, parseTimestamp, toTimestamp } from '../../domain/time.ts';
import { checkAccountNotDeleted } from '../accounts/account-status.ts';
import { auditWrite } from '../audit.ts';
import { decode, encode } from '../codec.ts';
import { closingWrites, type Invitation, type OpenInvitations, uncounted } from '../invitations/open-invitations.ts';
import { type Item, inList, type Key, keys, listPosition, lists, ownerCountOf, scopeOf } from '../keys.ts';
import { type MembershipRecord, membershipRecord, parseRole } from '../records.ts';
import { checkRepositoryExists } from '../repositories/repositories.ts';
import { type Table, TableStore } from '../table.ts';
import { put, remove, update, type Write } from '../writes.ts';

/** A member's role in an account, and the member's roles in its repositories, by repository ID. */
export interface RolesBelow {
  account: MembershipRole | undefined;
  repositories: ReadonlyMap<string, OfRepository>;
}

/**
 * The account and the repository of a changed membership. `repository` is undefined for a membership in an account,
 * and if the repository was deleted.
 */
interface ChangedIn {
  account: Account;
  repository: RepositoryRecord | undefined;
  /** The time at which the user rejected the invitation. Set only if the change is a rejection. */
  rejectedAt?: number | undefined;
}

type MembershipChange = { state: MembershipState; role: MembershipRole; state_changed: string };

export class MembershipStore extends TableStore {
  readonly #invitations: OpenInvitations;

  constructor(table: Table, invitations: OpenInvitations) {
    super(table);
    this.#invitations = invitations;
  }

  /**
   * Creates an invitation. Refuses (409) at a limit, for a disabled account or repository, and if the account already
   * has an open invitation.
   */
  async invite(membership: MembershipRecord, event: AuditEvent, now: number): Promise<void> {
    await this.#invitations.open(invitationOf(membership), now, (writes) =>
      this.table.transact([...memberWrites(membership), ...writes, auditWrite(event)]),
    );
  }

  /**
   * Creates a membership that a user accepted with an invitation link. `link` contains the writes that mark the link as
   * used. They throw if another user used the link first. Refuses (409) at the limits of invitations, for a blocked
   * account, and for a disabled scope.
   */
  async join(
    membership: MembershipRecord,
    { account, link }: { account: Pick<Account, 'account_type'>; link: readonly Write[] },
    event: AuditEvent,
    now: number,
  ): Promise<void> {
    const isCounted = ownerCountOf(membership) === 1 && account.account_type === 'organization';
    const accountChange = isCounted ? { add: { owner_count: 1 } } : undefined;
    await this.#invitations.admit(invitationOf(membership), { now, accountChange }, (writes) =>
      this.table.transact([
        ...link,
        ...memberWrites(membership),
        checkAccountNotDeleted(membership.account_id),
        ...writes,
        auditWrite(event),
      ]),
    );
  }

  async find(membershipId: string): Promise<MembershipRecord | undefined> {
    return this.table.find(membershipRecord, keys.membership(membershipId));
  }

  /**
   * Changes the state or role of a membership if it is unchanged since it was read. The same transaction changes an
   * organization's count of owners, so that the last two owners cannot leave at the same time. It changes the member's
   * count of memberships as well.
   *
   * If the repository was deleted, the role item stays unchanged, because it can already belong to a new repository
   * with the same name.
   */
  async change(
    membership: MembershipRecord,
    to: MembershipChange,
    where: ChangedIn,
    event: AuditEvent,
  ): Promise<MembershipRecord> {
    const changed = { ...membership, ...to };
    await this.table.transact(this.#changeWrites(membership, changed, where, event));
    return changed;
  }

  #changeWrites(from: MembershipRecord, to: MembershipRecord, where: ChangedIn, event: AuditEvent): Write[] {
    const { account, repository, rejectedAt } = where;
    const isScopeThere = from.repository_id === undefined || repository !== undefined;
    const ownersGained = ownerCountOf(to) - ownerCountOf(from);
    const isAccepted = from.state === 'invited' && to.state === 'member';
    const accepted = (membership: MembershipRecord) => (membership.state === 'member' ? 1 : 0);
    const isCounted = ownersGained !== 0 && account.account_type === 'organization';
    return [
      ...(isCounted ? [ownerCountWrite(from.membership_account_id, ownersGained)] : []),
      update(
        keys.membership(from.membership_id),
        {
          set: {
            state: to.state,
            role: to.role,
            state_changed: to.state_changed,
            ...(to.state === 'revoked' ? { ttl: revokedTtl(to) } : {}),
          },
        },
        { equals: { state: from.state, role: from.role } },
        concurrentChange,
      ),
      ...(to.state === from.state ? [] : [remove(entryKey(from))]),
      put(encodeEntry(to)),
      ...(isScopeThere ? roleWrites(from, to) : []),
      ...acceptedCountWrites(from.account_id, accepted(to) - accepted(from), ownersGained !== 0),
      // Check for deleted accounts only if the change adds a role or an owner. A change that only ends a membership
      // does not conflict with a deletion. The item of the organization contains the count of owners.
      ...(to.state === 'member' && (isAccepted || ownersGained > 0) ? [checkAccountNotDeleted(to.account_id)] : []),
      ...(isAccepted && !isCounted ? [checkAccountNotDeleted(to.membership_account_id)] : []),
      ...(from.state === 'invited' && to.state !== 'invited' ? closingWrites(invitationOf(from), rejectedAt) : []),
      ...(repository === undefined || to.state === 'revoked' ? [] : [checkRepositoryExists(repository)]),
      auditWrite(event),
    ];
  }

  /**
   * Stores the state `revoked` in an expired invitation. Before this write, `membershipAt` already returns `revoked`.
   */
  async expire(membershipId: string, now: number): Promise<void> {
    const membership = decode(membershipRecord.optional(), await this.table.get(keys.membership(membershipId)));
    if (membership?.state !== 'invited') return;
    const ended = membershipAt(membership, now);
    if (ended.state === 'invited') return;
    await this.#invitations.forget(invitationOf(membership));
    const { state, state_changed } = ended;
    const revoked: Write = update(
      keys.membership(membershipId),
      { set: { state, state_changed, ttl: revokedTtl(ended) } },
      { equals: { state: 'invited' } },
      concurrentChange,
    );
    try {
      await this.table.transact([
        revoked,
        put(encodeEntry(ended)),
        remove(entryKey(membership)),
        auditWrite(expiryEvent(ended)),
      ]);
    } catch (error) {
      // Ignore the conflict, because another request ended the invitation first.
      if (error !== concurrentChange) throw error;
    }
  }

  /**
   * Ends a membership because its scope or its member was deleted. Does nothing if the membership has already ended.
   * Throws after a conflict with another change.
   */
  async endWith(endsWith: 'scope' | 'member', item: Item, now: string): Promise<void> {
    const membership = decode(membershipRecord, item);
    const { account_id, membership_account_id, repository_id, membership_id } = membership;
    // Delete the role first. If the list entry were deleted first, an interrupted run could not find the membership
    // again.
    const scope = scopeOf({ account_id: membership_account_id, repository_id });
    await this.table.delete(keys.role(account_id, scope), { equals: { membership_id } });
    if (membership.state === 'invited') await this.#invitations.forget(invitationOf(membership));
    if (await this.table.transactIfHolding(endWrites(membership, now, endsWith))) return;
    // Accept a failed write if an interrupted earlier attempt has already completed it.
    const present = await this.table.get(keys.membership(membership_id));
    const isDone = endsWith === 'scope' ? present?.['list_pk'] === undefined : present?.['state'] !== membership.state;
    if (!isDone) throw new Error(`the membership ${membership_id} was changed meanwhile`);
  }

  positionOf({ created_at, membership_id }: MembershipRecord): string {
    return listPosition(created_at, membership_id);
  }

  /**
   * Lists all memberships of an account or repository, including revoked memberships, oldest first. Takes at most four
   * round trips.
   */
  async listOfScope(
    scope: { account_id: string; repository_id?: string | undefined },
    page: ListPageRequest,
    now: number,
  ): Promise<ListPage<MembershipRecord>> {
    const found = await this.table.listPage('lists', lists.members(scopeOf(scope)), page);
    return { items: found.items.map((item) => membershipAt(decode(membershipRecord, item), now)), next: found.next };
  }

  /** Returns the accepted roles of a member in an account and in its repositories. */
  async rolesBelow(memberId: string, accountId: string): Promise<RolesBelow> {
    const { pk, sk } = keys.role(memberId, accountId);
    const repositories = new Map<string, OfRepository>();
    let account: MembershipRole | undefined;
    // The range contains the account and all its repositories, because `0` follows `/` in ASCII.
    const range = { from: sk, to: `${sk}0` };
    const page = { limit: limits.acceptedMembershipsMax, after: undefined };
    for (const item of (await this.table.partitionPage(pk, range, page)).items) {
      const role = parseRole(item);
      const position = String(item['sk']);
      if (role === undefined) continue;
      if (position === sk) account = role.role;
      else if (position.startsWith(`${sk}/`)) repositories.set(position.slice(sk.length + 1), role);
    }
    return { account, repositories };
  }

  /**
   * Lists all memberships of a member. Accepted memberships come first, then open invitations, then memberships that
   * were revoked in the last 400 days. Each of these three lists is newest first.
   *
   * Takes one round trip: together with the list on which the page starts, the method reads only the first items of
   * each later list. If a later list has more items than were read, the page ends there and can be shorter than its
   * limit.
   */
  async listOfMember(accountId: string, { limit, after }: ListPageRequest, now: number): Promise<ListPage<Membership>> {
    const [name, position] = splitPosition(after);
    const sections = sectionsOf(accountId, now);
    const from = sections.findIndex((section) => section.name === name);
    const found = await Promise.all(
      sections.slice(from).map(async ({ partition, range }, index) => {
        const wanted = index === 0 ? limit : Math.ceil(limit * readAlong);
        const page = { limit: wanted, after: index === 0 ? position : undefined, newestFirst: true };
        return this.table.partitionPage(partition, range, page);
      }),
    );
    const { items, next } = joined(sections.slice(from), found, limit);
    return { items: items.map((item) => membershipAt(decode(membershipRecord, item), now)), next };
  }
}

const concurrentChange = conflict('The membership was changed at the same time; read it and try again');

function roleWrites(from: MembershipRecord, to: MembershipRecord): Write[] {
  if (from.state === 'invited') return to.state === 'member' ? [newRole(to)] : [];
  const key = keys.role(from.account_id, membershipScope(from));
  const ofIt = { condition: { equals: { membership_id: from.membership_id } }, refusal: concurrentChange };
  return to.state === 'revoked'
    ? [{ kind: 'delete', key, ...ofIt }]
    : [{ kind: 'update', key, change: { set: { role: to.role } }, ...ofIt }];
}

function ownerCountWrite(organizationId: string, gained: number): Write {
  return update(
    keys.account(organizationId),
    { add: { owner_count: gained } },
    gained < 0 ? { greaterThan: { owner_count: 1 } } : { exists: true },
    new ServiceError('last_owner', 'An organization needs at least one owner; make someone else an owner first'),
  );
}

/**
 * Share of the page size that is read from each later list of memberships, before it is known how much of the page is
 * still free.
 */
const readAlong = 0.1;

/** Joins consecutive lists into one page. The page ends at the first list that has more items than were read. */
function joined(lists: readonly { name: string }[], found: readonly ListPage<Item>[], limit: number): ListPage<Item> {
  const items: Item[] = [];
  for (const [index, page] of found.entries()) {
    const { name } = lists[index] ?? {};
    const taken = page.items.slice(0, limit - items.length);
    items.push(...taken);
    if (taken.length === page.items.length && page.next === undefined) continue;
    const last = taken.at(-1);
    return { items, next: last === undefined ? name : `${name} ${last['sk']}` };
  }
  return { items, next: undefined };
}

/** Returns the lists of a member's memberships, with the name of each list in page cursors. */
function sectionsOf(accountId: string, now: number) {
  const retainedSince = now - limits.revokedMembershipRetentionDays * dayMs;
  const all = { from: '0', to: '9' };
  return [
    {
      name: 'accepted',
      partition: keys.acceptedMembership(accountId, '', '').pk,
      range: { from: 'MEMBERSHIP#', to: 'MEMBERSHIP$' },
    },
    { name: 'open', partition: keys.openMembership(accountId, '', '').pk, range: all },
    {
      name: 'revoked',
      partition: keys.revokedMembership(accountId, '', '').pk,
      range: { ...all, from: toTimestamp(retainedSince) },
    },
  ];
}

function splitPosition(after: string | undefined): [section: string, position: string | undefined] {
  const [section = 'accepted', position] = after?.split(' ') ?? [];
  return [section, position];
}

/**
 * Returns the main item of a membership. A request finds it by the membership ID, or in the list of its account or
 * repository.
 *
 * The member's own lists contain a copy (`encodeEntry`). Each state has a separate list, so that invitations do not
 * come before accepted memberships. Only an accepted membership also has a role item.
 */
function encodeMembership(membership: MembershipRecord): Item {
  const { membership_id, created_at } = membership;
  return encode('membership', membership, {
    key: keys.membership(membership_id),
    list: inList(lists.members(membershipScope(membership)), created_at, membership_id),
    ...(membership.state === 'revoked' ? { deleteAfter: endOfRetention(membership) } : {}),
  });
}

/**
 * Returns the copy of a membership for the member's own list. DynamoDB's time to live deletes the copy of an expired
 * invitation.
 */
export function encodeEntry(membership: MembershipRecord): Item {
  const keys = { key: entryKey(membership) };
  switch (membership.state) {
    case 'member':
      return encode('membership_entry', membership, keys);
    case 'invited':
      return encode('membership_entry', membership, { ...keys, deleteAfter: endOfInvitation(membership) });
    case 'revoked':
      return encode('membership_entry', membership, { ...keys, deleteAfter: endOfRetention(membership) });
  }
}

function entryKey({ account_id, membership_id, created_at, state, state_changed }: MembershipRecord): Key {
  switch (state) {
    case 'member':
      return keys.acceptedMembership(account_id, created_at, membership_id);
    case 'invited':
      return keys.openMembership(account_id, created_at, membership_id);
    case 'revoked':
      return keys.revokedMembership(account_id, state_changed, membership_id);
  }
}

/** Returns the time, in milliseconds since the Unix epoch, until which a revoked membership stays visible. */
function endOfRetention({ state_changed }: MembershipRecord): number {
  return parseTimestamp(state_changed) + limits.revokedMembershipRetentionDays * dayMs;
}

/** Returns the `ttl` of a revoked membership, in seconds since the Unix epoch. */
function revokedTtl(membership: MembershipRecord): number {
  return Math.ceil(endOfRetention(membership) / 1000);
}

function membershipScope(membership: Pick<MembershipRecord, 'membership_account_id' | 'repository_id'>): string {
  return scopeOf({ account_id: membership.membership_account_id, repository_id: membership.repository_id });
}

/** Returns the writes that create a membership. They do not include the writes that count an open invitation. */
export function memberWrites(membership: MembershipRecord): Write[] {
  return [
    membership.state === 'member' ? newRole(membership) : noRole(membership),
    put(encodeMembership(membership), { exists: false }),
    put(encodeEntry(membership)),
    ...acceptedCountWrites(membership.account_id, membership.state === 'member' ? 1 : 0),
  ];
}

/** Returns the write of the item with a member's role. A member has only one role in a scope. */
function newRole(membership: MembershipRecord): Write {
  const { membership_id, role, repository_uid } = membership;
  const { key, ...whenFree } = freeRole(membership);
  return {
    kind: 'put',
    item: encode('role', { membership_id, role, repository_uid }, { key }),
    ...whenFree,
  };
}

function noRole(membership: MembershipRecord): Write {
  return { kind: 'check', ...freeRole(membership) };
}

function freeRole(membership: MembershipRecord) {
  const { account_id, repository_uid } = membership;
  return {
    key: keys.role(account_id, membershipScope(membership)),
    // Overwrite a role in a deleted repository with the same name. Such a role can remain for a moment.
    condition: repository_uid === undefined ? { exists: false } : { noItemOrOther: { repository_uid } },
    refusal: new ServiceError('already_member', `${account_id} is invited or a member already`),
  };
}

/**
 * Returns the writes that change a member's count of accepted memberships. They change a revision, so that a
 * simultaneous deletion of the account detects the change.
 */
function acceptedCountWrites(memberId: string, gained: number, isOwnershipChanged = false): Write[] {
  if (gained === 0 && !isOwnershipChanged) return [];
  const { acceptedMembershipsMax } = limits;
  return [
    {
      kind: 'update',
      key: keys.acceptedCount(memberId),
      change: { set: { entity: 'accepted_count' }, add: { accepted_count: gained, revision: 1 } },
      ...(gained > 0 ? { condition: { absentOrLessThan: { accepted_count: acceptedMembershipsMax } } } : {}),
      refusal: new ServiceError(
        'limit_reached',
        `${memberId} is a member of ${acceptedMembershipsMax} accounts and repositories, which is the limit; leave one first`,
      ),
    },
  ];
}

/** Returns the writes that end a membership because its scope or member was deleted. They do not delete the role. */
function endWrites(from: MembershipRecord, now: string, endsWith: 'scope' | 'member'): Write[] {
  const isOver = from.state === 'revoked';
  const to: MembershipRecord = isOver ? from : { ...from, state: 'revoked', state_changed: now };
  const { state, state_changed } = to;
  return [
    update(
      keys.membership(from.membership_id),
      {
        ...(isOver ? {} : { set: { state, state_changed, ttl: revokedTtl(to) } }),
        ...(endsWith === 'member' ? {} : { remove: ['list_pk', 'list_sk'] }),
      },
      { equals: { state: from.state } },
    ),
    ...(isOver ? [] : ([remove(entryKey(from)), put(encodeEntry(to))] as const)),
    ...acceptedCountWrites(from.account_id, from.state === 'member' && endsWith === 'scope' ? -1 : 0),
    ...(from.state === 'invited' ? [uncounted(invitationOf(from))] : []),
  ];
}

/** Returns the membership in the form in which open invitations are counted. */
function invitationOf(membership: MembershipRecord): Invitation {
  const { membership_id, membership_account_id, repository_id, repository_uid, account_id } = membership;
  return {
    kind: 'membership',
    invitation_id: membership_id,
    from_account_id: membership_account_id,
    repository:
      repository_id === undefined || repository_uid === undefined
        ? undefined
        : { account_id: membership_account_id, repository_id, uid: repository_uid },
    to_account_id: account_id,
    ends_at: endOfInvitation(membership),
  };
}

/** Returns the audit event of an expired invitation. It has no actor. */
function expiryEvent(membership: MembershipRecord): AuditEvent {
  const { membership_id, membership_account_id, account_id, repository_id, role, state_changed } = membership;
  return eventWithoutActor({
    event_id: `${membership_id}-expired`,
    time: state_changed,
    kind: 'membership.expired',
    account_id: membership_account_id,
    subject: { membership_id, account_id, role, ...(repository_id === undefined ? {} : { repository_id }) },
  });
}

interface MoveContext {
  target: { account: AccountRecord; repository: RepositoryRecord | undefined; membership: StoredMembership };
  services: { store: { memberships: MembershipStore } };
  now: number;
  event(kind: AuditKind, accountId: string, subject: Record<string, string>): AuditEvent;
}

/** Refuses all changes of a membership in a deleted repository, except `reject` and `revoke`. */
function requireScope({ repository_id }: Membership, repository: object | undefined, move: MembershipMove): void {
  const isDeleted = repository_id !== undefined && repository === undefined;
  if (!isDeleted || move === 'reject' || move === 'revoke') return;
  throw new ServiceError('wrong_state', 'The repository of this membership was deleted or transferred');
}

/** Changes a membership's state or role, records the audit event `kind`, and returns the changed membership. */
export async function carryOutMove(kind: AuditKind, move: MembershipMove, context: MoveContext): Promise<Membership> {
  const { target, services, now, event } = context;
  const { account, repository, membership } = target;
  requireScope(membership, repository, move);
  const moved = moveMembership(membership, move);
  if (moved === undefined) return membership;
  const { membership_id, account_id, repository_id } = membership;
  const subject = {
    membership_id,
    account_id,
    role: moved.role,
    ...(repository_id === undefined ? {} : { repository_id }),
  };
  const state_changed = moved.state === membership.state ? membership.state_changed : toTimestamp(now);
  return services.store.memberships.change(
    membership,
    { ...moved, state_changed },
    { account, repository, rejectedAt: move === 'reject' ? now : undefined },
    event(kind, account.account_id, subject),
  );
}
