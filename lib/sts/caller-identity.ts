import { createHash } from 'node:crypto';
import type { EdgeRequest } from '../domain/data/decision.ts';
import { ServiceError } from '../domain/errors.ts';
import type { SecretVersions } from '../domain/secrets/secret-versions.ts';
import { isSessionAccessKeyId, openSessionToken, type SessionClaims } from '../domain/secrets/session-credentials.ts';
import { readSignature } from '../sigv4/presented-signature.ts';
import { verifySignature } from '../sigv4/verify.ts';

/**
 * Returns the session that signed a GetCallerIdentity request. Reads no data, because the operation identifies
 * credentials and does not check their rights, as in AWS STS.
 *
 * Throws ServiceError `unauthenticated` for an unsigned request, `invalid_security_token` for credentials of another
 * service, `expired_token`, and the errors of the signature check.
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
