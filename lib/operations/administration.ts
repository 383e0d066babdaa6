import * as z from 'zod';
import { accountSchema } from '../domain/accounts/accounts.ts';
import { listedAuditEventSchema } from '../domain/changes/audit.ts';
import { listedRepositorySchema } from '../domain/data/repositories.ts';
import { anyAccountIdSchema } from '../domain/identifiers.ts';
import { limits } from '../domain/limits.ts';
import { timestampSchema } from '../domain/text.ts';
import { listedConnectionSchema } from './data-connections.ts';
import * as values from './example-values.ts';
import { listQuerySchema } from './lists.ts';
import { declarators } from './operation.ts';

const searchSchema = z.string().max(limits.profileNameLengthMax).optional();

const define = declarators({ group: 'administration', target: 'nothing', permission: { kind: 'admin' } });
export const administrationOperations = define.all;

export const siteAccountSchema = accountSchema.omit({ identity_id: true }).extend({ created_at: timestampSchema });
export const disabledRepositorySchema = listedRepositorySchema.omit({ data: true });

export const listAllAccounts = define.list({
  name: 'list-all-accounts',
  summary: 'List the accounts of the site, by ID',
  path: '/administration/accounts',
  query: listQuerySchema.extend({
    /** The beginning of an account ID or of a display name. Matches of IDs come first. */
    search: searchSchema,
    state: z.enum(['disabled']).optional(),
  }),
  response: z.array(siteAccountSchema),
  tableAccess: { indexes: ['lists', 'sublists'] },
  example: { query: { search: 'tide' }, response: [values.listedAccount] },
});

export const listDisabledRepositories = define.list({
  name: 'list-disabled-repositories',
  summary: 'List disabled repositories, by account and ID',
  path: '/administration/disabled-repositories',
  query: listQuerySchema.extend({
    /** The beginning of `<account ID>/<repository ID>`. */
    search: searchSchema,
  }),
  response: z.array(disabledRepositorySchema),
  tableAccess: { indexes: ['sublists'] },
  example: { query: { search: 'tide-institute/' }, response: [values.disabledRepository] },
});

export const listAllDataConnections = define.list({
  name: 'list-all-data-connections',
  summary: 'List the data connections of the platform and of all accounts, by ID',
  path: '/administration/data-connections',
  query: listQuerySchema.extend({
    /**
     * The beginning of a connection's ID or name, or the ID of an account. Matches of IDs come first, and the
     * connections of the account come last.
     */
    search: searchSchema,
  }),
  response: z.array(listedConnectionSchema),
  tableAccess: { indexes: ['lists', 'sublists', 'catalogue'] },
  example: { query: { search: 'ocean' }, response: [values.dataConnection] },
});

export const listAdministrativeActions = define.list({
  name: 'list-administrative-actions',
  summary: 'List the changes that only administrators could make, newest first',
  path: '/administration/actions',
  query: listQuerySchema.extend({
    /** The administrator who made the changes. */
    actor_account_id: anyAccountIdSchema.optional(),
    /** The account that was changed. */
    account_id: anyAccountIdSchema.optional(),
  }),
  response: z.array(listedAuditEventSchema),
  tableAccess: { actions: ['Query'], indexes: ['lists', 'sublists'] },
  example: { response: [values.administrativeAction] },
});
