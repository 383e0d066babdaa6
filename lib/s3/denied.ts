import type { EdgeRequest } from '../domain/data/decision.ts';
import { ServiceError } from '../domain/errors.ts';
import { readSignature } from '../sigv4/presented-signature.ts';

const deniedMessage =
  'The repository does not exist or these credentials do not allow this; check the path and the grants.';

/** Uses the same message for a missing resource and for a missing right, so that it does not reveal what exists. */
export function accessDenied(): ServiceError {
  return new ServiceError('access_denied', deniedMessage);
}

/**
 * Replaces the general refusal when the request has no credentials. Many clients that find no credentials send an
 * unsigned request without a warning, and users then search for the fault in the grants. The result depends only on the
 * request, so it does not reveal what exists.
 */
export function namingMissingCredentials(error: ServiceError, request: EdgeRequest): ServiceError {
  if (error.publicMessage !== deniedMessage || readSignature(request) !== undefined) return error;
  return withoutCredentials();
}

export function withoutCredentials(): ServiceError {
  return new ServiceError(
    'access_denied',
    'This request needs credentials and came without any; check the path, and check that the client finds its credentials and signs with them.',
  );
}

/** Refuses a write to `s3://account/key`, which names no repository. Depends on the key only. */
export function keyWithoutRepository(): ServiceError {
  return new ServiceError(
    'access_denied',
    'A key starts with a repository that these credentials may use: s3://account/repository/key.',
  );
}
