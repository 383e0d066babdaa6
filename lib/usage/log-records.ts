/**
 * The fields of CloudFront's access log that the counting of usage reads, by their names in the settings of a log
 * delivery. No field contains a query string, a cookie, or a credential.
 * Source: "Configure standard logging (v2)" in the Amazon CloudFront Developer Guide.
 */
export const loggedFields = [
  'date',
  'time',
  'x-edge-location',
  'sc-bytes',
  'c-ip',
  'cs-method',
  'cs(Host)',
  'cs-uri-stem',
  'sc-status',
  'cs(User-Agent)',
  'x-edge-result-type',
  'x-edge-request-id',
  'time-taken',
  'sc-range-start',
  'sc-range-end',
  'c-country',
] as const;

/** The names of the same fields in Parquet files. All values are texts, and `-` stands for a missing value. */
export const loggedColumns = loggedFields.map((field) =>
  field
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, '_')
    .replace(/_$/, ''),
);
