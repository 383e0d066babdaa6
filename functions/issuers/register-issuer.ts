import { trailOf } from '../../lib/domain/accounts/callers.ts';
import { ciProvider } from '../../lib/domain/ci/providers.ts';
import {
  issuerUrlFault,
  lookAlikeOf,
  type RegisteredIssuer,
  shownIssuer,
} from '../../lib/domain/ci/registered-issuers.ts';
import { invalidInput, ServiceError } from '../../lib/domain/errors.ts';
import { limits } from '../../lib/domain/limits.ts';
import { toTimestamp } from '../../lib/domain/time.ts';
import { issuerFailureMessages } from '../../lib/issuers/fetch-keys.ts';
import { issuerFunction } from '../../lib/lambda/functions/api-function.ts';
import type { IssuerServices } from '../../lib/lambda/services.ts';
import { registerIssuer } from '../../lib/operations/issuers.ts';

export const handler = issuerFunction(registerIssuer, async ({ caller, target, body, services, now, event }) => {
  const { account_id } = target.account;
  const { registeredIssuers } = services.store;
  const { issuer, kind } = body;
  const message = faultOf(body, services);
  if (message !== undefined) throw invalidInput([{ path: 'issuer', message }]);
  const time = toTimestamp(now);
  await registeredIssuers.countRegistration(account_id, time);
  const fetched = await services.fetchIssuerKeys(issuer);
  if ('failure' in fetched) {
    throw new ServiceError('issuer_unusable', `The issuer cannot be used: ${issuerFailureMessages[fetched.failure]}`);
  }
  const record = {
    ...{ account_id, issuer_id: services.random.uuid(), issuer, kind, created_at: time, created_by: trailOf(caller) },
    ...{ jwks: fetched.jwks, keys_fetched_at: time, last_attempt_at: time, last_failure: null, last_used_at: null },
    next_fetch_at: toTimestamp(now + limits.unusedIssuerFetchEverySeconds * 1000),
  };
  const { issuer_id } = record;
  await registeredIssuers.create(
    record,
    event('issuer.registered', account_id, { account_id, issuer_id, issuer, kind }),
  );
  return shownIssuer(record);
});

/**
 * Returns the reason to refuse an issuer, or undefined. An issuer is refused if its URL looks like the URL of a known
 * issuer, because it could deceive users.
 */
function faultOf(
  { issuer, kind }: Pick<RegisteredIssuer, 'issuer' | 'kind'>,
  services: IssuerServices,
): string | undefined {
  const { ciIssuers, userIssuer, allowsLoopbackEndpoints: allowsLoopback } = services;
  const configured = ciIssuers.map((known) => known.issuer);
  if (configured.includes(issuer)) return 'is an issuer of this deployment; trust its workflows without registering it';
  const fault = issuerUrlFault(issuer, { allowsLoopback }) ?? ciProvider({ kind }).issuerFault(issuer);
  if (fault !== undefined) return fault;
  if (lookAlikeOf(issuer, [userIssuer]) !== undefined) return 'signs in the users of this deployment';
  const other = lookAlikeOf(issuer, configured);
  return other && `looks like ${other}, an issuer of this deployment; trust workflows of that issuer instead`;
}
