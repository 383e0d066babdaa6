import type { PresentedSignature } from '../../sigv4/presented-signature.ts';
import { verifySignature } from '../../sigv4/verify.ts';
import { ObjectStoreError } from './errors.ts';
import type { ObjectStoreRequest } from './request.ts';

export interface StoreCredentials {
  access_key_id: string;
  secret_access_key: string;
  /** Session token of an assumed role. Every request must then carry it. */
  session_token?: string;
}

/**
 * Verifies that a request is signed with the store's key pair for its region, in its header or as a presigned URL.
 * Throws InvalidAccessKeyId, InvalidToken, AuthorizationHeaderMalformed, or what the verification throws.
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
  // Another session's token, or a token with keys that need none, shows that a client's credentials were passed on.
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
