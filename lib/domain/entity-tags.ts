/** An entity tag (RFC 9110, section 8.8.3). `text` is the opaque text between the quotation marks. */
export interface EntityTag {
  isWeak: boolean;
  text: string;
}

/** The parsed value of `If-Match` or `If-None-Match`: a list of entity tags, or `*` for any existing version. */
export type TagCondition = '*' | readonly EntityTag[];

const quotedTag = /^(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[\t ]*(?:,|$)/;
const s3Tag = /^(W\/)?"?([^\t ,"]*)"?[\t ]*(?:,|$)/;

/**
 * Parses `If-Match` or `If-None-Match`. Returns undefined for a malformed header (RFC 9110, section 13.1). Ignores
 * empty list elements. With the form `s3`, also accepts tags without quotation marks, because S3 clients send them.
 */
export function parseTagCondition(header: string, form: 'http' | 's3' = 'http'): TagCondition | undefined {
  const tag = form === 's3' ? s3Tag : quotedTag;
  if (header.trim() === '*') return '*';
  const tags: EntityTag[] = [];
  let rest = header;
  for (;;) {
    rest = rest.replace(/^[\t ,]+/, '');
    if (rest === '') return tags.length === 0 ? undefined : tags;
    const found = tag.exec(rest);
    if (found === null) return undefined;
    tags.push({ isWeak: found[1] !== undefined, text: found[2] ?? '' });
    rest = rest.slice(found[0].length);
  }
}

export function formatEntityTag(text: string): string {
  return `"${text}"`;
}

/**
 * Returns true if the condition holds by the strong comparison, which `If-Match` requires. A weak tag never matches.
 */
export function matchesStrongly(condition: TagCondition, isCurrent: (text: string) => boolean): boolean {
  return condition === '*' || condition.some(({ isWeak, text }) => !isWeak && isCurrent(text));
}

/** Returns true if the condition holds by the weak comparison, which `If-None-Match` requires. Weak tags can match. */
export function matchesWeakly(condition: TagCondition, isCurrent: (text: string) => boolean): boolean {
  return condition === '*' || condition.some(({ text }) => isCurrent(text));
}
