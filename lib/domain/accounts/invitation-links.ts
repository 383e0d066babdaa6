import * as z from 'zod';
import { ofRepository } from '../data/internal-ids.ts';
import type { RepositoryRecord } from '../data/repositories.ts';
import { anyAccountIdSchema, identifierSchema, uuidSchema } from '../identifiers.ts';
import { limits } from '../limits.ts';
import type { RandomSource } from '../random.ts';
import { hashLinkSecret, isLinkSecret, newLinkSecret, unusableLink } from '../secrets/link-secrets.ts';
import { timestampSchema } from '../text.ts';
import { dayMs, parseTimestamp, toTimestamp } from '../time.ts';
import { type AccountRecord, shownNameSchema } from './accounts.ts';
import { countingRoles, type MembershipRole, membershipRoleSchema } from './memberships.ts';
import { accountRules, mayInvite } from './permissions.ts';
import type { RequestDataReader } from './request-data.ts';

/** A link with which one user becomes a member of an account or a repository. */
export const invitationLinkSchema = z.object({
  invitation_link_id: uuidSchema,
  /** The account to which the link invites, or the owner of the repository. */
  account_id: anyAccountIdSchema,
  repository_id: identifierSchema.optional(),
  role: membershipRoleSchema,
  state: z.enum(['open', 'used', 'expired']),
  created_by: z.string(),
  created_at: timestampSchema,
  expires_at: timestampSchema,
  /** The account that accepted the invitation. */
  used_by: z.string().optional(),
});
export type InvitationLink = z.infer<typeof invitationLinkSchema>;

/** A new invitation link. No later response contains its secret. */
export const createdInvitationLinkSchema = invitationLinkSchema.extend({ secret: z.string() });

export const listedInvitationLinkSchema = invitationLinkSchema.extend({ created_by_name: shownNameSchema });

/** The invitation, as the recipient of the link sees it before accepting. */
export const shownInvitationSchema = invitationLinkSchema
  .pick({ account_id: true, repository_id: true, role: true, created_by: true, expires_at: true })
  .extend({ account_name: shownNameSchema, created_by_name: shownNameSchema });

export const invitationLinkRecord = invitationLinkSchema.extend({
  ...ofRepository,
  secret_hash: z.string(),
  membership_id: z.string().optional(),
});
export type InvitationLinkRecord = z.infer<typeof invitationLinkRecord>;

/** The account or the repository to which an invitation link invites. */
export interface InvitingScope {
  account_id: string;
  repository?: Pick<RepositoryRecord, 'repository_id' | 'uid'> | undefined;
}

/** Returns the invitation link with its state at the given time. */
export function invitationLinkAt<Link extends InvitationLink>(link: Link, now: number): Link {
  return link.state === 'open' && now >= parseTimestamp(link.expires_at) ? { ...link, state: 'expired' } : link;
}

export function newInvitationLink(
  { account_id, repository }: InvitingScope,
  { role, created_by }: { role: MembershipRole; created_by: string },
  random: RandomSource,
  now: number,
): { link: InvitationLinkRecord; secret: string } {
  const secret = newLinkSecret(random);
  const link: InvitationLinkRecord = {
    invitation_link_id: random.uuid(),
    account_id,
    ...(repository && { repository_id: repository.repository_id, repository_uid: repository.uid }),
    role,
    state: 'open',
    created_by,
    created_at: toTimestamp(now),
    expires_at: toTimestamp(now + limits.invitationLinkLifeDays * dayMs),
    secret_hash: hashLinkSecret(secret),
  };
  return { link, secret };
}

/** An invitation link that can be accepted now, with its creator and its scope. */
export interface UsableInvitationLink {
  link: InvitationLinkRecord;
  creator: AccountRecord;
  account: AccountRecord;
  repository: RepositoryRecord | undefined;
}

/**
 * Checks that an account can join by the invitation link now. The secret must be right, the link open, and its scope
 * enabled. The creator of the link must still be allowed to invite with this role. Throws the same error for every
 * failed check.
 */
export async function requireUsable(
  link: InvitationLinkRecord | undefined,
  secret: string,
  services: { requestData: Pick<RequestDataReader, 'readRequestData'>; adminIdentityIds: ReadonlySet<string> },
  now: number,
): Promise<UsableInvitationLink> {
  if (link === undefined || !isLinkSecret(secret, link.secret_hash)) throw unusableLink();
  if (invitationLinkAt(link, now).state !== 'open') throw unusableLink();
  const { account_id, repository_id, repository_uid, role, created_by } = link;
  const data = await services.requestData.readRequestData({
    callerAccountId: created_by,
    scope: { account_id, repository_id },
  });
  const { account, callerAccount: creator, repository } = data;
  if (creator === undefined || account === undefined || account.disabled) throw unusableLink();
  const isSameRepository = repository?.uid === repository_uid && repository?.disabled !== true;
  if (repository_id !== undefined && !isSameRepository) throw unusableLink();
  const { identity_issuer: issuer = '', identity_id } = creator;
  const isConfiguredAdmin = services.adminIdentityIds.has(identity_id);
  const inviter = { kind: 'user', issuer, identity_id, account: creator, isConfiguredAdmin } as const;
  const rule = repository_id === undefined ? accountRules.account_members : accountRules.repository_members;
  const roles = countingRoles(data.roles, repository);
  if (!mayInvite(rule, inviter, { account, roles }, role)) throw unusableLink();
  return { link, creator, account, repository };
}
