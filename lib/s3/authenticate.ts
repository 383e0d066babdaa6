import type { KeyObject } from 'node:crypto';
import { isLiveApiKey } from '../domain/accounts/api-keys.ts';
import type { DataAccessReader, Principal } from '../domain/data/data-access.ts';
import type { EdgeRequest } from '../domain/data/decision.ts';
import { ServiceError } from '../domain/errors.ts';
import { isApiKeyId, openApiKey } from '../domain/secrets/api-key-secrets.ts';
import type { SecretSource } from '../domain/secrets/secret-versions.ts';
import { isSessionAccessKeyId, openSessionToken } from '../domain/secrets/session-credentials.ts';
import { type PresentedSignature, readSignature } from '../sigv4/presented-signature.ts';
import { type SecretHolder, signingKey } from '../sigv4/sign.ts';
import { verifySignature } from '../sigv4/verify.ts';

export interface AuthenticationDependencies {
  access: DataAccessReader;
  sessionKeys: SecretSource;
  apiKeyMasters: SecretSource;
}

export interface Caller {
  principal: Principal;
  /** The signature of the request. Undefined for an anonymous caller. */
  signature: PresentedSignature | undefined;
  /** Returns the key that signed the request. The same key signs each chunk of its body. */
  signingKey?: () => KeyObject;
}

/**
 * Returns the principal that signed the request. Rejects invalid credentials even where anonymous reads are allowed.
 * The expiry of a session or API key is checked after the signature. This also applies to presigned URLs, so a
 * presigned URL never stays valid longer than the credentials that signed it.
 */
export async function authenticate(
  request: EdgeRequest,
  { access, sessionKeys, apiKeyMasters }: AuthenticationDependencies,
  { now, ageMaxSeconds }: { now: number; ageMaxSeconds: number },
): Promise<Caller> {
  const signature = readSignature(request);
  if (signature === undefined) return { principal: { kind: 'anonymous' }, signature };
  const { access_key_id, session_token } = signature;
  const verify = (secret: SecretHolder) => verifySignature(request, signature, secret, { now, service: 's3' });
  const callerBy = (principal: Principal, secret: SecretHolder): Caller => {
    return { principal, signature, signingKey: () => signingKey(secret, signature) };
  };
  if (isSessionAccessKeyId(access_key_id)) {
    const session = openSessionToken(access_key_id, session_token ?? '', await sessionKeys(), now);
    if (session === undefined) {
      throw new ServiceError(
        'invalid_security_token',
        'The session token does not belong to this access key id; sign in again and send both unchanged (the AWS CLI caches credentials in ~/.aws/cli/cache).',
      );
    }
    verify(session);
    const { expires_at, holder, times_disabled, role, signed_in_by } = session.claims;
    if (expires_at * 1000 <= now) {
      throw new ServiceError('expired_token', 'The temporary credentials have expired; sign in again.');
    }
    const signedIn = { times_disabled, role };
    return callerBy(
      holder.kind === 'service_account' ? { ...holder, ...signedIn, signed_in_by } : { ...holder, ...signedIn },
      session,
    );
  }
  if (!isApiKeyId(access_key_id)) throw unknownAccessKey();
  if (session_token !== undefined) {
    const message = 'An API key is used without a session token; remove the session token.';
    throw new ServiceError('invalid_security_token', message);
  }
  const key = await access.readApiKey(access_key_id, ageMaxSeconds);
  if (key === undefined) throw unknownAccessKey();
  const master = (await apiKeyMasters()).find(({ version }) => version === key.secret_version);
  if (master === undefined) throw new Error(`no master secret of version ${key.secret_version} for a live API key`);
  const secret = openApiKey(master, access_key_id);
  verify(secret);
  if (!isLiveApiKey(key, now)) {
    throw new ServiceError('invalid_access_key_id', 'The API key has expired or was revoked; use another one.');
  }
  const { account_id, repository_id, repository_uid } = key;
  return callerBy({ kind: 'api_key', access_key_id, account_id, repository_id, repository_uid }, secret);
}

function unknownAccessKey(): ServiceError {
  return new ServiceError(
    'invalid_access_key_id',
    'The access key id is unknown; use an API key of this service or credentials from its exchange.',
  );
}
