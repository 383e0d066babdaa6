/** Of the opaque text between its quotation marks (RFC 9110, section 8.8.3). */
export interface EntityTag {
  isWeak: boolean;
  text: string;
}

/** What `If-Match` and `If-None-Match` hold: whatever there is, or one of some tags. */
export type TagCondition = '*' | readonly EntityTag[];

const tag = /^(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[\t ]*(?:,|$)/;

/** Undefined for what neither header may hold (RFC 9110, section 13.1). Empty places in the list count for nothing. */
export function parseTagCondition(header: string): TagCondition | undefined {
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

/** The strong comparison, which `If-Match` asks for: a weak tag is equal to none. */
export function matchesStrongly(condition: TagCondition, isCurrent: (text: string) => boolean): boolean {
  return condition === '*' || condition.some(({ isWeak, text }) => !isWeak && isCurrent(text));
}

/** The weak one, of `If-None-Match`. */
export function matchesWeakly(condition: TagCondition, isCurrent: (text: string) => boolean): boolean {
  return condition === '*' || condition.some(({ text }) => isCurrent(text));
}
