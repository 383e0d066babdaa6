import type { PresentedSignature } from '../../sigv4/presented-signature.ts';
import { verifySignature } from '../../sigv4/verify.ts';
import { ObjectStoreError } from './errors.ts';
import type { ObjectStoreRequest } from './request.ts';

export interface StoreCredentials {
  access_key_id: string;
  secret_access_key: string;
  /** Of keys that an assumed role was given; every request must carry it then. */
  session_token?: string;
}

/**
 * Proves that a request was signed, in its header or as a presigned URL, with the store's one pair of keys for its
 * region. Throws InvalidAccessKeyId, InvalidToken, AuthorizationHeaderMalformed or what the verification throws.
 */
export function authenticate(
  request: ObjectStoreRequest,
  signature: PresentedSignature,
  { credentials, region, now }: { credentials: StoreCredentials; region: string; now: number },
): void {
  if (signature.access_key_id !== credentials.access_key_id) {
    throw new ObjectStoreError(
      'InvalidAccessKeyId',
      'The AWS Access Key Id you provided does not exist in our records.',
      {
        details: { AWSAccessKeyId: signature.access_key_id },
      },
    );
  }
  // A token of another session, or with keys that have none, is one of somebody else's that was passed on.
  if (signature.session_token !== credentials.session_token) {
    throw new ObjectStoreError('InvalidToken', 'The provided token is malformed or otherwise invalid.');
  }
  if (signature.region !== region) {
    throw new ObjectStoreError(
      'AuthorizationHeaderMalformed',
      `The authorization header is malformed; the region '${signature.region}' is wrong; expecting '${region}'`,
      { details: { Region: region } },
    );
  }
  verifySignature(request, signature, credentials, { now, service: 's3' });
}
