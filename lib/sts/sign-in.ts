import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import type { SessionClaims } from '../domain/secrets/session-credentials.ts';
import type { ExchangeStore } from '../domain/service-accounts/exchange-store.ts';
import { hashServiceAccountKey } from '../domain/service-accounts/service-account-key.ts';
import type { ServiceAccountRecord } from '../domain/service-accounts/service-accounts.ts';
import { findSignInWorkflow, refusedSignInOf } from './ci-identity.ts';
import { signInByKey } from './key-identity.ts';
import type { RoleRequest } from './parse.ts';
import { findOwnAccount } from './person-identity.ts';
import { personSessionSeconds, type VerifiedPerson } from './person-token.ts';
import type { ExchangeThrottle } from './throttle.ts';
import type { IdentityTokenVerifier, VerifiedIdentity } from './token-verifier.ts';

export interface SignInDependencies {
  store: ExchangeStore;
  identityTokens: IdentityTokenVerifier;
  throttle: ExchangeThrottle;
  /** Told of what the answer does not show: a failure inside, or a refusal with a cause. For the log. */
  report: (failure: unknown) => void;
}

/** Of the request: its time, its id, and the data proxy's URL, which CI tokens must name as their audience. */
export interface SignInEndpoint {
  now: number;
  requestId: string;
  audience: string;
}

/** What the credentials of an exchange are made of, and what its answer tells beside them. */
export interface SignIn {
  duration_seconds: number;
  account: Pick<SessionClaims, 'holder' | 'times_disabled' | 'signed_in_by'>;
  subject: string;
  audience: string;
  provider: string;
}

/** Signs in what the request brings: a key, a run of a CI system, or a person. Throws what refuses it. */
export async function signIn(request: RoleRequest, place: SignInEndpoint, deps: SignInDependencies): Promise<SignIn> {
  return request.identity.kind === 'key' ? signInWithKey(request, place, deps) : signInWithToken(request, place, deps);
}

async function signInWithKey(
  { identity, role, duration_seconds = limits.sessionDurationDefaultSeconds }: RoleRequest,
  { now, audience }: SignInEndpoint,
  { store, throttle, report }: SignInDependencies,
): Promise<SignIn> {
  const keyHash = hashServiceAccountKey(identity.token);
  // Before the lookup, so that being throttled tells nothing about the key.
  throttle.countKey(keyHash);
  const { key, serviceAccount } = await lookedUp(signInByKey(keyHash, role.account_id, store, now));
  // A key that works must not stop working because the note about its use cannot be written.
  await store.recordKeyUse(key, now).catch(report);
  const { service_account_id } = serviceAccount;
  return {
    duration_seconds,
    account: accountOf(serviceAccount, { kind: 'key', id: key.key_id }),
    subject: service_account_id,
    audience,
    provider: audience,
  };
}

async function signInWithToken(request: RoleRequest, place: SignInEndpoint, deps: SignInDependencies): Promise<SignIn> {
  const verified = await deps.identityTokens.verify(request.identity.token, place.audience);
  return verified.kind === 'person'
    ? signInPerson(verified, request, place, deps)
    : signInRun(verified, request, place, deps);
}

async function signInRun(
  verified: VerifiedIdentity,
  { role, duration_seconds = limits.sessionDurationDefaultSeconds }: RoleRequest,
  place: SignInEndpoint,
  { store, report }: SignInDependencies,
): Promise<SignIn> {
  const found = await lookedUp(findSignInWorkflow(verified, role.account_id, store, place.now));
  if (found === undefined) {
    // Awaited: at the edge nothing runs on after the answer.
    await store.recordRefusedSignIn(refusedSignInOf(verified, role.account_id, place)).catch(report);
    throw notAuthorized();
  }
  const { service_account_id, owner_account_id } = found.serviceAccount;
  const workflow = { service_account_id, workflow_id: found.workflow.workflow_id };
  const { now, requestId: request_id } = place;
  // A sign-in succeeds even when its record cannot be written.
  await store.recordSignIn({ account_id: owner_account_id, role: role.role, request_id, now, workflow }).catch(report);
  return {
    duration_seconds,
    account: accountOf(found.serviceAccount, { kind: 'workflow', id: found.workflow.workflow_id }),
    subject: verified.subject,
    audience: verified.audience,
    provider: verified.issuer.issuer,
  };
}

/** Nothing is noted of a refusal: a note would be the doing of anyone who can sign up, for whomever they name. */
async function signInPerson(
  person: VerifiedPerson,
  { role, duration_seconds }: RoleRequest,
  { now, requestId }: SignInEndpoint,
  { store, report }: SignInDependencies,
): Promise<SignIn> {
  const seconds = personSessionSeconds(person, duration_seconds, now);
  const account = await lookedUp(findOwnAccount(person, role.account_id, store));
  if (account === undefined) throw notAuthorized();
  const { account_id, times_disabled } = account;
  // A sign-in succeeds even when its record cannot be written.
  await store.recordSignIn({ account_id, role: role.role, request_id: requestId, now }).catch(report);
  return {
    duration_seconds: seconds,
    account: {
      holder: { kind: 'person', account_id },
      times_disabled,
      signed_in_by: { kind: 'person', id: 'tool' },
    },
    subject: person.identity_id,
    audience: person.audience,
    provider: person.issuer,
  };
}

/** The one refusal of a good token: it tells nothing of the account that the role names. */
function notAuthorized(): ServiceError {
  return new ServiceError('access_denied', 'Not authorized to perform sts:AssumeRoleWithWebIdentity');
}

function accountOf(
  { service_account_id, uid, times_disabled }: ServiceAccountRecord,
  signed_in_by: SessionClaims['signed_in_by'],
): SignIn['account'] {
  return {
    holder: { kind: 'service_account', service_account_id, service_account_uid: uid },
    times_disabled,
    signed_in_by,
  };
}

/**
 * What cannot be looked up is 503, which says that trying again helps, where 500 would not. Clients do try again after
 * either.
 */
export async function lookedUp<Found>(lookup: Promise<Found>): Promise<Found> {
  try {
    return await lookup;
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause;
    throw new ServiceError(
      'unavailable',
      'The service cannot check this at the moment; try again in a moment in a moment',
      {
        cause,
      },
    );
  }
}
