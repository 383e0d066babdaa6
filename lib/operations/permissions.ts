import * as z from 'zod';
import { membershipRoleSchema } from '../domain/accounts/memberships.ts';

/** The id of an operation: a string, so that a client knows what to do with those that are added. */
export const permissionSchema = z.string();

/** The ids of operations that the caller may carry out on the thing in question. */
export const permissionsSchema = z.array(permissionSchema);

/** The roles that the caller may give to others, change and take from them, in the account or repository in question. */
export const givenRolesSchema = z.array(membershipRoleSchema);
