import * as z from 'zod';
import { limits } from '../limits.ts';
import { parseTimestamp, toTimestamp } from '../time.ts';

/** A link whose credentials the data proxy refuses. */
export const revokedLinkSchema = z.object({ link_id: z.string(), revoked_at: z.string() });
type RevokedLink = z.infer<typeof revokedLinkSchema>;

/**
 * Adds a link to the list of revoked links, and removes links whose credentials have all expired. If the list is full,
 * empties it. The caller must then end all links of the repository.
 */
export function revokeLink(
  listed: readonly RevokedLink[],
  link_id: string,
  now: number,
): { revoked_links: RevokedLink[]; endsAll: boolean } {
  const oldest = now - limits.revokedLinkRetentionSeconds * 1000;
  const recent = listed.filter(({ revoked_at }) => parseTimestamp(revoked_at) > oldest);
  if (recent.length >= limits.revokedLinksMax) return { revoked_links: [], endsAll: true };
  return { revoked_links: [...recent, { link_id, revoked_at: toTimestamp(now) }], endsAll: false };
}
