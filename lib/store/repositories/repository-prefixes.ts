import type { RepositoryRecord } from '../../domain/data/repositories.ts';
import type { PrefixOwner } from '../../domain/data/storage-prefixes.ts';
import { ServiceError } from '../../domain/errors.ts';
import { encode } from '../codec.ts';
import { type Key, keys } from '../keys.ts';
import type { Write } from '../table.ts';

interface Mirror {
  data_connection_id: string;
  prefix: string;
}

/** Whose place it was before, if somebody's, and whether what is left there is the new repository's for all its readers. */
export interface PreviousPrefix {
  holder: PrefixOwner;
  isAdopted: boolean;
}

/** The one place of a new repository. */
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
  return {
    kind: 'put',
    item: encode('prefix', holder, { key: prefixKey(mirror) }),
    condition: former === undefined ? { exists: false } : { equals: { ...former.holder } },
    refusal: new ServiceError('place_taken', 'Another repository has this place in the data connection; try again'),
  };
}

/** The places of a repository that is deleted stay with its name. */
export function releasePrefixes(repository: RepositoryRecord, now: string): Write[] {
  return mirrorsOf(repository).map((mirror) => ({
    kind: 'update',
    key: prefixKey(mirror),
    change: { set: { left_at: now } },
    condition: { equals: holderOf(repository) },
  }));
}

/** What a deleted repository left there is this one's, for whoever may read it. */
export function adoptObjects(repository: RepositoryRecord): Write[] {
  return mirrorsOf(repository).map((mirror) => ({
    kind: 'update',
    key: prefixKey(mirror),
    change: { remove: ['unadopted'] },
    condition: { equals: holderOf(repository) },
  }));
}

/** Those of one that is transferred go with it. */
export function transferPrefixes(repository: RepositoryRecord, to: PrefixOwner): Write[] {
  return mirrorsOf(repository).map((mirror) => ({
    kind: 'update',
    key: prefixKey(mirror),
    change: { set: { account_id: to.account_id, repository_id: to.repository_id } },
    condition: { equals: holderOf(repository) },
  }));
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
