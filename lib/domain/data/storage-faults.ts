// This file imports no schemas, so that the edge function shape-response loads fast.

import type { ConnectionFailure, ConnectionOmission } from './connection-checks.ts';
import type { StorageFault } from './storage-health.ts';

/** S3 error codes (API reference, "Error responses"). */
const outcomes: Readonly<Record<string, ConnectionFailure | ConnectionOmission>> = {
  AccessDenied: 'access_denied',
  AllAccessDisabled: 'access_denied',
  AuthorizationHeaderMalformed: 'region_differs',
  ExpiredToken: 'credentials_refused',
  IllegalLocationConstraintException: 'region_differs',
  InvalidAccessKeyId: 'credentials_refused',
  InvalidObjectState: 'nothing_to_read',
  InvalidSecurity: 'credentials_refused',
  InvalidToken: 'credentials_refused',
  NoSuchBucket: 'bucket_not_found',
  PermanentRedirect: 'region_differs',
  SignatureDoesNotMatch: 'credentials_refused',
};

export function outcomeOfErrorCode(code: string | undefined): ConnectionFailure | ConnectionOmission | undefined {
  return code !== undefined && Object.hasOwn(outcomes, code) ? outcomes[code] : undefined;
}

/**
 * Returns the fault of a connection for an error code of its storage. Returns undefined if only the client's request
 * can be the cause.
 */
export function faultOfErrorCode(code: string | undefined): StorageFault | undefined {
  switch (outcomeOfErrorCode(code)) {
    case 'credentials_refused':
      return { step: 'list', code: 'credentials_refused' };
    case 'bucket_not_found':
      return { step: 'reach', code: 'bucket_not_found' };
    case 'region_differs':
      return { step: 'region', code: 'region_differs' };
    default:
      return undefined;
  }
}

/** Returns true if AWS STS refused the role. Returns false if STS is busy or cannot be reached. */
export function isRoleRefusal(error: unknown): boolean {
  // Error names of AWS STS (API reference, "AssumeRoleWithWebIdentity").
  const refusals = /^(?:AccessDenied|InvalidIdentityToken|IDP|ExpiredToken|Validation|Malformed|PackedPolicy)/;
  return error instanceof Error && refusals.test(error.name);
}

/** Returns the fault of a connection whose role STS refused. Returns undefined for other errors. */
export function faultOfRole(error: unknown): StorageFault | undefined {
  const cause = error instanceof Error ? (error.cause ?? error) : undefined;
  return isRoleRefusal(cause) ? { step: 'role', code: 'role_refused' } : undefined;
}
