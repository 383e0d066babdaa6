import { actingAccountOf } from '../../lib/domain/accounts/callers.ts';
import { userHolder } from '../../lib/domain/data/data-credentials.ts';
import { issueSessionCredentials } from '../../lib/domain/secrets/session-credentials.ts';
import { toTimestamp } from '../../lib/domain/time.ts';
import { sessionFunction } from '../../lib/lambda/functions/api-function.ts';
import { createDataCredentials } from '../../lib/operations/session.ts';

export const handler = sessionFunction(createDataCredentials, async ({ caller, body, services, now, event }) => {
  const account = actingAccountOf(caller);
  if (account === null) throw new Error('who may call this has an enabled account');
  const { role, repository, purpose = 'page', duration_seconds } = body;
  const { holder, times_disabled } = await userHolder(account, repository, services.requestData);
  const subject = { role, to: purpose, ...(repository === undefined ? {} : { repository }) };
  const { store, random } = services;
  await store.dataCredentials.recordIssued(event('data_credentials.issued', account.account_id, subject));
  const issued_at = Math.floor(now / 1000);
  const expires_at = issued_at + duration_seconds;
  const signed_in_by = { kind: 'person', id: 'page' } as const;
  const claims = { holder, times_disabled, role, signed_in_by, session_name: 'page', issued_at, expires_at };
  const credentials = issueSessionCredentials(claims, await services.sessionKeys(), { now, random });
  return { ...credentials, expires_at: toTimestamp(expires_at * 1000) };
});
