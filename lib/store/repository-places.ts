import type { PlaceHolder } from '../domain/data/places.ts';
import type { RepositoryRecord } from '../domain/data/repositories.ts';
import { ServiceError } from '../domain/errors.ts';
import { encode } from './codec.ts';
import { type Key, keys } from './keys.ts';
import type { Write } from './table.ts';

interface Mirror {
  data_connection_id: string;
  prefix: string;
}

/** The one place of a new repository; `former` is who had it last, if somebody had. */
export function takePlace(
  { account_id, repository_id }: Pick<RepositoryRecord, 'account_id' | 'repository_id'>,
  mirror: Mirror,
  former: PlaceHolder | undefined,
): Write {
  return {
    kind: 'put',
    item: encode('prefix', { account_id, repository_id }, { key: placeKey(mirror) }),
    condition: former === undefined ? { exists: false } : { equals: { ...former } },
    refusal: new ServiceError('place_taken', 'Another repository has this place in the data connection; try again'),
  };
}

/** The places of a repository that is deleted stay with its name. */
export function leavePlaces(repository: RepositoryRecord, now: string): Write[] {
  return mirrorsOf(repository).map((mirror) => ({
    kind: 'update',
    key: placeKey(mirror),
    change: { set: { left_at: now } },
    condition: { equals: holderOf(repository) },
  }));
}

/** Those of one that is transferred go with it. */
export function handOverPlaces(repository: RepositoryRecord, to: PlaceHolder): Write[] {
  return mirrorsOf(repository).map((mirror) => ({
    kind: 'update',
    key: placeKey(mirror),
    change: { set: { account_id: to.account_id, repository_id: to.repository_id } },
    condition: { equals: holderOf(repository) },
  }));
}

export function placeKey({ data_connection_id, prefix }: Mirror): Key {
  return keys.prefix(data_connection_id, prefix);
}

function mirrorsOf({ data }: RepositoryRecord): Mirror[] {
  return Object.values(data.mirrors);
}

function holderOf({ account_id, repository_id }: PlaceHolder) {
  return { account_id, repository_id };
}
