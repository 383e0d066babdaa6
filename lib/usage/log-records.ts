/**
 * The fields of CloudFront's access log that the counting of usage reads, by their names in Parquet files. No field
 * contains a query string, a cookie, or a credential.
 * Source: "Configure standard logging (v2)" in the Amazon CloudFront Developer Guide.
 */
export const loggedColumns = [
  'date',
  'time',
  'x_edge_location',
  'sc_bytes',
  'c_ip',
  'cs_method',
  'x_host_header',
  'cs_uri_stem',
  'sc_status',
  'cs_user_agent',
  'x_edge_result_type',
  'x_edge_request_id',
  'time_taken',
  'sc_range_start',
  'sc_range_end',
  'c_country',
] as const;

/** A line of the log: a completed request. All values are texts, and `-` stands for a missing value. */
export type LogLine = Readonly<Record<(typeof loggedColumns)[number], string>>;
