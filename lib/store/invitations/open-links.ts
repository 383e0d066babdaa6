import { conflict, ServiceError } from '../../domain/errors.ts';
import type { Item, Key } from '../keys.ts';
import { type Update, update } from '../writes.ts';
import { markName, marksOf, revised, ttlOf } from './open-invitations.ts';

/** The item that counts the open links of an account or repository. Each open link is an attribute of its own. */
interface OpenLinks {
  key: Key;
  entity: string;
  max: number;
  /** The message of the refusal at the limit of open links. */
  atLimit: string;
}

interface OpenLink {
  id: string;
  /** The expiry of the link, in milliseconds since the Unix epoch. */
  ends_at: number;
}

/** Number of expired links that one write removes from the item that counts open links. */
const removedAtOnceMax = 25;

/** The error if another link of the account or repository was created at the same time. */
export const concurrentLink = conflict('Another link was created at the same time; try again');

/**
 * Returns the write that counts a new open link. `read` is the counting item. Throws `limit_reached` at the limit. The
 * write throws `concurrentLink` if the item changed since it was read.
 */
export function countOpenLink(
  { key, entity, max, atLimit }: OpenLinks,
  read: Item | undefined,
  { id, ends_at }: OpenLink,
  now: number,
): Update {
  const marks = marksOf(read, 'open');
  const open = marks.filter(({ time }) => time > now);
  if (open.length >= max) throw new ServiceError('limit_reached', atLimit);
  const set = {
    entity,
    [markName('open', id)]: ends_at,
    ttl: ttlOf(Math.max(ends_at, ...open.map(({ time }) => time))),
  };
  const past = marks.filter(({ time }) => time <= now).map(({ name }) => name);
  // Remove only some of the expired links, because an update expression has at most 4 KB.
  const remove = past.slice(0, removedAtOnceMax);
  return revised(key, read, { set, remove }, concurrentLink);
}

/** Returns the write that no longer counts a link as open. */
export function uncountOpenLink({ key, entity }: Pick<OpenLinks, 'key' | 'entity'>, id: string): Update {
  return update(key, { set: { entity }, remove: [markName('open', id)] });
}
