import * as z from 'zod';
import { limits } from '../limits.ts';
import { parseTimestamp, toTimestamp } from '../time.ts';

/** A key or a trusted workflow whose sessions are refused, whenever they were issued. */
export const endedSourceSchema = z.object({ id: z.string(), ended_at: z.string() });
export type EndedSource = z.infer<typeof endedSourceSchema>;

/** The query of the operations that end a key or a trusted workflow. */
export const endingQuerySchema = z.strictObject({ end_sessions: z.literal('true').optional() });

/** The effect on issued credentials: none, those of the key or workflow, or all of the service account. */
const sessionsEndedSchema = z.enum(['none', 'source', 'all']);

/** The part of a response that reports the effect. */
export const endingShape = {
  sessions_ended: sessionsEndedSchema,
  /** Present when the next ending would end all sessions of the service account. */
  warning: z.string().optional(),
};
export interface Ending {
  sessions_ended: z.infer<typeof sessionsEndedSchema>;
  warning?: string;
}

export const noEnding: Ending = { sessions_ended: 'none' };

export interface ListedEnding {
  /** The new list of the service account. */
  ended_sources: EndedSource[];
  endsAll: boolean;
}

/**
 * Adds a source to the list of a service account, and drops those whose sessions have expired. A full list becomes
 * empty, and all sessions of the service account end instead. Returns undefined if the list already has the source.
 */
export function endSource(listed: readonly EndedSource[], id: string, now: number): ListedEnding | undefined {
  if (listed.some((source) => source.id === id)) return undefined;
  const oldest = now - limits.endedSourceRetentionSeconds * 1000;
  const recent = listed.filter(({ ended_at }) => parseTimestamp(ended_at) > oldest);
  if (recent.length >= limits.endedSourcesMax) return { ended_sources: [], endsAll: true };
  return { ended_sources: [...recent, { id, ended_at: toTimestamp(now) }], endsAll: false };
}

/** Returns the effect for the response, with a warning when the list is full. */
export function showEnding(ending: ListedEnding | undefined): Ending {
  if (ending?.endsAll) return { sessions_ended: 'all' };
  if ((ending?.ended_sources.length ?? 0) < limits.endedSourcesMax) return { sessions_ended: 'source' };
  return {
    sessions_ended: 'source',
    warning: `The sessions of ${limits.endedSourcesMax} keys and workflows were ended within ${limits.endedSourceRetentionSeconds / 3600} hours. The next one ends all sessions of the service account; its clients then sign in again.`,
  };
}
