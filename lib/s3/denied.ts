import type { EdgeRequest } from '../domain/data/decision.ts';
import { ServiceError } from '../domain/errors.ts';
import { readSignature } from '../sigv4/presented-signature.ts';

const deniedMessage =
  'The repository does not exist or these credentials do not allow this; check the path and the grants.';

/** In the same words for what is not there and for what may not be done. */
export function accessDenied(): ServiceError {
  return new ServiceError('access_denied', deniedMessage);
}

/**
 * The same refusal where no credentials came: clients that find none go on without a word, and their users look for the
 * fault in the grants. It depends on the request alone, so it tells nothing of what is there.
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

/** For `s3://account/key`, by the key alone. */
export function keyWithoutRepository(): ServiceError {
  return new ServiceError(
    'access_denied',
    'A key starts with a repository that these credentials may use: s3://account/repository/key.',
  );
}
