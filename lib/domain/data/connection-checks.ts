import * as z from 'zod';

/** The checks of a data connection test, in this order. */
export const connectionCheckNames = [
  'address',
  'reach',
  'region',
  'role',
  'list',
  'write',
  'read',
  'delete',
  'control',
] as const;
export type ConnectionCheckName = (typeof connectionCheckNames)[number];

/** Codes of failed checks. The messages may change, but the codes may not. */
export const connectionFailures = [
  'access_denied',
  'address_not_public',
  'answer_too_large',
  'bucket_not_found',
  'certificate_invalid',
  'content_differs',
  'marker_missing',
  'credentials_refused',
  'name_not_found',
  'no_connection',
  'not_s3',
  'redirected',
  'role_open',
  'role_refused',
  'region_differs',
  'storage_failed',
  'timed_out',
] as const;
export type ConnectionFailure = (typeof connectionFailures)[number];

/** Codes of checks that did not run. */
export const connectionOmissions = [
  'earlier_failed',
  'not_asked',
  'not_told',
  'nothing_to_read',
  'read_only',
  'role_of_the_proxy',
] as const;
export type ConnectionOmission = (typeof connectionOmissions)[number];

export const connectionCheckSchema = z.object({
  check: z.enum(connectionCheckNames),
  state: z.enum(['passed', 'failed', 'not_tried']),
  code: z.enum(['ok', ...connectionFailures, ...connectionOmissions]),
  message: z.string(),
});
export type ConnectionCheck = z.infer<typeof connectionCheckSchema>;
