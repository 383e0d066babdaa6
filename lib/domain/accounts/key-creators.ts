import * as z from 'zod';
import { anyAccountIdSchema } from '../identifiers.ts';
import { shownNameSchema } from './accounts.ts';

/** Who made a key, as its managers see it: a key goes on when its maker does not. Null of keys that are older than this field. */
export const keyCreatorShape = {
  created_by: anyAccountIdSchema.nullable(),
  created_by_name: shownNameSchema,
  /** Whether the maker has a part in the account still, or in the repository that the key is of. */
  created_by_is_member: z.boolean().nullable(),
};

export interface KeyCreator {
  created_by: string | null;
  created_by_name: string | null;
  created_by_is_member: boolean | null;
}
