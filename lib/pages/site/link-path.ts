/**
 * Returns the path of the page behind a link to private data, or of a folder or file that the link shows. The URL of a
 * link has its secret after this path, in the fragment.
 */
export function linkPath(linkId: string, path?: string, cursor?: string): string {
  const query = new URLSearchParams({
    ...(path !== undefined && { path }),
    ...(cursor !== undefined && { cursor }),
  });
  const search = query.size === 0 ? '' : `?${query.toString().replaceAll('%2F', '/')}`;
  return `/-/links/${encodeURIComponent(linkId)}${search}`;
}
