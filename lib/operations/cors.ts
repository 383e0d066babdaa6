/** What pages of the configured origins may send to the management API, and read of its answers. */
export const managementCors = {
  methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
  headers: ['authorization', 'content-type', 'idempotency-key', 'if-match', 'if-none-match'],
  exposedHeaders: ['etag', 'link', 'location', 'retry-after', 'x-total-count'],
  maxAgeSeconds: 3600,
} as const;
