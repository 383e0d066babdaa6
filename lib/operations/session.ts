import * as z from 'zod';
import { accountSchema } from '../domain/accounts/accounts.ts';
import { listedMembershipSchema } from '../domain/accounts/memberships.ts';
import { repositoryPathSchema } from '../domain/identifiers.ts';
import { limits } from '../domain/limits.ts';
import { sessionRoles } from '../domain/secrets/session-credentials.ts';
import { timestampSchema } from '../domain/text.ts';
import * as values from './example-values.ts';
import { listQuerySchema } from './lists.ts';
import { declarators } from './operation.ts';

const define = declarators({ group: 'session', target: 'nothing' });
export const sessionOperations = define.all;

const sessionSchema = z.object({
  identity_id: z.string(),
  account: accountSchema.nullable(),
  memberships: z.array(listedMembershipSchema),
});

export const createDataCredentials = define.action({
  name: 'create-data-credentials',
  summary: 'Get temporary credentials with your rights, optionally for one repository only',
  method: 'POST',
  path: '/session/data-credentials',
  permission: { kind: 'enabled_account' },
  body: z.strictObject({
    role: z.enum(sessionRoles),
    /** Limits the credentials to this repository and to public data. */
    repository: repositoryPathSchema.optional(),
    /**
     * The purpose of the credentials, which the account's audit trail records: requests of a web page, or presigned
     * links for other users.
     */
    purpose: z.enum(['page', 'link']).optional(),
    duration_seconds: z
      .int()
      .min(limits.sessionDurationMinSeconds)
      .max(limits.pageSessionDurationMaxSeconds)
      .default(limits.pageSessionDurationMaxSeconds),
  }),
  response: z.object({
    access_key_id: z.string(),
    secret_access_key: z.string(),
    session_token: z.string(),
    expires_at: timestampSchema,
  }),
  secretFields: ['secret_access_key', 'session_token'],
  tableAccess: { actions: ['PutItem', 'UpdateItem'] },
  sealsSessions: true,
  example: {
    body: { role: 'FullAccess', duration_seconds: 900 },
    response: {
      access_key_id: 'SCTAEXAMPLEEXAMPLEEX',
      secret_access_key: 'shown only in the response that issues it',
      session_token: 'shown only in the response that issues it',
      expires_at: '2026-08-17T09:45:00.000Z',
    },
  },
});

export const getSession = define.list({
  name: 'get-session',
  summary: "Get the caller's session",
  path: '/whoami',
  permission: { kind: 'authenticated' },
  // Unlike lists, this operation ignores unknown query parameters. It returns a list, but clients treat the response as
  // one resource.
  query: listQuerySchema.strip(),
  response: sessionSchema,
  tableAccess: { actions: ['Query'] },
  example: {
    response: {
      identity_id: values.user.identity_id,
      account: values.user,
      memberships: [values.listed(values.ownership)],
    },
  },
});
