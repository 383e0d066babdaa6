import { type AuthenticatedCaller, trailOf } from '../../domain/accounts/callers.ts';
import {
  type InvitationLinkRecord,
  type InvitingScope,
  invitationLinkAt,
  invitationLinkRecord,
  newInvitationLink,
} from '../../domain/accounts/invitation-links.ts';
import type { MembershipRole } from '../../domain/accounts/memberships.ts';
import type { AuditEvent, AuditKind } from '../../domain/changes/audit.ts';
import { ServiceError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import type { ListPage, ListPageRequest } from '../../domain/list-pages.ts';
import type { RandomSource } from '../../domain/random.ts';
import { unusableLink } from '../../domain/secrets/link-secrets.ts';
import { dayMs, parseTimestamp, toTimestamp } from '../../domain/time.ts';
import { auditWrite } from '../audit.ts';
import { encode } from '../codec.ts';
import { inList, keys, lists, scopeOf } from '../keys.ts';
import { retryOn, TableStore } from '../table.ts';
import { countInWindow, put, remove, type Update, update, windowOf } from '../writes.ts';
import { enabledChecks } from './open-invitations.ts';
import { concurrentLink, countOpenLink, uncountOpenLink } from './open-links.ts';

type LinkScope = Pick<InvitationLinkRecord, 'account_id' | 'repository_id' | 'repository_uid'>;

export class InvitationLinkStore extends TableStore {
  /** Creates an invitation link. Refuses (409) at the limit of open links, and for a disabled account or repository. */
  async create(link: InvitationLinkRecord, event: AuditEvent, now: number): Promise<void> {
    const { account_id, repository_id, repository_uid, invitation_link_id: id, expires_at } = link;
    const counted = openLinksOf(link);
    const repository =
      repository_id === undefined || repository_uid === undefined
        ? undefined
        : { account_id, repository_id, uid: repository_uid };
    const create = async () => {
      const read = await this.table.get(counted.key);
      await this.table.transact([
        countOpenLink(counted, read, { id, ends_at: parseTimestamp(expires_at) }, now),
        put(encodeLink(link), { exists: false }),
        ...enabledChecks({ account_id, repository }, 'you invite anyone'),
        auditWrite(event),
      ]);
    };
    await retryOn(concurrentLink, limits.changeTriesMax, create, (attempt) => this.table.pause(attempt));
  }

  async find(linkId: string): Promise<InvitationLinkRecord | undefined> {
    return this.table.find(invitationLinkRecord, keys.invitationLink(linkId));
  }

  /** Lists the invitation links of an account or a repository, oldest first. Revoked links are not listed. */
  async list(
    { account_id, repository }: InvitingScope,
    page: ListPageRequest,
    now: number,
  ): Promise<ListPage<InvitationLinkRecord>> {
    const scope = scopeOf({ account_id, repository_id: repository?.repository_id });
    const found = await this.table.list(
      invitationLinkRecord,
      'lists',
      lists.invitationLinks(scope, repository?.uid),
      page,
    );
    return { items: found.items.map((link) => invitationLinkAt(link, now)), next: found.next };
  }

  /** Deletes an invitation link that nobody used. Throws `wrong_state` for a used link. */
  async revoke(link: InvitationLinkRecord, event: AuditEvent): Promise<void> {
    await this.table.transact([
      remove(keys.invitationLink(link.invitation_link_id), { equals: { state: 'open' } }, alreadyUsed),
      uncountOpenLink(openLinksOf(link), link.invitation_link_id),
      auditWrite(event),
    ]);
  }

  /** Counts a request of a user that uses an invitation link. Throws `throttled` above the limit per minute. */
  async countUse(accountId: string, now: number): Promise<void> {
    const time = toTimestamp(now);
    const { invitationLinkUsesPerMinuteMax: max } = limits;
    await this.table.transact([
      countInWindow({
        key: keys.invitationLinkUses(accountId, windowOf(time, 'minute')),
        entity: 'invitation_link_uses_tally',
        counter: 'uses',
        max,
        window: 'minute',
        time,
        sentence: () => `You can open at most ${max} invitation links in a minute; wait a moment`,
      }),
    ]);
  }
}

/**
 * Returns the writes that mark an invitation link as used. If the link is no longer open, they throw the error for
 * unusable links.
 */
export function usedLinkWrites(
  link: InvitationLinkRecord,
  used: { used_by: string; membership_id: string },
): [Update, Update] {
  return [
    update(
      keys.invitationLink(link.invitation_link_id),
      { set: { ...used, state: 'used' } },
      { equals: { state: 'open' } },
      unusableLink(),
    ),
    uncountOpenLink(openLinksOf(link), link.invitation_link_id),
  ];
}

const alreadyUsed = new ServiceError('wrong_state', 'Somebody joined with this link; revoke their membership instead');

function openLinksOf({ account_id, repository_id, repository_uid }: LinkScope) {
  const scope = scopeOf({ account_id, repository_id });
  const { openInvitationLinksMax: max } = limits;
  return {
    key: keys.openInvitationLinks(scope, repository_uid),
    entity: 'open_invitation_links',
    max,
    atLimit: `${scope} has at most ${max} open invitation links; revoke one, or wait until one expires`,
  };
}

function encodeLink(link: InvitationLinkRecord) {
  const { account_id, repository_id, repository_uid, invitation_link_id, created_at, expires_at } = link;
  const partition = lists.invitationLinks(scopeOf({ account_id, repository_id }), repository_uid);
  return encode('invitation_link', link, {
    key: keys.invitationLink(invitation_link_id),
    list: inList(partition, created_at, invitation_link_id),
    deleteAfter: parseTimestamp(expires_at) + limits.invitationLinkRetentionDays * dayMs,
  });
}

interface LinkContext {
  caller: AuthenticatedCaller;
  services: { store: { invitationLinks: InvitationLinkStore }; random: RandomSource };
  now: number;
  event(kind: AuditKind, accountId: string, subject: Record<string, string>): AuditEvent;
}

/** Creates an invitation link of an account or a repository. Returns the link with its secret, which is not stored. */
export async function createLink(
  scope: InvitingScope,
  { caller, body, services, now, event }: LinkContext & { body: { role: MembershipRole } },
): Promise<InvitationLinkRecord & { secret: string }> {
  const made = { role: body.role, created_by: trailOf(caller) };
  const { link, secret } = newInvitationLink(scope, made, services.random, now);
  const created = event('invitation_link.created', link.account_id, subjectOf(link));
  await services.store.invitationLinks.create(link, created, now);
  return { ...link, secret };
}

/**
 * Revokes an invitation link of an account or a repository. Throws `not_found` if the link belongs to another account
 * or repository.
 */
export async function revokeLink(
  { account_id, repository }: InvitingScope,
  { path, services, event }: LinkContext & { path: { invitation_link_id: string } },
): Promise<undefined> {
  const { invitationLinks } = services.store;
  const link = await invitationLinks.find(path.invitation_link_id);
  if (link?.account_id !== account_id || link.repository_uid !== repository?.uid) {
    throw new ServiceError('not_found', 'No such invitation link; list the links there are');
  }
  await invitationLinks.revoke(link, event('invitation_link.revoked', account_id, subjectOf(link)));
  return undefined;
}

function subjectOf({ invitation_link_id, role, repository_id }: InvitationLinkRecord): Record<string, string> {
  return { invitation_link_id, role, ...(repository_id === undefined ? {} : { repository_id }) };
}
