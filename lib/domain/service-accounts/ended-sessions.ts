import * as z from 'zod';
import { limits } from '../limits.ts';
import { parseTimestamp, toTimestamp } from '../time.ts';

/** A key or a trusted workflow whose sessions the data proxy refuses, no matter when they began. */
export const endedSourceSchema = z.object({ id: z.string(), ended_at: z.string() });
export type EndedSource = z.infer<typeof endedSourceSchema>;

/** The query parameters of the operations that revoke a key or remove a trusted workflow. */
export const endingQuerySchema = z.strictObject({ end_sessions: z.literal('true').optional() });

/**
 * The sessions that an operation ended: none, the sessions of the key or workflow (`source`), or all sessions of the
 * service account.
 */
const sessionsEndedSchema = z.enum(['none', 'source', 'all']);

/** The fields of a response that report which sessions ended. */
export const endingShape = {
  sessions_ended: sessionsEndedSchema,
  /**
   * A warning in the response. Present if the next revocation or removal would end all sessions of the service account.
   */
  warning: z.string().optional(),
};
export interface Ending {
  sessions_ended: z.infer<typeof sessionsEndedSchema>;
  warning?: string;
}

export const noEnding: Ending = { sessions_ended: 'none' };

export interface ListedEnding {
  /** The new list of keys and workflows whose sessions ended. */
  ended_sources: EndedSource[];
  endsAll: boolean;
}

/**
 * Adds a key or workflow to the list of those whose sessions ended, and removes entries whose sessions have all
 * expired. If the list is full, the function empties it and ends all sessions of the service account. Returns undefined
 * if the list already contains the key or workflow.
 */
export function endSource(listed: readonly EndedSource[], id: string, now: number): ListedEnding | undefined {
  if (listed.some((source) => source.id === id)) return undefined;
  const oldest = now - limits.endedSourceRetentionSeconds * 1000;
  const recent = listed.filter(({ ended_at }) => parseTimestamp(ended_at) > oldest);
  if (recent.length >= limits.endedSourcesMax) return { ended_sources: [], endsAll: true };
  return { ended_sources: [...recent, { id, ended_at: toTimestamp(now) }], endsAll: false };
}

/**
 * Returns the fields of a response that report which sessions ended. The fields contain a warning if the list is full.
 */
export function showEnding(ending: ListedEnding | undefined): Ending {
  if (ending?.endsAll) return { sessions_ended: 'all' };
  if ((ending?.ended_sources.length ?? 0) < limits.endedSourcesMax) return { sessions_ended: 'source' };
  return {
    sessions_ended: 'source',
    warning: `The sessions of ${limits.endedSourcesMax} keys and workflows were ended within ${limits.endedSourceRetentionSeconds / 3600} hours. The next one ends all sessions of the service account; its clients then sign in again.`,
  };
}
