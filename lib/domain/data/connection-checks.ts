import * as z from 'zod';

/** The checks of a data connection test, in the order in which they run. */
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

/** Codes of failed connection checks. The messages may change, but the codes may not. */
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

/** Codes for the reasons why a connection check did not run. */
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

/** Describes each unsuccessful outcome of a connection check, and its remedy. */
export const checkMessages: Readonly<Record<ConnectionFailure | ConnectionOmission, string>> = {
  access_denied: "The storage does not allow this to these credentials. Check their policy and the bucket's policy.",
  address_not_public:
    'The name of the storage has an address that is not public, such as one of a private network. Nothing was sent. Enter another endpoint.',
  answer_too_large: 'The answer is larger than answers of S3. The endpoint may be something else; check it.',
  bucket_not_found: 'The bucket does not exist. Check its name and the endpoint.',
  certificate_invalid: 'The certificate does not match the name of the storage. Check the endpoint or the certificate.',
  content_differs: 'The object that was read differs from the one that was written. Check that the endpoint is S3.',
  credentials_refused: 'The storage refuses these credentials. Enter the access key again; it may have been replaced.',
  marker_missing:
    'The marker is not in the storage. Upload an object of any content with the key that the connection shows as marker_key, and test again.',
  name_not_found: 'The name of the storage is unknown. Check the endpoint or the region.',
  no_connection: 'The storage refuses or ends the connection. Check the endpoint and its port.',
  not_s3: 'The answer is not an answer of S3. The endpoint may be something else; check it.',
  redirected: 'The storage redirects to another host, which the data proxy does not follow. Enter the final endpoint.',
  region_differs: 'The bucket is in another region. Correct the region of the connection.',
  role_open:
    'The role accepts tokens of other accounts too. Paste the trust policy of this connection again, with its condition for the subject.',
  role_refused:
    'AWS does not let this connection assume the role. Check the role, its trust policy, and the identity provider in IAM.',
  storage_failed:
    'The storage failed or did not understand the request. Try again, and check the state of the storage.',
  timed_out: 'The storage did not answer in time. Try again; check the endpoint and its port.',
  earlier_failed: 'Not tried, because an earlier check failed.',
  not_asked: 'Not tried, because this test changes nothing. Test with writing to try it.',
  not_told: 'The storage does not report this. Only signatures depend on it, and they were not tried.',
  nothing_to_read: 'No object below the base prefix can be read. Test with writing to try it.',
  read_only: 'Not tried, because the connection is read-only.',
  role_of_the_proxy:
    'Not tried: only the data proxy may assume this role. Create a private repository on the connection, then list and upload a file in it.',
};
