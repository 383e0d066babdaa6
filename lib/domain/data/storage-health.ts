import * as z from 'zod';
import type { TableChange } from '../changes/table-changes.ts';
import { ServiceError } from '../errors.ts';
import { timestampSchema } from '../text.ts';
import {
  type ConnectionFailure,
  type ConnectionOmission,
  checkMessages,
  connectionCheckNames,
  connectionFailures,
} from './connection-checks.ts';

const storageFaultSchema = z.object({
  /** The check of a connection test that would fail the same way. */
  step: z.enum(connectionCheckNames),
  code: z.enum(connectionFailures),
});
/** A failure of a connection's storage that only its owner can repair. */
export type StorageFault = z.infer<typeof storageFaultSchema>;

/** The last failure of a connection's storage that the data proxy met. The message names the remedy. */
export const storageHealthSchema = storageFaultSchema.extend({
  failed_at: timestampSchema,
  message: z.string(),
  /** The time of a success after an earlier failure. Absent if there was none. */
  worked_at: timestampSchema.optional(),
});

export const storageHealthEntity = 'storage_health';

/** The stored form, without the message. */
export const storageHealthRecord = storageHealthSchema.omit({ message: true }).extend({
  entity: z.literal(storageHealthEntity),
  data_connection_id: z.string(),
});
export type StorageHealthRecord = z.infer<typeof storageHealthRecord>;

export function showHealth({
  step,
  code,
  failed_at,
  worked_at,
}: StorageHealthRecord): z.infer<typeof storageHealthSchema> {
  return { step, code, failed_at, message: checkMessages[code], ...(worked_at === undefined ? {} : { worked_at }) };
}

/**
 * Returns the record if a table change is the first failure of a connection on a day. Further failures of that day
 * cause no audit events, so that a broken connection cannot fill an audit trail.
 */
export function firstFaultOfDay({ before, after }: TableChange): StorageHealthRecord | undefined {
  const record = storageHealthRecord.safeParse(after).data;
  const earlier = storageHealthRecord.safeParse(before).data?.failed_at;
  return record === undefined || record.failed_at.slice(0, 10) === earlier?.slice(0, 10) ? undefined : record;
}

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

/** Returns the fault for an error code of the storage, or undefined if the request alone can be the cause. */
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

/** Returns true if STS refused the role. Returns false if STS is busy or cannot be reached. */
export function isRoleRefusal(error: unknown): boolean {
  // Names of STS (API reference, "AssumeRoleWithWebIdentity").
  const refusals = /^(?:AccessDenied|InvalidIdentityToken|IDP|ExpiredToken|Validation|Malformed|PackedPolicy)/;
  return error instanceof Error && refusals.test(error.name);
}

/** Returns the fault if a role cannot be assumed because STS refused it. */
export function faultOfRole(error: unknown): StorageFault | undefined {
  const cause = error instanceof ServiceError ? error.cause : error;
  return isRoleRefusal(cause) ? { step: 'role', code: 'role_refused' } : undefined;
}
