import * as z from 'zod';
import { type AccountRecord, shownNameSchema } from '../accounts/accounts.ts';
import type { RequestDataReader } from '../accounts/request-data.ts';
import { anyAccountIdSchema, identifierSchema, uuidSchema } from '../identifiers.ts';
import { limits } from '../limits.ts';
import type { RandomSource } from '../random.ts';
import { hashLinkSecret, isLinkSecret, newLinkSecret, unusableLink } from '../secrets/link-secrets.ts';
import { boundedText, timestampSchema } from '../text.ts';
import { dayMs, parseTimestamp, toTimestamp } from '../time.ts';
import { utf8Bytes } from '../utf8-bytes.ts';
import { mayReadData, type SignedIn, timesEnded } from './data-access.ts';
import type { RepositoryRecord } from './repositories.ts';
import { isBelowReserved, isReservedKey } from './reserved-keys.ts';

/**
 * The part of a repository that a link shows: an empty text for the whole repository, a folder that ends in `/`, or one
 * exact key. Control characters are refused, because JSON makes them six times as long, and session tokens contain the
 * text.
 */
const linkPrefixSchema = boundedText(limits.objectKeyBytesMax)
  .refine((prefix) => utf8Bytes(prefix) <= limits.objectKeyBytesMax, 'must have at most 1024 bytes of UTF-8')
  .refine((prefix) => !/\p{Cc}/u.test(prefix), 'must have no control characters; share the folder above')
  .refine((prefix) => !isReservedKey(prefix) && !isBelowReserved(prefix), 'must not be below .sluice/');

export const newLinkSchema = z.strictObject({
  prefix: linkPrefixSchema,
  expires_in_days: z.int().min(1).max(limits.linkLifeDaysMax),
  note: boundedText(limits.linkNoteLengthMax).optional(),
});

/** A link to private data. */
export const linkSchema = z.object({
  link_id: uuidSchema,
  account_id: anyAccountIdSchema,
  repository_id: identifierSchema,
  prefix: z.string(),
  note: z.string(),
  state: z.enum(['open', 'expired', 'ended']),
  created_by: z.string(),
  created_at: timestampSchema,
  expires_at: timestampSchema,
  last_used_at: timestampSchema.nullable(),
});

/** A new link to private data. No later response contains its secret. */
export const createdLinkSchema = linkSchema.extend({ secret: z.string() });
export const listedLinkSchema = linkSchema.extend({ created_by_name: shownNameSchema });

export const linkRecord = linkSchema.omit({ state: true }).extend({
  repository_uid: z.string(),
  secret_hash: z.string(),
  /** The value of `timesEnded` when the link was created. */
  times_disabled: z.int(),
});
export type LinkRecord = z.infer<typeof linkRecord>;

/** The response to a reader of a link: temporary credentials, and the part of the repository that they can read. */
export const linkCredentialsSchema = z.object({
  access_key_id: z.string(),
  secret_access_key: z.string(),
  session_token: z.string(),
  expires_at: timestampSchema,
  account_id: anyAccountIdSchema,
  account_name: shownNameSchema,
  repository_id: identifierSchema,
  title: z.string(),
  prefix: z.string(),
  created_by: z.string(),
  created_by_name: shownNameSchema,
  link_expires_at: timestampSchema,
});

export function newLink(
  { owner, repository, creator }: { owner: AccountRecord; repository: RepositoryRecord; creator: AccountRecord },
  body: z.output<typeof newLinkSchema>,
  random: RandomSource,
  now: number,
): { link: LinkRecord; secret: string } {
  const secret = newLinkSecret(random);
  const link = {
    link_id: random.uuid(),
    account_id: repository.account_id,
    repository_id: repository.repository_id,
    repository_uid: repository.uid,
    prefix: body.prefix,
    note: body.note ?? '',
    created_by: creator.account_id,
    created_at: toTimestamp(now),
    expires_at: toTimestamp(now + body.expires_in_days * dayMs),
    last_used_at: null,
    secret_hash: hashLinkSecret(secret),
    times_disabled: timesEnded({ owner, repository, creator }),
  };
  return { link, secret };
}

/**
 * Returns the link with its state. `ended` means that the account, the repository, or the creator was disabled, or that
 * the creator can no longer create links.
 */
export function linkStateAt(link: LinkRecord, isUsable: boolean, now: number): z.infer<typeof linkSchema>['state'] {
  if (now >= parseTimestamp(link.expires_at)) return 'expired';
  return isUsable ? 'open' : 'ended';
}

interface LinkRights {
  principal: Extract<SignedIn, { kind: 'link' }>;
  owner: AccountRecord;
  repository: RepositoryRecord;
  creator: AccountRecord;
}

/**
 * Returns the principal that reads with the link, and its rights, by the rules of the data proxy. Returns undefined if
 * the link gives no access now.
 */
export async function findLinkRights(
  link: LinkRecord,
  requestData: Pick<RequestDataReader, 'readRequestData'>,
): Promise<LinkRights | undefined> {
  const { account_id, repository_id, repository_uid, created_by, link_id, prefix, times_disabled } = link;
  const scope = { account_id, repository_id };
  const { account, callerAccount, repository, roles } = await requestData.readRequestData({
    callerAccountId: created_by,
    scope,
  });
  const principal = {
    kind: 'link',
    account_id: created_by,
    link_id,
    narrowed_to: { ...scope, uid: repository_uid },
    prefix,
    times_disabled,
    role: 'ReadOnly',
  } as const;
  const mayRead = mayReadData(principal, {
    owner: account,
    repository,
    actingAccount: callerAccount && { ...callerAccount, times_disabled: callerAccount.times_disabled ?? 0 },
    roles,
    serviceAccount: undefined,
    grant: undefined,
  });
  if (!mayRead || account === undefined || repository === undefined || callerAccount === undefined) return undefined;
  return { principal, owner: account, repository, creator: callerAccount };
}

/** Checks the secret of a link, and that the link gives access now. Throws the same error for every failed check. */
export async function requireReadable(
  link: LinkRecord | undefined,
  secret: string,
  { requestData }: { requestData: Pick<RequestDataReader, 'readRequestData'> },
  now: number,
): Promise<LinkRights & { link: LinkRecord }> {
  if (link === undefined || !isLinkSecret(secret, link.secret_hash)) throw unusableLink();
  if (now >= parseTimestamp(link.expires_at)) throw unusableLink();
  const rights = await findLinkRights(link, requestData);
  if (rights === undefined) throw unusableLink();
  return { ...rights, link };
}
