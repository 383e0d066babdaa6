import { limits } from '../../domain/limits.ts';
import type { ListPage } from '../../domain/list-pages.ts';
import { dayMs, toTimestamp } from '../../domain/time.ts';
import { keys } from '../keys.ts';
import type { Item } from '../table.ts';

/** Of a page, how many of each list behind the first are read with it, before it is known whether there is room for them. */
export const readAlong = 0.1;

/**
 * What was read of lists that follow each other, as one page: of each as much as there is room for, up to the first that
 * goes on. Where a list behind the first has more than was read of it, the page ends there, and the next one begins with it.
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

/** The lists that a session goes through, by the names that its cursor has for them. */
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
