import type { Account } from '../../domain/accounts/accounts.ts';
import {
  type Membership,
  type MembershipRole,
  type MembershipState,
  membershipAt,
} from '../../domain/accounts/memberships.ts';
import type { AuditEvent } from '../../domain/changes/audit.ts';
import type { OfRepository } from '../../domain/data/internal-ids.ts';
import type { RepositoryRecord } from '../../domain/data/repositories.ts';
import { ServiceError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import type { ListPage, ListPageRequest } from '../../domain/list-pages.ts';
import { whileNotDeleted } from '../accounts/deleted-accounts.ts';
import { auditWrite } from '../audit.ts';
import { decode } from '../codec.ts';
import { closingWrites, type OpenInvitations } from '../invitations/open-invitations.ts';
import { keys, listPosition, lists, ownerCountOf, scopeOf } from '../keys.ts';
import { type MembershipRecord, membershipRecord } from '../records.ts';
import { whileThere } from '../repositories/repositories.ts';
import { roleIn } from '../request-data.ts';
import type { Item, Table, Write } from '../table.ts';
import {
  acceptedCountWrites,
  encodeEntry,
  endWrites,
  entryKey,
  expiryEvent,
  invitationOf,
  membershipScope,
  memberWrites,
  newRole,
  revokedTtl,
} from './membership-items.ts';
import { joined, readAlong, sectionsOf, splitPosition } from './session-lists.ts';

/** What a member is in an account, and by their IDs in which of its repositories it was invited and accepted. */
export interface RolesBelow {
  account: MembershipRole | undefined;
  repositories: ReadonlyMap<string, OfRepository>;
}

/** Where a change is made. `repository` is undefined also where the membership's own is gone. */
interface ChangedIn {
  account: Account;
  repository: RepositoryRecord | undefined;
  /** When the invited one rejected it, if that is the change. */
  rejectedAt?: number | undefined;
}

type MembershipChange = { state: MembershipState; role: MembershipRole; state_changed: string };

export class MembershipStore {
  readonly #table: Table;
  readonly #invitations: OpenInvitations;

  constructor(table: Table, invitations: OpenInvitations) {
    this.#table = table;
    this.#invitations = invitations;
  }

  /** Refuses (409) for the limit that is reached, a disabled scope, or who is invited or a member there already. */
  async invite(membership: MembershipRecord, event: AuditEvent, now: number): Promise<void> {
    await this.#invitations.open(invitationOf(membership), now, (writes) =>
      this.#table.transact([...memberWrites(membership), ...writes, auditWrite(event)]),
    );
  }

  /**
   * Moves a membership to another state or role, if it is still what `membership` says. In an organization the count of
   * owners moves in the same transaction, which is what keeps two last owners from leaving at the same time, and that of
   * what a person has joined. The role in a repository that is gone is not touched: it may be another's.
   */
  async change(
    membership: MembershipRecord,
    to: MembershipChange,
    where: ChangedIn,
    event: AuditEvent,
  ): Promise<MembershipRecord> {
    const changed = { ...membership, ...to };
    await this.#table.transact(this.#changeWrites(membership, changed, where, event));
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
      {
        kind: 'update',
        key: keys.membership(from.membership_id),
        change: {
          set: {
            state: to.state,
            role: to.role,
            state_changed: to.state_changed,
            ...(to.state === 'revoked' ? { ttl: revokedTtl(to) } : {}),
          },
        },
        condition: { equals: { state: from.state, role: from.role } },
        refusal: changedMeanwhile,
      },
      ...(to.state === from.state ? [] : [{ kind: 'delete', key: entryKey(from) } as const]),
      { kind: 'put', item: encodeEntry(to) },
      ...(isScopeThere ? roleWrites(from, to) : []),
      ...acceptedCountWrites(from.account_id, accepted(to) - accepted(from), ownersGained !== 0),
      // Of what only ends, a deletion at the same time makes no difference; the count of owners is the organization's own item.
      ...(to.state === 'member' && (isAccepted || ownersGained > 0) ? [whileNotDeleted(to.account_id)] : []),
      ...(isAccepted && !isCounted ? [whileNotDeleted(to.membership_account_id)] : []),
      ...(from.state === 'invited' && to.state !== 'invited' ? closingWrites(invitationOf(from), rejectedAt) : []),
      ...(repository === undefined || to.state === 'revoked' ? [] : [whileThere(repository)]),
      auditWrite(event),
    ];
  }

  /**
   * Revokes an invitation whose time is over, with an event of its own, if it still is one. For whoever reads the
   * table's stream: until then `membershipAt` tells everybody the same.
   */
  async expire(membershipId: string, now: number): Promise<void> {
    const membership = decode(membershipRecord.optional(), await this.#table.get(keys.membership(membershipId)));
    if (membership?.state !== 'invited') return;
    const ended = membershipAt(membership, now);
    if (ended.state === 'invited') return;
    await this.#invitations.forget(invitationOf(membership));
    const { state, state_changed } = ended;
    const revoked: Write = {
      kind: 'update',
      key: keys.membership(membershipId),
      change: { set: { state, state_changed, ttl: revokedTtl(ended) } },
      condition: { equals: { state: 'invited' } },
      refusal: changedMeanwhile,
    };
    try {
      await this.#table.transact([
        revoked,
        { kind: 'put', item: encodeEntry(ended) },
        { kind: 'delete', key: entryKey(membership) },
        auditWrite(expiryEvent(ended)),
      ]);
    } catch (error) {
      // Somebody ended it before.
      if (error !== changedMeanwhile) throw error;
    }
  }

  /**
   * Ends a membership whose scope is gone, for whoever reads the table's stream: its member sees it as revoked, and no list
   * of the scope's members holds it; or one whose member is gone, which the list shows as revoked. Nothing for one that is
   * over. Throws when it was changed meanwhile, for another try.
   */
  async endWith(endsWith: 'scope' | 'member', item: Item, now: string): Promise<void> {
    const membership = decode(membershipRecord, item);
    const { account_id, membership_account_id, repository_id, membership_id } = membership;
    // The role first: with the membership's place in a list it would not be found again.
    const scope = scopeOf({ account_id: membership_account_id, repository_id });
    await this.#table.delete(keys.role(account_id, scope), { equals: { membership_id } });
    if (membership.state === 'invited') await this.#invitations.forget(invitationOf(membership));
    if (await this.#table.transactIfHolding(endWrites(membership, now, endsWith))) return;
    // An earlier attempt that was cut off may have come to its end meanwhile.
    const present = await this.#table.get(keys.membership(membership_id));
    const isDone = endsWith === 'scope' ? present?.['list_pk'] === undefined : present?.['state'] !== membership.state;
    if (!isDone) throw new Error(`the membership ${membership_id} was changed meanwhile`);
  }

  /** Where a list of a scope's memberships goes on after this one. */
  positionOf({ created_at, membership_id }: MembershipRecord): string {
    return listPosition(created_at, membership_id);
  }

  /** Every state of the scope, oldest first. At most four round trips. */
  async listOfScope(
    scope: { account_id: string; repository_id?: string | undefined },
    page: ListPageRequest,
    now: number,
  ): Promise<ListPage<MembershipRecord>> {
    const found = await this.#table.listPage('lists', lists.members(scopeOf(scope)), page);
    return { items: found.items.map((item) => membershipAt(decode(membershipRecord, item), now)), next: found.next };
  }

  /** What a member is in an account and in which of the account's repositories, as far as its invitations are accepted. */
  async rolesBelow(memberId: string, accountId: string): Promise<RolesBelow> {
    const { pk, sk } = keys.role(memberId, accountId);
    const repositories = new Map<string, OfRepository>();
    let account: MembershipRole | undefined;
    // `0` follows `/`: the account's own scope and every repository below it.
    const range = { from: sk, to: `${sk}0` };
    const page = { limit: limits.acceptedMembershipsMax, after: undefined };
    for (const item of (await this.#table.partitionPage(pk, range, page)).items) {
      const role = roleIn(item);
      const position = String(item['sk']);
      if (role === undefined) continue;
      if (position === sk) account = role.role;
      else if (position.startsWith(`${sk}/`)) repositories.set(position.slice(sk.length + 1), role);
    }
    return { account, repositories };
  }

  /**
   * What a member was ever told of: first what was accepted, then what is open, then what was revoked in the last 400
   * days, each newest first. One round trip: some of the lists behind the first are read along with it, and a page that
   * comes to the end of what was read of one is shorter than it could be.
   */
  async listOfMember(accountId: string, { limit, after }: ListPageRequest, now: number): Promise<ListPage<Membership>> {
    const [name, position] = splitPosition(after);
    const sections = sectionsOf(accountId, now);
    const from = sections.findIndex((section) => section.name === name);
    const found = await Promise.all(
      sections.slice(from).map(async ({ partition, range }, index) => {
        const wanted = index === 0 ? limit : Math.ceil(limit * readAlong);
        const page = { limit: wanted, after: index === 0 ? position : undefined, newestFirst: true };
        return this.#table.partitionPage(partition, range, page);
      }),
    );
    const { items, next } = joined(sections.slice(from), found, limit);
    return { items: items.map((item) => membershipAt(decode(membershipRecord, item), now)), next };
  }
}

const changedMeanwhile = new ServiceError(
  'concurrent_change',
  'The membership was changed at the same time; read it and try again',
);

function roleWrites(from: MembershipRecord, to: MembershipRecord): Write[] {
  if (from.state === 'invited') return to.state === 'member' ? [newRole(to)] : [];
  const key = keys.role(from.account_id, membershipScope(from));
  const ofIt = { condition: { equals: { membership_id: from.membership_id } }, refusal: changedMeanwhile };
  return to.state === 'revoked'
    ? [{ kind: 'delete', key, ...ofIt }]
    : [{ kind: 'update', key, change: { set: { role: to.role } }, ...ofIt }];
}

function ownerCountWrite(organizationId: string, gained: number): Write {
  return {
    kind: 'update',
    key: keys.account(organizationId),
    change: { add: { owner_count: gained } },
    condition: gained < 0 ? { greaterThan: { owner_count: 1 } } : { exists: true },
    refusal: new ServiceError(
      'last_owner',
      'An organization keeps at least one owner; make someone else an owner first',
    ),
  };
}
