/**
 * The fields of CloudFront's access log from which usage is counted, by the names of their columns in Parquet files.
 * Query strings, referrers, cookies, and the `Authorization` header are not among them.
 * Source: "Configure standard logging (v2)" in the Amazon CloudFront Developer Guide.
 */
export const logFields = {
  date: 'date',
  time: 'time',
  x_edge_location: 'x-edge-location',
  sc_bytes: 'sc-bytes',
  c_ip: 'c-ip',
  cs_method: 'cs-method',
  x_host_header: 'x-host-header',
  cs_uri_stem: 'cs-uri-stem',
  sc_status: 'sc-status',
  cs_user_agent: 'cs(User-Agent)',
  x_edge_result_type: 'x-edge-result-type',
  x_edge_request_id: 'x-edge-request-id',
  time_taken: 'time-taken',
  sc_range_start: 'sc-range-start',
  sc_range_end: 'sc-range-end',
  c_country: 'c-country',
} as const;

export const loggedColumns = Object.keys(logFields) as (keyof typeof logFields)[];

/** A line of the log: a completed request. All values are texts, and `-` stands for a missing value. */
export type LogLine = Readonly<Record<keyof typeof logFields, string>>;
