import { endOfInvitation } from '../../domain/accounts/memberships.ts';
import type { AuditEvent } from '../../domain/changes/audit.ts';
import { ServiceError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import { dayMs, parseTimestamp } from '../../domain/time.ts';
import { encode } from '../codec.ts';
import { type Invitation, uncounted } from '../invitations/open-invitations.ts';
import { type Key, keys, listPosition, lists, scopeOf } from '../keys.ts';
import type { MembershipRecord } from '../records.ts';
import type { Item, Write } from '../table.ts';

/**
 * A membership is one item, found by its ID and listed by its scope, and a copy in the lists of its member: one for each
 * state, so that nobody's invitations stand before what was joined. A role is there for accepted ones alone.
 */
export function encodeMembership(membership: MembershipRecord): Item {
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

/** The copy in the list of the member. That of an invitation goes when its time is over. */
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

/** Seconds since the Unix epoch, as `ttl` of a membership that is revoked. */
export function revokedTtl(membership: MembershipRecord): number {
  return Math.ceil(endOfRetention(membership) / 1000);
}

export function membershipScope(membership: Pick<MembershipRecord, 'membership_account_id' | 'repository_id'>): string {
  return scopeOf({ account_id: membership.membership_account_id, repository_id: membership.repository_id });
}

/** A new membership, without what an open invitation is counted by. */
export function memberWrites(membership: MembershipRecord): Write[] {
  return [
    membership.state === 'member' ? newRole(membership) : noRole(membership),
    { kind: 'put', item: encodeMembership(membership), condition: { exists: false } },
    { kind: 'put', item: encodeEntry(membership) },
    ...acceptedCountWrites(membership.account_id, membership.state === 'member' ? 1 : 0),
  ];
}

/** The one role of a member in a scope. */
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
    // One in a repository that is gone may be left for a moment, and is not of this one.
    condition: repository_uid === undefined ? { exists: false } : { noItemOrOther: { repository_uid } },
    refusal: new ServiceError('already_member', `${account_id} is invited or a member already`),
  };
}

/**
 * How many a member has joined: what a session and every request for data read of it is bound by this. With it goes a
 * revision, by which whoever deletes the member's account sees that it joined, left, or became an owner meanwhile.
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
 * What ends a membership with its scope, or with its member, but for the role, which may be of a repository made anew. With
 * the member alone its place in the scope's list stays, and nothing of the member's is counted any more.
 */
export function endWrites(from: MembershipRecord, now: string, endsWith: 'scope' | 'member'): Write[] {
  const isOver = from.state === 'revoked';
  const to: MembershipRecord = isOver ? from : { ...from, state: 'revoked', state_changed: now };
  const { state, state_changed } = to;
  return [
    {
      kind: 'update',
      key: keys.membership(from.membership_id),
      change: {
        ...(isOver ? {} : { set: { state, state_changed, ttl: revokedTtl(to) } }),
        ...(endsWith === 'member' ? {} : { remove: ['list_pk', 'list_sk'] }),
      },
      condition: { equals: { state: from.state } },
    },
    ...(isOver
      ? []
      : ([
          { kind: 'delete', key: entryKey(from) },
          { kind: 'put', item: encodeEntry(to) },
        ] as const)),
    ...acceptedCountWrites(from.account_id, from.state === 'member' && endsWith === 'scope' ? -1 : 0),
    ...(from.state === 'invited' ? [uncounted(invitationOf(from))] : []),
  ];
}

/** As what counts open invitations knows it. */
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

/** Nobody ended it: its time did. */
export function expiryEvent(membership: MembershipRecord): AuditEvent {
  const { membership_id, membership_account_id, account_id, repository_id, role, state_changed } = membership;
  return {
    event_id: `${membership_id}-expired`,
    time: state_changed,
    kind: 'membership.expired',
    account_id: membership_account_id,
    actor: { account_id: null },
    subject: { membership_id, account_id, role, ...(repository_id === undefined ? {} : { repository_id }) },
    request_id: '',
  };
}
