import { shownNameOf } from '../../lib/domain/accounts/accounts.ts';
import { requireReadable } from '../../lib/domain/data/links.ts';
import { limits } from '../../lib/domain/limits.ts';
import { issueSessionCredentials } from '../../lib/domain/secrets/session-credentials.ts';
import { parseTimestamp, toTimestamp } from '../../lib/domain/time.ts';
import { sessionFunction } from '../../lib/lambda/functions/api-function.ts';
import { createLinkCredentials } from '../../lib/operations/links.ts';

export const handler = sessionFunction(createLinkCredentials, async ({ path, body, services, now }) => {
  const { store, random } = services;
  const found = await store.links.find(path.link_id);
  const { link, principal, owner, repository, creator } = await requireReadable(found, body.secret, services, now);
  await store.links.recordUse(link, now);
  const issued_at = Math.floor(now / 1000);
  // Shorten the life of the credentials, so that they never outlive the link.
  const ends_at = Math.floor(parseTimestamp(link.expires_at) / 1000);
  const expires_at = Math.min(issued_at + limits.linkCredentialsSeconds, ends_at);
  const { times_disabled, role, ...holder } = principal;
  const signed_in_by = { kind: 'link', id: link.link_id } as const;
  const claims = { holder, times_disabled, role, signed_in_by, session_name: 'link', issued_at, expires_at };
  const credentials = issueSessionCredentials(claims, await services.sessionKeys(), { now, random });
  const { account_id, repository_id, prefix, created_by } = link;
  return {
    ...credentials,
    expires_at: toTimestamp(expires_at * 1000),
    account_id,
    account_name: shownNameOf(owner),
    repository_id,
    title: repository.meta.title,
    prefix,
    created_by,
    created_by_name: shownNameOf(creator),
    link_expires_at: link.expires_at,
  };
});
