import * as z from 'zod';
import { accountSchema } from '../domain/accounts/accounts.ts';
import { listedMembershipSchema } from '../domain/accounts/memberships.ts';
import * as values from './example-values.ts';
import { listQuerySchema } from './lists.ts';
import { defineOperation } from './operation.ts';

export const sessionSchema = z.object({
  identity_id: z.string(),
  account: accountSchema.nullable(),
  memberships: z.array(listedMembershipSchema),
});

export const getSession = defineOperation({
  name: 'get-session',
  group: 'session',
  specNumber: 31,
  summary: "Get the caller's session; memberships are listed accepted first, then open, then revoked, newest first",
  method: 'GET',
  path: '/whoami',
  target: 'nothing',
  permission: { kind: 'authenticated' },
  allowsApiKey: true,
  isList: true,
  // No list to those who call it: what it does not know is ignored, as elsewhere.
  query: listQuerySchema.strip(),
  response: sessionSchema,
  status: 200,
  tableAccess: { actions: ['Query'], indexes: [] },
  example: {
    response: {
      identity_id: values.person.identity_id,
      account: values.person,
      memberships: [values.listed(values.ownership)],
    },
  },
});
