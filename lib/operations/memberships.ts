import * as z from 'zod';
import {
  createdInvitationLinkSchema,
  listedInvitationLinkSchema,
  shownInvitationSchema,
} from '../domain/accounts/invitation-links.ts';
import { listedMembershipSchema, membershipRoleSchema, membershipSchema } from '../domain/accounts/memberships.ts';
import { accountRules } from '../domain/accounts/permissions.ts';
import { identifierSchema } from '../domain/identifiers.ts';
import { linkSecretBodySchema } from '../domain/secrets/link-secrets.ts';
import * as values from './example-values.ts';
import { declarators, exampleIds } from './operation.ts';

const define = declarators({ group: 'memberships', target: 'membership' });
export const membershipOperations = define.all;

const invitationSchema = z.strictObject({ account_id: identifierSchema, role: membershipRoleSchema });
/**
 * The table access of an operation that creates an invitation. It includes reads, because the number of open
 * invitations is limited.
 */
const invites = {
  actions: ['BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'ConditionCheckItem'],
} as const;
const accepting = { actions: ['PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'] } as const;
const ending = { actions: ['PutItem', 'UpdateItem', 'DeleteItem'] } as const;
const changingRole = { actions: ['PutItem', 'UpdateItem', 'ConditionCheckItem'] } as const;

export const inviteAccountMember = define.create({
  name: 'invite-account-member',
  summary: 'Invite a member to an account',
  path: '/accounts/{account_id}/members',
  target: 'account',
  permission: { kind: 'invitation', rule: accountRules.account_members },
  body: invitationSchema,
  response: membershipSchema,
  tableAccess: invites,
  example: { body: { account_id: 'grace', role: 'write_data' }, response: values.invitation },
});

export const listAccountMembers = define.list({
  name: 'list-account-members',
  summary: 'List the memberships of an account',
  path: '/accounts/{account_id}/members',
  target: 'account',
  permission: { kind: 'account', rule: accountRules.account_members },
  response: z.array(listedMembershipSchema),
  example: { response: [values.ownership, values.invitation].map(values.listed) },
});

export const inviteRepositoryMember = define.create({
  name: 'invite-repository-member',
  summary: 'Invite a member to a repository',
  path: '/repositories/{account_id}/{repository_id}/members',
  target: 'repository',
  permission: { kind: 'invitation', rule: accountRules.repository_members },
  body: invitationSchema,
  response: membershipSchema,
  tableAccess: invites,
  example: { body: { account_id: 'grace', role: 'write_data' }, response: values.repositoryInvitation },
});

export const listRepositoryMembers = define.list({
  name: 'list-repository-members',
  summary: 'List the memberships of a repository',
  path: '/repositories/{account_id}/{repository_id}/members',
  target: 'repository',
  permission: { kind: 'account', rule: accountRules.repository_members },
  response: z.array(listedMembershipSchema),
  example: { response: [values.listed(values.repositoryInvitation)] },
});

export const acceptMembership = define.action({
  name: 'accept-membership',
  summary: 'Accept an invitation',
  method: 'POST',
  path: '/memberships/{membership_id}/accept',
  permission: { kind: 'membership', step: 'answer' },
  response: membershipSchema,
  tableAccess: accepting,
  example: { response: { ...values.invitation, state: 'member' } },
});

export const rejectMembership = define.action({
  name: 'reject-membership',
  summary: 'Reject an invitation',
  method: 'POST',
  path: '/memberships/{membership_id}/reject',
  permission: { kind: 'membership', step: 'answer' },
  response: membershipSchema,
  tableAccess: ending,
  example: {
    path: { membership_id: values.declinedInvitation.membership_id },
    response: { ...values.declinedInvitation, state: 'revoked' },
  },
});

export const revokeMembership = define.action({
  name: 'revoke-membership',
  summary: 'Revoke a membership or leave',
  method: 'POST',
  path: '/memberships/{membership_id}/revoke',
  permission: { kind: 'membership', step: 'revoke' },
  response: membershipSchema,
  tableAccess: ending,
  example: { response: { ...values.invitation, state: 'revoked' } },
});

export const updateMembershipRole = define.action({
  name: 'update-membership-role',
  summary: 'Change the role of a membership',
  method: 'POST',
  path: '/memberships/{membership_id}/update-role',
  permission: { kind: 'membership', step: 'change_role' },
  body: membershipRoleSchema,
  response: membershipSchema,
  tableAccess: changingRole,
  example: { body: 'read_data', response: { ...values.invitation, role: 'read_data' } },
});

const invitationLinkBodySchema = z.strictObject({ role: membershipRoleSchema });
/**
 * The table access of an operation that creates a link. It includes reads, because the number of open links is limited.
 */
const createsLink = { actions: ['GetItem', 'PutItem', 'UpdateItem', 'ConditionCheckItem'] } as const;
const listsLinks = { actions: ['BatchGetItem'], indexes: ['lists'] } as const;
const revokesLink = { actions: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem'] } as const;
const createdLink = {
  secretFields: ['secret'],
  secretOf: 'invitation_link_id',
  example: { body: { role: 'read_data' }, response: values.createdInvitationLink },
} as const;

export const createAccountInvitationLink = define.create({
  name: 'create-account-invitation-link',
  summary: 'Create a link with which one user becomes a member of an account',
  path: '/accounts/{account_id}/invitation-links',
  target: 'account',
  permission: { kind: 'invitation', rule: accountRules.account_members },
  body: invitationLinkBodySchema,
  response: createdInvitationLinkSchema,
  tableAccess: createsLink,
  ...createdLink,
});

export const listAccountInvitationLinks = define.list({
  name: 'list-account-invitation-links',
  summary: 'List the invitation links of an account',
  path: '/accounts/{account_id}/invitation-links',
  target: 'account',
  permission: { kind: 'account', rule: accountRules.account_members },
  response: z.array(listedInvitationLinkSchema),
  tableAccess: listsLinks,
  example: { response: [values.listedInvitationLink] },
});

export const deleteAccountInvitationLink = define.action({
  name: 'delete-account-invitation-link',
  summary: 'Revoke an invitation link of an account',
  method: 'DELETE',
  path: '/accounts/{account_id}/invitation-links/{invitation_link_id}',
  target: 'account',
  permission: { kind: 'account', rule: accountRules.account_members },
  tableAccess: revokesLink,
  example: { path: { account_id: exampleIds.account_id, invitation_link_id: values.revokedLinkIds.account } },
});

export const createRepositoryInvitationLink = define.create({
  name: 'create-repository-invitation-link',
  summary: 'Create a link with which one user becomes a member of a repository',
  path: '/repositories/{account_id}/{repository_id}/invitation-links',
  target: 'repository',
  permission: { kind: 'invitation', rule: accountRules.repository_members },
  body: invitationLinkBodySchema,
  response: createdInvitationLinkSchema,
  tableAccess: createsLink,
  ...createdLink,
  example: { body: { role: 'read_data' }, response: values.createdRepositoryInvitationLink },
});

export const listRepositoryInvitationLinks = define.list({
  name: 'list-repository-invitation-links',
  summary: 'List the invitation links of a repository',
  path: '/repositories/{account_id}/{repository_id}/invitation-links',
  target: 'repository',
  permission: { kind: 'account', rule: accountRules.repository_members },
  response: z.array(listedInvitationLinkSchema),
  tableAccess: listsLinks,
  example: { response: [values.listedRepositoryInvitationLink] },
});

export const deleteRepositoryInvitationLink = define.action({
  name: 'delete-repository-invitation-link',
  summary: 'Revoke an invitation link of a repository',
  method: 'DELETE',
  path: '/repositories/{account_id}/{repository_id}/invitation-links/{invitation_link_id}',
  target: 'repository',
  permission: { kind: 'account', rule: accountRules.repository_members },
  tableAccess: revokesLink,
  example: {
    path: {
      account_id: exampleIds.account_id,
      repository_id: exampleIds.repository_id,
      invitation_link_id: values.revokedLinkIds.repository,
    },
  },
});

/** The operation is a POST, so that the secret is in the request body and appears in no log. */
export const showInvitationLink = define.action({
  name: 'show-invitation-link',
  summary: 'See who invites to what with an invitation link',
  method: 'POST',
  path: '/invitation-links/{invitation_link_id}/show',
  target: 'nothing',
  permission: { kind: 'enabled_account' },
  body: linkSecretBodySchema,
  response: shownInvitationSchema,
  tableAccess: { actions: ['GetItem', 'BatchGetItem', 'UpdateItem'] },
  example: { body: { secret: values.linkSecret }, response: values.shownInvitation },
});

export const acceptInvitationLink = define.action({
  name: 'accept-invitation-link',
  summary: 'Become a member with an invitation link',
  method: 'POST',
  path: '/invitation-links/{invitation_link_id}/accept',
  target: 'nothing',
  permission: { kind: 'enabled_account' },
  body: linkSecretBodySchema,
  response: membershipSchema,
  tableAccess: { actions: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'ConditionCheckItem'] },
  example: {
    body: { secret: values.linkSecret },
    response: { ...values.invitation, account_id: 'edith', role: 'read_data', state: 'member' },
  },
});
