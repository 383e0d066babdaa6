import { endOfInvitation } from '../../domain/accounts/memberships.ts';
import { type AuditEvent, eventWithoutActor } from '../../domain/changes/audit.ts';
import { ServiceError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import { dayMs, parseTimestamp } from '../../domain/time.ts';
import { encode } from '../codec.ts';
import { type Invitation, uncounted } from '../invitations/open-invitations.ts';
import { type Item, type Key, keys, listPosition, lists, scopeOf } from '../keys.ts';
import type { MembershipRecord } from '../records.ts';
import { put, remove, update, type Write } from '../writes.ts';

/**
 * Returns the main item of a membership. The ID finds the item, and its scope lists it. The member's lists have a copy,
 * with a separate list for each state, so that invitations do not precede accepted memberships. Only accepted
 * memberships have a role item.
 */
function encodeMembership(membership: MembershipRecord): Item {
  const { membership_id, created_at } = membership;
  return encode('membership', membership, {
    key: keys.membership(membership_id),
    list: {
      partition: lists.members(membershipScope(membership)),
      position: listPosition(created_at, membership_id),
    },
    ...(membership.state === 'revoked' ? { deleteAfter: endOfRetention(membership) } : {}),
  });
}

/** Returns the copy in the member's list. The TTL deletes the copy of an expired invitation. */
export function encodeEntry(membership: MembershipRecord): Item {
  const place = { key: entryKey(membership) };
  switch (membership.state) {
    case 'member':
      return encode('membership_entry', membership, place);
    case 'invited':
      return encode('membership_entry', membership, { ...place, deleteAfter: endOfInvitation(membership) });
    case 'revoked':
      return encode('membership_entry', membership, { ...place, deleteAfter: endOfRetention(membership) });
  }
}

export function entryKey({ account_id, membership_id, created_at, state, state_changed }: MembershipRecord): Key {
  switch (state) {
    case 'member':
      return keys.acceptedMembership(account_id, created_at, membership_id);
    case 'invited':
      return keys.openMembership(account_id, created_at, membership_id);
    case 'revoked':
      return keys.revokedMembership(account_id, state_changed, membership_id);
  }
}

/** Milliseconds since the Unix epoch. */
function endOfRetention({ state_changed }: MembershipRecord): number {
  return parseTimestamp(state_changed) + limits.revokedMembershipRetentionDays * dayMs;
}

/** Seconds since the Unix epoch, for the `ttl` of a revoked membership. */
export function revokedTtl(membership: MembershipRecord): number {
  return Math.ceil(endOfRetention(membership) / 1000);
}

export function membershipScope(membership: Pick<MembershipRecord, 'membership_account_id' | 'repository_id'>): string {
  return scopeOf({ account_id: membership.membership_account_id, repository_id: membership.repository_id });
}

/** Returns the writes of a new membership, without those that count an open invitation. */
export function memberWrites(membership: MembershipRecord): Write[] {
  return [
    membership.state === 'member' ? newRole(membership) : noRole(membership),
    put(encodeMembership(membership), { exists: false }),
    put(encodeEntry(membership)),
    ...acceptedCountWrites(membership.account_id, membership.state === 'member' ? 1 : 0),
  ];
}

/** Returns the write of the member's only role in a scope. */
export function newRole(membership: MembershipRecord): Write {
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
    // A role of an earlier repository of this name can remain for a moment. It does not count.
    condition: repository_uid === undefined ? { exists: false } : { noItemOrOther: { repository_uid } },
    refusal: new ServiceError('already_member', `${account_id} is invited or a member already`),
  };
}

/**
 * Counts the accepted memberships of a member. The limit bounds the reads of a session and of every data request. The
 * revision shows a concurrent account deletion that the member joined, left, or became an owner.
 */
export function acceptedCountWrites(memberId: string, gained: number, isOwnershipChanged = false): Write[] {
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
        `${memberId} is a member in ${acceptedMembershipsMax} accounts and repositories, which is the most; leave one first`,
      ),
    },
  ];
}

/**
 * Returns the writes that end a membership together with its scope or its member. They exclude the role, which can
 * belong to a new repository. When only the member ends, the membership stays in the scope's list, and the member's
 * counts stay unchanged.
 */
export function endWrites(from: MembershipRecord, now: string, endsWith: 'scope' | 'member'): Write[] {
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

/** Returns the membership as an invitation, for the counts of open invitations. */
export function invitationOf(membership: MembershipRecord): Invitation {
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
export function expiryEvent(membership: MembershipRecord): AuditEvent {
  const { membership_id, membership_account_id, account_id, repository_id, role, state_changed } = membership;
  return eventWithoutActor({
    event_id: `${membership_id}-expired`,
    time: state_changed,
    kind: 'membership.expired',
    account_id: membership_account_id,
    subject: { membership_id, account_id, role, ...(repository_id === undefined ? {} : { repository_id }) },
  });
}
