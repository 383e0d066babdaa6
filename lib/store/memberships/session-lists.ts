import { limits } from '../../domain/limits.ts';
import type { ListPage } from '../../domain/list-pages.ts';
import { dayMs, toTimestamp } from '../../domain/time.ts';
import { type Item, keys } from '../keys.ts';

/**
 * The part of a page that is read of each further list at the same time, before it is known if there is space for it.
 */
export const readAlong = 0.1;

/**
 * Joins consecutive lists to one page, up to the first list that has more items. When a further list has more items
 * than were read, the page ends there, and the next page starts with that list.
 */
export function joined(
  lists: readonly { name: string }[],
  found: readonly ListPage<Item>[],
  limit: number,
): ListPage<Item> {
  const items: Item[] = [];
  for (const [index, page] of found.entries()) {
    const { name } = lists[index] ?? {};
    const taken = page.items.slice(0, limit - items.length);
    items.push(...taken);
    if (taken.length === page.items.length && page.next === undefined) continue;
    const last = taken.at(-1);
    return { items, next: last === undefined ? name : `${name} ${last['sk']}` };
  }
  return { items, next: undefined };
}

/** Returns the lists of a session, with their names in the cursor. */
export function sectionsOf(accountId: string, now: number) {
  const retainedSince = now - limits.revokedMembershipRetentionDays * dayMs;
  const all = { from: '0', to: '9' };
  return [
    {
      name: 'accepted',
      partition: keys.acceptedMembership(accountId, '', '').pk,
      range: { from: 'MEMBERSHIP#', to: 'MEMBERSHIP$' },
    },
    { name: 'open', partition: keys.openMembership(accountId, '', '').pk, range: all },
    {
      name: 'revoked',
      partition: keys.revokedMembership(accountId, '', '').pk,
      range: { ...all, from: toTimestamp(retainedSince) },
    },
  ];
}

export function splitPosition(after: string | undefined): [section: string, position: string | undefined] {
  const [section = 'accepted', position] = after?.split(' ') ?? [];
  return [section, position];
}
