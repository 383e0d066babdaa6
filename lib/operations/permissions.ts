import * as z from 'zod';
import { membershipRoleSchema } from '../domain/accounts/memberships.ts';

/**
 * The ID of an operation. Its schema is a string and not an enum, so that clients also accept operations that are added
 * later.
 */
export const permissionSchema = z.string();

/** The IDs of operations that the caller may perform on the resource. */
export const permissionsSchema = z.array(permissionSchema);

/** The roles in the account or repository that the caller may grant, change, and revoke. */
export const givenRolesSchema = z.array(membershipRoleSchema);
