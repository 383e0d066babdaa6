import * as z from 'zod';
import { listedMembershipSchema, membershipRoleSchema, membershipSchema } from '../domain/accounts/memberships.ts';
import { accountRules } from '../domain/accounts/permissions.ts';
import { identifierSchema } from '../domain/identifiers.ts';
import * as values from './example-values.ts';
import { declarators } from './operation.ts';

const define = declarators({ group: 'memberships', target: 'membership' });
export const membershipOperations = define.all;

const invitationSchema = z.strictObject({ account_id: identifierSchema, role: membershipRoleSchema });
/**
 * The table access of an operation that invites. It includes reads, because the number of open invitations is limited.
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
