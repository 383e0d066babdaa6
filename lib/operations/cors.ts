/** What pages of the configured origins may send to the management API, and read of its answers. */
export const managementCors = {
  methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
  headers: ['authorization', 'content-type', 'idempotency-key'],
  exposedHeaders: ['link', 'location', 'x-total-count'],
  maxAgeSeconds: 3600,
} as const;
