import type { BufferedResponse, EdgeRequest } from '../domain/data/decision.ts';
import { ServiceError } from '../domain/errors.ts';
import type { RandomSource } from '../domain/random.ts';
import type { SecretSource } from '../domain/secrets/secret-versions.ts';
import { issueSessionCredentials, type SessionClaims } from '../domain/secrets/session-credentials.ts';
import type { ExchangeStore } from '../domain/service-accounts/exchange-store.ts';
import { refuseSecretInUrl } from '../domain/service-accounts/secret-in-url.ts';
import { hashServiceAccountKey } from '../domain/service-accounts/service-account-key.ts';
import type { ServiceAccountRecord } from '../domain/service-accounts/service-accounts.ts';
import type { Clock } from '../domain/time.ts';
import { accountIdOfSession, assumedRoleArn, assumedRoleId } from './assumed-role.ts';
import { identifyCaller } from './caller-identity.ts';
import { findSignInWorkflow, refusedSignInOf } from './ci-identity.ts';
import { signInByKey } from './key-identity.ts';
import { parseExchangeRequest, type RoleRequest } from './parse.ts';
import type { ExchangeThrottle } from './throttle.ts';
import type { IdentityTokenVerifier } from './token-verifier.ts';
import { renderError, renderResult, type XmlElement } from './xml.ts';

export interface ExchangeDependencies {
  clock: Clock;
  random: RandomSource;
  store: ExchangeStore;
  sessionKeys: SecretSource;
  identityTokens: IdentityTokenVerifier;
  throttle: ExchangeThrottle;
  /** The data proxy's URL, which CI tokens must name as their audience. */
  audience: (request: EdgeRequest) => string;
  /** Told of what the answer does not show: a failure inside, or a refusal with a cause. For the log. */
  report: (failure: unknown) => void;
}

interface SignIn {
  account: Pick<SessionClaims, 'holder' | 'times_disabled' | 'signed_in_by'>;
  subject: string;
  audience: string;
  provider: string;
}

/**
 * The credential exchange (spec, 4.3): AssumeRoleWithWebIdentity and GetCallerIdentity in the form of the STS query
 * API. Never throws. Order of refusal: a secret in the URL (any method), too many requests from an IP address, what
 * `parseExchangeRequest` refuses, too many requests with a key, then what needs a lookup.
 */
export async function handleExchange(request: EdgeRequest, deps: ExchangeDependencies): Promise<BufferedResponse> {
  try {
    refuseSecretInUrl(request);
    deps.throttle.countIp(request.sourceIp);
    const parsed = parseExchangeRequest(request);
    const result =
      parsed.action === 'GetCallerIdentity'
        ? showCaller(identifyCaller(request, await lookedUp(deps.sessionKeys()), deps.clock()))
        : await assumeRole(parsed, request, deps);
    return renderResult(parsed.action, result, request.requestId);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.cause !== undefined) deps.report(error);
    const shown =
      error instanceof ServiceError
        ? error
        : new ServiceError(
            'internal',
            'The exchange failed on our side; try again, and report the request id if it fails again',
          );
    return renderError(shown, request.requestId);
  }
}

async function assumeRole(
  parsed: RoleRequest,
  request: EdgeRequest,
  deps: ExchangeDependencies,
): Promise<readonly XmlElement[]> {
  const now = deps.clock();
  const audience = deps.audience(request);
  const signIn =
    parsed.identity.kind === 'key'
      ? await signInWithKey(parsed, audience, now, deps)
      : await signInWithToken(parsed, audience, { now, requestId: request.requestId }, deps);
  const issued_at = Math.floor(now / 1000);
  const claims: SessionClaims = {
    ...signIn.account,
    role: parsed.role.role,
    session_name: parsed.session_name,
    issued_at,
    expires_at: issued_at + parsed.duration_seconds,
  };
  const credentials = issueSessionCredentials(claims, await lookedUp(deps.sessionKeys()), { now, random: deps.random });
  return [
    [
      'Credentials',
      [
        ['AccessKeyId', credentials.access_key_id],
        ['SecretAccessKey', credentials.secret_access_key],
        ['SessionToken', credentials.session_token],
        // Without milliseconds, as STS has it: some clients parse exactly that form.
        ['Expiration', `${new Date(claims.expires_at * 1000).toISOString().slice(0, 19)}Z`],
      ],
    ],
    ['SubjectFromWebIdentityToken', signIn.subject],
    [
      'AssumedRoleUser',
      [
        ['AssumedRoleId', assumedRoleId(claims)],
        ['Arn', assumedRoleArn(claims)],
      ],
    ],
    ['Provider', signIn.provider],
    ['Audience', signIn.audience],
  ];
}

async function signInWithKey(
  { identity, role }: RoleRequest,
  audience: string,
  now: number,
  { store, throttle, report }: ExchangeDependencies,
): Promise<SignIn> {
  const keyHash = hashServiceAccountKey(identity.token);
  // Before the lookup, so that being throttled tells nothing about the key.
  throttle.countKey(keyHash);
  const { key, serviceAccount } = await lookedUp(signInByKey(keyHash, role.service_account_id, store, now));
  // A key that works must not stop working because the note about its use cannot be written.
  await store.recordKeyUse(key, now).catch(report);
  const { service_account_id } = serviceAccount;
  return {
    account: accountOf(serviceAccount, { kind: 'key', id: key.key_id }),
    subject: service_account_id,
    audience,
    provider: audience,
  };
}

async function signInWithToken(
  { identity, role }: RoleRequest,
  audience: string,
  at: { now: number; requestId: string },
  { store, identityTokens, report }: ExchangeDependencies,
): Promise<SignIn> {
  const verified = await identityTokens.verify(identity.token, audience);
  const found = await lookedUp(findSignInWorkflow(verified, role.service_account_id, store));
  if (found === undefined) {
    // Awaited: at the edge nothing runs on after the answer.
    await store.recordRefusedSignIn(refusedSignInOf(verified, role.service_account_id, at)).catch(report);
    throw new ServiceError('access_denied', 'Not authorized to perform sts:AssumeRoleWithWebIdentity');
  }
  return {
    account: accountOf(found.serviceAccount, { kind: 'workflow', id: found.workflow.workflow_id }),
    subject: verified.subject,
    audience: verified.audience,
    provider: verified.issuer.issuer,
  };
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
async function lookedUp<Found>(lookup: Promise<Found>): Promise<Found> {
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

function showCaller(claims: SessionClaims): readonly XmlElement[] {
  return [
    ['Arn', assumedRoleArn(claims)],
    ['UserId', assumedRoleId(claims)],
    ['Account', accountIdOfSession(claims)],
  ];
}
