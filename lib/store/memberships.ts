import type { Account } from '../domain/accounts/accounts.ts';
import type { Membership, MembershipRole, MembershipState } from '../domain/accounts/memberships.ts';
import type { AuditEvent } from '../domain/changes/audit.ts';
import type { IdRule, OfRepository } from '../domain/data/internal-ids.ts';
import type { RepositoryRecord } from '../domain/data/repositories.ts';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import { everyPage, type Page, type PageRequest } from '../domain/pages.ts';
import { auditWrite } from './audit.ts';
import { decode, encode } from './codec.ts';
import { keys, listPosition, lists, ownerCountOf, scopeOf } from './keys.ts';
import { type MembershipRecord, membershipRecord } from './records.ts';
import { whileThere } from './repositories.ts';
import type { IdRuleSource } from './repository-ids.ts';
import { roleIn } from './request-facts.ts';
import type { Table, Write } from './table.ts';

/** What a member is in an account, and by their IDs in which of its repositories it was invited and accepted. */
export interface RolesBelow extends IdRule {
  account: MembershipRole | undefined;
  repositories: ReadonlyMap<string, OfRepository>;
}

export class MembershipStore {
  readonly #table: Table;
  readonly #ids: IdRuleSource;

  constructor(table: Table, ids: IdRuleSource) {
    this.#table = table;
    this.#ids = ids;
  }

  /** `repository` is the one that the membership is of, if it is of one. */
  async invite(
    membership: MembershipRecord,
    event: AuditEvent,
    repository: RepositoryRecord | undefined,
  ): Promise<void> {
    await this.#table.transact([
      ...memberWrites(membership),
      ...(repository === undefined ? [] : [whileThere(repository)]),
      auditWrite(event),
    ]);
  }

  /**
   * Moves a membership to another state or role, if it is still what `membership` says. In an organization the count of
   * owners moves in the same transaction, which is what keeps two last owners from leaving at the same time. `repository` is
   * the one that the membership is of; undefined also where that is gone, whose role is not touched: it may be another's.
   */
  async change(
    membership: MembershipRecord,
    to: { state: MembershipState; role: MembershipRole; state_changed: string },
    { account, repository }: { account: Account; repository: RepositoryRecord | undefined },
    event: AuditEvent,
  ): Promise<MembershipRecord> {
    const changed = { ...membership, ...to };
    const isScopeThere = membership.repository_id === undefined || repository !== undefined;
    const ownersGained = ownerCountOf(changed) - ownerCountOf(membership);
    await this.#table.transact([
      ...(ownersGained !== 0 && account.account_type === 'organization'
        ? [ownerCountWrite(membership.membership_account_id, ownersGained)]
        : []),
      {
        kind: 'update',
        key: keys.membership(membership.account_id, membership.created_at, membership.membership_id),
        change: { set: { ...to } },
        condition: { equals: { state: membership.state, role: membership.role } },
        refusal: changedMeanwhile,
      },
      ...(isScopeThere ? [roleWrite(membership, to)] : []),
      ...(repository === undefined || to.state === 'revoked' ? [] : [whileThere(repository)]),
      auditWrite(event),
    ]);
    return changed;
  }

  /** Where a list of a scope's memberships goes on after this one. */
  positionOf({ created_at, membership_id }: MembershipRecord): string {
    return listPosition(created_at, membership_id);
  }

  /** Every state of the scope, oldest first. */
  async listOfScope(
    scope: { account_id: string; repository_id?: string | undefined },
    page: PageRequest,
  ): Promise<Page<MembershipRecord>> {
    const found = await this.#table.listPage('lists', lists.members(scopeOf(scope)), page);
    return { items: found.items.map((item) => decode(membershipRecord, item)), next: found.next };
  }

  /** What a member is in an account and in which of the account's repositories, as far as its invitations are accepted. */
  async rolesBelow(memberId: string, accountId: string): Promise<RolesBelow> {
    const { pk, sk } = keys.role(memberId, accountId);
    const repositories = new Map<string, OfRepository>();
    let account: MembershipRole | undefined;
    // `0` follows `/`: the account's own scope and every repository below it.
    const range = { from: sk, to: `${sk}0` };
    const pages = everyPage((after) => this.#table.partitionPage(pk, range, { limit: limits.listPageMax, after }));
    for await (const page of pages) {
      for (const item of page) {
        const role = roleIn(item);
        const position = String(item['sk']);
        if (role === undefined) continue;
        if (position === sk) account = role.role;
        else if (position.startsWith(`${sk}/`)) repositories.set(position.slice(sk.length + 1), role);
      }
    }
    return { account, repositories, ...(await this.#ids.ruleFor([...repositories.values()])) };
  }

  /** Every membership of a member, oldest first. */
  async listOfMember(accountId: string, page: PageRequest): Promise<Page<Membership>> {
    const { pk } = keys.account(accountId);
    const found = await this.#table.partitionPage(pk, { from: 'MEMBERSHIP#', to: 'MEMBERSHIP$' }, page);
    return { items: found.items.map((item) => decode(membershipRecord, item)), next: found.next };
  }
}

const changedMeanwhile = new ServiceError(
  'conflict',
  'The membership was changed at the same time; read it and try again',
);

function roleWrite(
  membership: MembershipRecord,
  { state, role }: { state: MembershipState; role: MembershipRole },
): Write {
  const key = keys.role(membership.account_id, membershipScope(membership));
  const ofIt = { condition: { equals: { membership_id: membership.membership_id } }, refusal: changedMeanwhile };
  return state === 'revoked'
    ? { kind: 'delete', key, ...ofIt }
    : { kind: 'update', key, change: { set: { state, role } }, ...ofIt };
}

/** A new membership: itself, the pointer from its ID, and the one live role of this member in this scope. */
export function memberWrites(membership: MembershipRecord): Write[] {
  const scope = membershipScope(membership);
  const { membership_id, account_id, created_at, membership_account_id, repository_id, role, state } = membership;
  const { repository_uid } = membership;
  return [
    {
      kind: 'put',
      item: encode('role', { membership_id, role, state, repository_uid }, { key: keys.role(account_id, scope) }),
      // One in a repository that is gone may be left for a moment, and is not of this one.
      condition: repository_uid === undefined ? { exists: false } : { noItemOrOther: { repository_uid } },
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
