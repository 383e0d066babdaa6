import * as z from 'zod';
import { identifierSchema } from '../identifiers.ts';
import { timestampSchema } from '../text.ts';
import { shownNameSchema } from './accounts.ts';

/** An account from which a user accepts no invitations, including those of its repositories. */
export const blockedAccountSchema = z.object({ account_id: identifierSchema, blocked_at: timestampSchema });
export type BlockedAccount = z.infer<typeof blockedAccountSchema>;

/** A blocked account in list responses. */
export const listedBlockedAccountSchema = blockedAccountSchema.extend({ account_name: shownNameSchema });
