import * as z from 'zod';
import { anyAccountIdSchema } from '../identifiers.ts';
import { shownNameSchema } from './accounts.ts';

/**
 * The creator of a key, in responses to users who manage the key. A key stays valid after its creator leaves the
 * account.
 */
export const keyCreatorShape = {
  created_by: anyAccountIdSchema.nullable(),
  created_by_name: shownNameSchema,
  /** True if the creator still has a role in the account, or in the repository of the key. */
  created_by_is_member: z.boolean().nullable(),
};

export interface KeyCreator {
  created_by: string | null;
  created_by_name: string | null;
  created_by_is_member: boolean | null;
}
