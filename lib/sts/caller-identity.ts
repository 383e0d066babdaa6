import { createHash } from 'node:crypto';
import type { EdgeRequest } from '../domain/data/decision.ts';
import { ServiceError } from '../domain/errors.ts';
import type { SecretVersions } from '../domain/secrets/secret-versions.ts';
import { isSessionAccessKeyId, openSessionToken, type SessionClaims } from '../domain/secrets/session-credentials.ts';
import { readSignature } from '../sigv4/presented-signature.ts';
import { verifySignature } from '../sigv4/verify.ts';

/**
 * The session that signed a GetCallerIdentity request. Looks nothing up: like the STS operation it tells whose
 * credentials these are, not what they may do. Throws ServiceError `unauthenticated` for an unsigned request,
 * `invalid_security_token` for credentials that are not ours, `expired_token`, and what verifying a signature throws.
 */
export function identifyCaller(request: EdgeRequest, sessionKeys: SecretVersions, now: number): SessionClaims {
  const presented = readSignature(request);
  if (presented === undefined) {
    throw new ServiceError(
      'unauthenticated',
      'GetCallerIdentity must be signed with the temporary credentials of an exchange',
    );
  }
  const { access_key_id, session_token } = presented;
  const session =
    isSessionAccessKeyId(access_key_id) && session_token !== undefined
      ? openSessionToken(access_key_id, session_token, sessionKeys, now)
      : undefined;
  if (session === undefined) {
    throw new ServiceError(
      'invalid_security_token',
      'The session token does not belong to this access key id; exchange the key or token again (the AWS CLI caches credentials in ~/.aws/cli/cache)',
    );
  }
  const payloadHash = createHash('sha256').update(request.body.bytes).digest('hex');
  verifySignature(request, presented, session, { now, service: 'sts', payloadHash });
  if (session.claims.expires_at * 1000 <= now)
    throw new ServiceError('expired_token', 'The temporary credentials have expired; exchange the key or token again');
  return session.claims;
}
