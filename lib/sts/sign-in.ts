import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import type { SessionClaims } from '../domain/secrets/session-credentials.ts';
import type { ExchangeStore, ServiceAccountStatus, UserAccount } from '../domain/service-accounts/exchange-store.ts';
import { hashServiceAccountKey, keyNotAcceptedMessage } from '../domain/service-accounts/service-account-key.ts';
import {
  keyState,
  type ServiceAccountKeyRecord,
  type ServiceAccountRecord,
} from '../domain/service-accounts/service-accounts.ts';
import { needsKeys, refusedSignInOf, signInWorkload, type WorkloadSignIn } from './ci-identity.ts';
import type { RoleRequest } from './parse.ts';
import type { ExchangeThrottle } from './throttle.ts';
import type { IdentityTokenVerifier, UnverifiedIdentity, VerifiedIdentity } from './token-verifier.ts';
import { userSessionSeconds, type VerifiedUser } from './user-token.ts';

export interface SignInDependencies {
  store: ExchangeStore;
  identityTokens: IdentityTokenVerifier;
  throttle: ExchangeThrottle;
  /** Logs a failure that the response does not show, or the reason of a refusal. */
  report: (failure: unknown) => void;
}

/** The time and ID of the request. CI tokens must name the data proxy's URL as their audience. */
export interface SignInEndpoint {
  now: number;
  requestId: string;
  audience: string;
}

/** The data for the new credentials and the response. */
export interface SignIn {
  duration_seconds: number;
  account: Pick<SessionClaims, 'holder' | 'times_disabled' | 'signed_in_by'>;
  subject: string;
  audience: string;
  provider: string;
}

/**
 * Signs in with the identity in the request: a service account key, a CI token, or a user's token. Throws the reason
 * of a refusal.
 */
export async function signIn(
  request: RoleRequest,
  endpoint: SignInEndpoint,
  deps: SignInDependencies,
): Promise<SignIn> {
  return request.identity.kind === 'key'
    ? signInWithKey(request, endpoint, deps)
    : signInWithToken(request, endpoint, deps);
}

async function signInWithKey(
  { identity, role, duration_seconds = limits.sessionDurationDefaultSeconds }: RoleRequest,
  { now, audience }: SignInEndpoint,
  { store, throttle, report }: SignInDependencies,
): Promise<SignIn> {
  const keyHash = hashServiceAccountKey(identity.token);
  // Count the request before the key is read, so that throttling does not reveal whether the key exists.
  throttle.countKey(keyHash);
  const { key, serviceAccount } = await orUnavailable(signInByKey(keyHash, role.account_id, store, now));
  // Only log a failed write of the key's last use, because the sign-in must succeed anyway.
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

async function signInWithToken(
  request: RoleRequest,
  endpoint: SignInEndpoint,
  deps: SignInDependencies,
): Promise<SignIn> {
  const verified = await deps.identityTokens.verify(request.identity.token, endpoint.audience);
  return verified.kind === 'user'
    ? signInUser(verified, request, endpoint, deps)
    : signInWithIdentity(verified, request, endpoint, deps);
}

async function signInWithIdentity(
  identity: VerifiedIdentity | UnverifiedIdentity,
  { role, duration_seconds = limits.sessionDurationDefaultSeconds }: RoleRequest,
  endpoint: SignInEndpoint,
  { store, report }: SignInDependencies,
): Promise<SignIn> {
  const { now, requestId: request_id } = endpoint;
  const signedIn = await orUnavailable(signInWorkload(identity, role.account_id, store, now));
  const { verified, found } = signedIn;
  if (verified === undefined || found === undefined) {
    // Wait for the write, because an edge function stops after its response.
    await recordRefusal(identity, signedIn, role.account_id, endpoint, store).catch(report);
    throw notAuthorized();
  }
  const { service_account_id, owner_account_id } = found.serviceAccount;
  const workflow = { service_account_id, workflow_id: found.workflow.workflow_id };
  const use = { workflow: found.workflow, repository: verified.workload.parts?.repository ?? null };
  // Only log a failed write of the sign-in record, because the sign-in must succeed anyway.
  await store
    .recordSignIn({ account_id: owner_account_id, role: role.role, request_id, now, workflow, use })
    .catch(report);
  return {
    duration_seconds,
    account: accountOf(found.serviceAccount, { kind: 'workflow', id: found.workflow.workflow_id }),
    subject: verified.workload.subject,
    audience: verified.audience,
    provider: verified.issuer.issuer,
  };
}

/**
 * Records a refused sign-in for the owner of the service account. Only a verified token leaves a record. For other
 * tokens, the function sends a write without effect, so that its duration does not reveal whether the account has
 * registered the issuer.
 */
async function recordRefusal(
  identity: VerifiedIdentity | UnverifiedIdentity,
  { verified, registered }: WorkloadSignIn,
  serviceAccountId: string,
  endpoint: SignInEndpoint,
  store: ExchangeStore,
): Promise<void> {
  if (verified !== undefined) return store.recordRefusedSignIn(refusedSignInOf(verified, serviceAccountId, endpoint));
  if (identity.kind !== 'unverified') return;
  const account_id = registered?.account_id ?? serviceAccountId;
  const isNoted = registered !== undefined && needsKeys(identity, registered, endpoint.now);
  await store.noteUnknownKey({ account_id, issuer: identity.issuer }, endpoint.now, isNoted);
}

/** Signs a user in. Records no refusals: anyone can sign up, and could then add records to other users' accounts. */
async function signInUser(
  user: VerifiedUser,
  { role, duration_seconds }: RoleRequest,
  { now, requestId }: SignInEndpoint,
  { store, report }: SignInDependencies,
): Promise<SignIn> {
  const seconds = userSessionSeconds(user, duration_seconds, now);
  const account = await orUnavailable(findOwnAccount(user, role.account_id, store));
  if (account === undefined) throw notAuthorized();
  const { account_id, times_disabled } = account;
  // Only log a failed write of the sign-in record, because the sign-in must succeed anyway.
  await store.recordSignIn({ account_id, role: role.role, request_id: requestId, now }).catch(report);
  return {
    duration_seconds: seconds,
    account: {
      holder: { kind: 'user', account_id },
      times_disabled,
      signed_in_by: { kind: 'person', id: 'tool' },
    },
    subject: user.identity_id,
    audience: user.audience,
    provider: user.issuer,
  };
}

/**
 * Creates the error for every refused valid token. Its message reveals nothing about the account that the role ARN
 * names.
 */
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

/** Converts a failed read to status 503, after which clients retry. Unlike 500, it says that a retry may help. */
export async function orUnavailable<Found>(lookup: Promise<Found>): Promise<Found> {
  try {
    return await lookup;
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause;
    throw new ServiceError('unavailable', 'The service cannot check this at the moment; try again in a minute', {
      cause,
    });
  }
}

/**
 * Returns the account that the role ARN names, if it is enabled and belongs to the verified user. In all other cases,
 * returns undefined after the same read: for another user's account, another account type, and a disabled or missing
 * account.
 */
async function findOwnAccount(
  { issuer, identity_id }: VerifiedUser,
  accountId: string,
  store: ExchangeStore,
): Promise<UserAccount | undefined> {
  const account = await store.readUserSignIn(accountId);
  const isOwn =
    account?.account_type === 'user' && account.identity_issuer === issuer && account.identity_id === identity_id;
  return isOwn && !account.disabled ? account : undefined;
}

/**
 * Returns the stored key and its service account if the key may sign in. The service account comes from the key, even
 * if the role ARN names another one.
 *
 * Throws `invalid_identity_token` with the same message in all these cases:
 * - the key is unknown, revoked, or expired
 * - the service account is deleted or disabled
 * - the owner of the service account is disabled
 */
async function signInByKey(
  keyHash: string,
  namedServiceAccountId: string,
  store: ExchangeStore,
  now: number,
): Promise<{ key: ServiceAccountKeyRecord; serviceAccount: ServiceAccountRecord }> {
  const { key, ...named } = await store.readKeySignIn(keyHash, namedServiceAccountId);
  if (key !== undefined && mayKeySignIn(key, named, now)) return { key, serviceAccount: named.serviceAccount };
  // Read a second time before every refusal. Without this read, the duration would distinguish an unknown key, which
  // has no account to read, from a revoked one.
  const own = await store.readServiceAccount(key?.service_account_id ?? namedServiceAccountId);
  if (key !== undefined && mayKeySignIn(key, own, now)) return { key, serviceAccount: own.serviceAccount };
  throw new ServiceError('invalid_identity_token', keyNotAcceptedMessage);
}

function mayKeySignIn(
  key: ServiceAccountKeyRecord,
  status: ServiceAccountStatus,
  now: number,
): status is ServiceAccountStatus & { serviceAccount: ServiceAccountRecord } {
  const { serviceAccount, owner } = status;
  return (
    keyState(key, now) === 'active' &&
    // Compare the internal ID, because a new service account may have the name of a deleted one.
    serviceAccount?.uid === key.service_account_uid &&
    !serviceAccount.disabled &&
    owner?.disabled === false
  );
}
