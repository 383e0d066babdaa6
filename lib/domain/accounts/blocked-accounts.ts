import * as z from 'zod';
import { identifierSchema } from '../identifiers.ts';
import { timestampSchema } from '../text.ts';
import { shownNameSchema } from './accounts.ts';

/** An account that a person takes no invitations of, nor of its repositories. */
export const blockedAccountSchema = z.object({ account_id: identifierSchema, blocked_at: timestampSchema });
export type BlockedAccount = z.infer<typeof blockedAccountSchema>;

/** As lists have it. */
export const listedBlockedAccountSchema = blockedAccountSchema.extend({ account_name: shownNameSchema });
