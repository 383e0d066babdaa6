import * as z from 'zod';
import { accountSchema } from '../domain/accounts/accounts.ts';
import { membershipSchema } from '../domain/accounts/memberships.ts';
import * as values from './example-values.ts';
import { defineOperation } from './operation.ts';

export const sessionSchema = z.object({
  identity_id: z.string(),
  account: accountSchema.nullable(),
  memberships: z.array(membershipSchema),
});

export const getSession = defineOperation({
  name: 'get-session',
  group: 'session',
  specNumber: 31,
  summary: 'Get the session of the caller',
  method: 'GET',
  path: '/whoami',
  target: 'session',
  permission: { kind: 'authenticated' },
  allowsApiKey: true,
  response: sessionSchema,
  status: 200,
  tableAccess: { actions: ['Query'], indexes: [] },
  example: {
    response: { identity_id: values.person.identity_id, account: values.person, memberships: [values.ownership] },
  },
});
