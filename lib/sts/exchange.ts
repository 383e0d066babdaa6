import type { BufferedResponse, EdgeRequest } from '../domain/data/decision.ts';
import { ServiceError } from '../domain/errors.ts';
import type { RandomSource } from '../domain/random.ts';
import type { SecretSource } from '../domain/secrets/secret-versions.ts';
import { issueSessionCredentials, type SessionClaims } from '../domain/secrets/session-credentials.ts';
import { refuseSecretInUrl } from '../domain/service-accounts/secret-in-url.ts';
import type { Clock } from '../domain/time.ts';
import type { XmlNode } from '../domain/xml.ts';
import { accountIdOfSession, assumedRoleArn, assumedRoleId } from './assumed-role.ts';
import { identifyCaller } from './caller-identity.ts';
import { parseExchangeRequest, type RoleRequest } from './parse.ts';
import { orUnavailable, type SignInDependencies, signIn } from './sign-in.ts';
import { renderError, renderResult } from './xml.ts';

export interface ExchangeDependencies extends SignInDependencies {
  clock: Clock;
  random: RandomSource;
  sessionKeys: SecretSource;
  /** Returns the data proxy's URL, which CI tokens must name as their audience. */
  audience: (request: EdgeRequest) => string;
}

/**
 * The credential exchange: AssumeRoleWithWebIdentity and GetCallerIdentity in the form of the AWS STS query API. It
 * never throws.
 *
 * The first failed check decides the response. The order of the checks is:
 * - a secret in the URL (with any method)
 * - too many requests from an IP address
 * - the checks of `parseExchangeRequest`
 * - too many requests with one key
 * - checks that read data
 */
export async function handleExchange(request: EdgeRequest, deps: ExchangeDependencies): Promise<BufferedResponse> {
  try {
    refuseSecretInUrl(request);
    deps.throttle.countIp(request.sourceIp);
    const parsed = parseExchangeRequest(request);
    const result =
      parsed.action === 'GetCallerIdentity'
        ? showCaller(identifyCaller(request, await orUnavailable(deps.sessionKeys()), deps.clock()))
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
): Promise<readonly XmlNode[]> {
  const now = deps.clock();
  const endpoint = { now, requestId: request.requestId, audience: deps.audience(request) };
  const { account, duration_seconds, ...told } = await signIn(parsed, endpoint, deps);
  const issued_at = Math.floor(now / 1000);
  const claims: SessionClaims = {
    ...account,
    role: parsed.role.role,
    session_name: parsed.session_name,
    issued_at,
    expires_at: issued_at + duration_seconds,
  };
  const credentials = issueSessionCredentials(claims, await orUnavailable(deps.sessionKeys()), {
    now,
    random: deps.random,
  });
  return [
    [
      'Credentials',
      [
        ['AccessKeyId', credentials.access_key_id],
        ['SecretAccessKey', credentials.secret_access_key],
        ['SessionToken', credentials.session_token],
        // Format the time without milliseconds, as AWS STS does, because some clients parse only this form.
        ['Expiration', `${new Date(claims.expires_at * 1000).toISOString().slice(0, 19)}Z`],
      ],
    ],
    ['SubjectFromWebIdentityToken', told.subject],
    [
      'AssumedRoleUser',
      [
        ['AssumedRoleId', assumedRoleId(claims)],
        ['Arn', assumedRoleArn(claims)],
      ],
    ],
    ['Provider', told.provider],
    ['Audience', told.audience],
  ];
}

function showCaller(claims: SessionClaims): readonly XmlNode[] {
  return [
    ['Arn', assumedRoleArn(claims)],
    ['UserId', assumedRoleId(claims)],
    ['Account', accountIdOfSession(claims)],
  ];
}
