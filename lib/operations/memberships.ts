import * as z from 'zod';
import { listedMembershipSchema, membershipRoleSchema, membershipSchema } from '../domain/accounts/memberships.ts';
import { accountRules } from '../domain/accounts/permissions.ts';
import { identifierSchema } from '../domain/identifiers.ts';
import * as values from './example-values.ts';
import { listQuerySchema } from './lists.ts';
import { defineOperation } from './operation.ts';

const invitationSchema = z.strictObject({ account_id: identifierSchema, role: membershipRoleSchema });
/** Includes reads, because the limits of invitations depend on the number of open ones. */
const invites = {
  actions: ['BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'ConditionCheckItem'],
  indexes: [],
} as const;
const accepting = { actions: ['PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'], indexes: [] } as const;
const ending = { actions: ['PutItem', 'UpdateItem', 'DeleteItem'], indexes: [] } as const;
const changingRole = { actions: ['PutItem', 'UpdateItem', 'ConditionCheckItem'], indexes: [] } as const;

export const inviteAccountMember = defineOperation({
  name: 'invite-account-member',
  group: 'memberships',
  specNumber: 10,
  summary: 'Invite a member to an account',
  method: 'POST',
  path: '/accounts/{account_id}/members',
  target: 'account',
  permission: { kind: 'invitation', rule: accountRules.account_members },
  body: invitationSchema,
  response: membershipSchema,
  status: 201,
  tableAccess: invites,
  example: {
    path: { account_id: 'tide-institute' },
    body: { account_id: 'grace', role: 'write_data' },
    response: values.invitation,
  },
});

export const listAccountMembers = defineOperation({
  name: 'list-account-members',
  group: 'memberships',
  specNumber: 11,
  summary: 'List the memberships of an account',
  method: 'GET',
  path: '/accounts/{account_id}/members',
  target: 'account',
  permission: { kind: 'account', rule: accountRules.account_members },
  allowsApiKey: true,
  isList: true,
  query: listQuerySchema,
  response: z.array(listedMembershipSchema),
  status: 200,
  tableAccess: { actions: [], indexes: ['lists'] },
  example: {
    path: { account_id: 'tide-institute' },
    response: [values.ownership, values.invitation].map(values.listed),
  },
});

export const inviteRepositoryMember = defineOperation({
  name: 'invite-repository-member',
  group: 'memberships',
  specNumber: 19,
  summary: 'Invite a member to a repository',
  method: 'POST',
  path: '/repositories/{account_id}/{repository_id}/members',
  target: 'repository',
  permission: { kind: 'invitation', rule: accountRules.repository_members },
  body: invitationSchema,
  response: membershipSchema,
  status: 201,
  tableAccess: invites,
  example: {
    path: { account_id: 'tide-institute', repository_id: 'tide-gauges' },
    body: { account_id: 'grace', role: 'write_data' },
    response: values.repositoryInvitation,
  },
});

export const listRepositoryMembers = defineOperation({
  name: 'list-repository-members',
  group: 'memberships',
  specNumber: 20,
  summary: 'List the memberships of a repository',
  method: 'GET',
  path: '/repositories/{account_id}/{repository_id}/members',
  target: 'repository',
  permission: { kind: 'account', rule: accountRules.repository_members },
  allowsApiKey: true,
  isList: true,
  query: listQuerySchema,
  response: z.array(listedMembershipSchema),
  status: 200,
  tableAccess: { actions: [], indexes: ['lists'] },
  example: {
    path: { account_id: 'tide-institute', repository_id: 'tide-gauges' },
    response: [values.listed(values.repositoryInvitation)],
  },
});

export const acceptMembership = defineOperation({
  name: 'accept-membership',
  group: 'memberships',
  specNumber: 15,
  summary: 'Accept an invitation',
  method: 'POST',
  path: '/memberships/{membership_id}/accept',
  target: 'membership',
  permission: { kind: 'membership', step: 'answer' },
  response: membershipSchema,
  status: 200,
  tableAccess: accepting,
  example: {
    path: { membership_id: values.invitation.membership_id },
    response: { ...values.invitation, state: 'member' },
  },
});

export const rejectMembership = defineOperation({
  name: 'reject-membership',
  group: 'memberships',
  specNumber: 16,
  summary: 'Reject an invitation',
  method: 'POST',
  path: '/memberships/{membership_id}/reject',
  target: 'membership',
  permission: { kind: 'membership', step: 'answer' },
  response: membershipSchema,
  status: 200,
  tableAccess: ending,
  example: {
    path: { membership_id: values.declinedInvitation.membership_id },
    response: { ...values.declinedInvitation, state: 'revoked' },
  },
});

export const revokeMembership = defineOperation({
  name: 'revoke-membership',
  group: 'memberships',
  specNumber: 17,
  summary: 'Revoke a membership or leave',
  method: 'POST',
  path: '/memberships/{membership_id}/revoke',
  target: 'membership',
  permission: { kind: 'membership', step: 'revoke' },
  response: membershipSchema,
  status: 200,
  tableAccess: ending,
  example: {
    path: { membership_id: values.invitation.membership_id },
    response: { ...values.invitation, state: 'revoked' },
  },
});

export const updateMembershipRole = defineOperation({
  name: 'update-membership-role',
  group: 'memberships',
  specNumber: 18,
  summary: 'Change the role of a membership',
  method: 'POST',
  path: '/memberships/{membership_id}/update-role',
  target: 'membership',
  permission: { kind: 'membership', step: 'change_role' },
  body: membershipRoleSchema,
  response: membershipSchema,
  status: 200,
  tableAccess: changingRole,
  example: {
    path: { membership_id: values.invitation.membership_id },
    body: 'read_data',
    response: { ...values.invitation, role: 'read_data' },
  },
});
