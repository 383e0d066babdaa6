/** The CORS rules of the management API. They apply to web pages of the configured origins. */
export const managementCors = {
  methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
  headers: ['authorization', 'content-type', 'idempotency-key', 'if-match', 'if-none-match'],
  exposedHeaders: ['etag', 'link', 'location', 'retry-after', 'x-total-count'],
  maxAgeSeconds: 3600,
} as const;
