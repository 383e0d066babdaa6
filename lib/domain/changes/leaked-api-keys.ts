import * as z from 'zod';

const apiKeySchema = z.object({
  entity: z.literal('api_key'),
  access_key_id: z.string(),
  account_id: z.string(),
  repository_id: z.string().optional(),
  disabled: z.boolean(),
  reported_at: z.string().optional(),
  found_at: z.string().optional(),
  found_time: z.string().optional(),
});

export interface FoundApiKeyChange {
  key: z.infer<typeof apiKeySchema>;
  time: string;
  /** True if the report revoked the key. False if the key was already revoked and only the URL is new. */
  isRevoked: boolean;
}

/**
 * Returns the change of a leaked API key. A report alone does not count: without the known secret, anyone could invent
 * a report.
 */
export function apiKeyFoundIn(
  before: Record<string, unknown> | undefined,
  after: Record<string, unknown> | undefined,
): FoundApiKeyChange | undefined {
  const key = apiKeySchema.safeParse(after).data;
  const earlier = apiKeySchema.safeParse(before).data;
  if (key === undefined || earlier === undefined || !key.disabled) return undefined;
  if (!earlier.disabled && key.reported_at !== undefined && key.reported_at !== earlier.reported_at) {
    return { key, time: key.reported_at, isRevoked: true };
  }
  if (key.found_at !== undefined && key.found_time !== undefined && key.found_at !== earlier.found_at) {
    return { key, time: key.found_time, isRevoked: false };
  }
  return undefined;
}
