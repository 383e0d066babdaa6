import type { Account } from '../domain/accounts/accounts.ts';
import type { Membership, MembershipRole, MembershipState } from '../domain/accounts/memberships.ts';
import type { AuditEvent } from '../domain/changes/audit.ts';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import { everyPage, type Page, type PageRequest } from '../domain/pages.ts';
import { auditWrite } from './audit.ts';
import { decode, encode } from './codec.ts';
import { keys, listPosition, lists, ownerCountOf, scopeOf } from './keys.ts';
import { type MembershipRecord, membershipRecord } from './records.ts';
import { roleIn } from './request-facts.ts';
import type { Table, Write } from './table.ts';

export class MembershipStore {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  async invite(membership: MembershipRecord, event: AuditEvent): Promise<void> {
    await this.#table.transact([...memberWrites(membership), auditWrite(event)]);
  }

  /**
   * Moves a membership to another state or role, if it is still what `membership` says. In an organization the count of
   * owners moves in the same transaction, which is what keeps two last owners from leaving at the same time.
   */
  async change(
    membership: MembershipRecord,
    to: { state: MembershipState; role: MembershipRole; state_changed: string },
    scopeAccount: Account,
    event: AuditEvent,
  ): Promise<MembershipRecord> {
    const changed = { ...membership, ...to };
    const scope = membershipScope(membership);
    const ownersGained = ownerCountOf(changed) - ownerCountOf(membership);
    await this.#table.transact([
      ...(ownersGained !== 0 && scopeAccount.account_type === 'organization'
        ? [ownerCountWrite(membership.membership_account_id, ownersGained)]
        : []),
      {
        kind: 'update',
        key: keys.membership(membership.account_id, membership.created_at, membership.membership_id),
        change: { set: { ...to } },
        condition: { equals: { state: membership.state, role: membership.role } },
        refusal: new ServiceError('conflict', 'The membership was changed at the same time; read it and try again'),
      },
      to.state === 'revoked'
        ? { kind: 'delete', key: keys.role(membership.account_id, scope) }
        : {
            kind: 'update',
            key: keys.role(membership.account_id, scope),
            change: { set: { state: to.state, role: to.role } },
            condition: { equals: { membership_id: membership.membership_id } },
          },
      auditWrite(event),
    ]);
    return changed;
  }

  /** Every state of the scope, oldest first. */
  async listOfScope(
    scope: { account_id: string; repository_id?: string | undefined },
    page: PageRequest,
  ): Promise<Page<Membership>> {
    const found = await this.#table.listPage('lists', lists.members(scopeOf(scope)), page);
    return { items: found.items.map((item) => decode(membershipRecord, item)), next: found.next };
  }

  /** What a member is in an account and in which of the account's repositories, as far as its invitations are accepted. */
  async rolesBelow(
    memberId: string,
    accountId: string,
  ): Promise<{ account: MembershipRole | undefined; repositories: Set<string> }> {
    const { pk, sk } = keys.role(memberId, accountId);
    const repositories = new Set<string>();
    let account: MembershipRole | undefined;
    // `0` follows `/`: the account's own scope and every repository below it.
    const range = { from: sk, to: `${sk}0` };
    const pages = everyPage((after) => this.#table.partitionPage(pk, range, { limit: limits.listPageMax, after }));
    for await (const page of pages) {
      for (const item of page) {
        const role = roleIn(item);
        const position = String(item['sk']);
        if (role === undefined) continue;
        if (position === sk) account = role;
        else if (position.startsWith(`${sk}/`)) repositories.add(position.slice(sk.length + 1));
      }
    }
    return { account, repositories };
  }

  /** Every membership of a member, oldest first. */
  async listOfMember(accountId: string, page: PageRequest): Promise<Page<Membership>> {
    const { pk } = keys.account(accountId);
    const found = await this.#table.partitionPage(pk, { from: 'MEMBERSHIP#', to: 'MEMBERSHIP$' }, page);
    return { items: found.items.map((item) => decode(membershipRecord, item)), next: found.next };
  }
}

/** A new membership: itself, the pointer from its ID, and the one live role of this member in this scope. */
export function memberWrites(membership: MembershipRecord): Write[] {
  const scope = membershipScope(membership);
  const { membership_id, account_id, created_at, membership_account_id, repository_id, role, state } = membership;
  return [
    {
      kind: 'put',
      item: encode('role', { membership_id, role, state }, { key: keys.role(account_id, scope) }),
      condition: { exists: false },
      refusal: new ServiceError('conflict', `${account_id} is invited or a member already`),
    },
    {
      kind: 'put',
      item: encode('membership', membership, {
        key: keys.membership(account_id, created_at, membership_id),
        list: { partition: lists.members(scope), position: listPosition(created_at, membership_id) },
      }),
    },
    {
      kind: 'put',
      item: encode(
        'membership_pointer',
        { membership_id, account_id, created_at, membership_account_id, repository_id },
        { key: keys.membershipPointer(membership_id) },
      ),
    },
  ];
}

function membershipScope(membership: Membership): string {
  return scopeOf({ account_id: membership.membership_account_id, repository_id: membership.repository_id });
}

function ownerCountWrite(organizationId: string, gained: number): Write {
  return {
    kind: 'update',
    key: keys.account(organizationId),
    change: { add: { owner_count: gained } },
    ...(gained < 0 ? { condition: { greaterThan: { owner_count: 1 } } } : {}),
    refusal: new ServiceError('conflict', 'An organization keeps at least one owner; make someone else an owner first'),
  };
}
