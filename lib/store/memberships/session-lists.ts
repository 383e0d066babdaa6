import { limits } from '../../domain/limits.ts';
import type { ListPage } from '../../domain/list-pages.ts';
import { dayMs, toTimestamp } from '../../domain/time.ts';
import { keys } from '../keys.ts';
import type { Item } from '../table.ts';

/** Of a page, how many revoked memberships are read before it is known whether there is room for them. */
export const readAlong = 0.15;

/** As many of what was read as there is room for. */
export function cut(found: ListPage<Item>, room: number): ListPage<Item> {
  if (room === 0 || found.items.length <= room) return found;
  const items = found.items.slice(0, room);
  return { items, next: String(items.at(-1)?.['sk']) };
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
