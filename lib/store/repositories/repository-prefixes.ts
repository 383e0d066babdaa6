import type { RepositoryRecord } from '../../domain/data/repositories.ts';
import type { PrefixOwner } from '../../domain/data/storage-prefixes.ts';
import { ServiceError } from '../../domain/errors.ts';
import { encode } from '../codec.ts';
import { type Key, keys } from '../keys.ts';
import { put, update, type Write } from '../writes.ts';

interface Mirror {
  data_connection_id: string;
  prefix: string;
}

/** The previous owner of a prefix. With `isAdopted`, all readers of the new repository may read its objects. */
export interface PreviousPrefix {
  holder: PrefixOwner;
  isAdopted: boolean;
}

/** Returns the write that reserves the only prefix of a new repository. */
export function claimPrefix(
  { account_id, repository_id }: Pick<RepositoryRecord, 'account_id' | 'repository_id'>,
  mirror: Mirror,
  former: PreviousPrefix | undefined,
): Write {
  const holder: PrefixOwner = {
    account_id,
    repository_id,
    ...(former === undefined || former.isAdopted ? {} : { unadopted: true }),
  };
  return put(
    encode('prefix', holder, { key: prefixKey(mirror) }),
    former === undefined ? { exists: false } : { equals: { ...former.holder } },
    new ServiceError('place_taken', 'Another repository has this place in the data connection; try again'),
  );
}

/** Returns the writes that keep the prefixes of a deleted repository reserved for its name. */
export function releasePrefixes(repository: RepositoryRecord, now: string): Write[] {
  return mirrorsOf(repository).map((mirror) =>
    update(prefixKey(mirror), { set: { left_at: now } }, { equals: holderOf(repository) }),
  );
}

/** Returns the writes that give a deleted repository's remaining objects to this one and its readers. */
export function adoptObjects(repository: RepositoryRecord): Write[] {
  return mirrorsOf(repository).map((mirror) =>
    update(prefixKey(mirror), { remove: ['unadopted'] }, { equals: holderOf(repository) }),
  );
}

/** Returns the writes that move the prefixes of a transferred repository. */
export function transferPrefixes(repository: RepositoryRecord, to: PrefixOwner): Write[] {
  return mirrorsOf(repository).map((mirror) =>
    update(
      prefixKey(mirror),
      { set: { account_id: to.account_id, repository_id: to.repository_id } },
      { equals: holderOf(repository) },
    ),
  );
}

export function prefixKey({ data_connection_id, prefix }: Mirror): Key {
  return keys.prefix(data_connection_id, prefix);
}

function mirrorsOf({ data }: RepositoryRecord): Mirror[] {
  return Object.values(data.mirrors);
}

function holderOf({ account_id, repository_id }: PrefixOwner) {
  return { account_id, repository_id };
}
