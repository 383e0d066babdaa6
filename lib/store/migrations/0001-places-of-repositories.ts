import { decode } from '../codec.ts';
import { repositoryRecord } from '../records.ts';
import { findOwner, wantedPlaces } from '../repositories/public-index.ts';
import { encodeRepository } from '../repositories/repositories.ts';
import { attributesOf, type Migration } from './migration.ts';

/**
 * Where a repository stands in the lists of its account and in the catalogue follows from the repository itself: items
 * written by a release that placed them elsewhere, or restored without their places, are put where this one looks.
 */
export const placesOfRepositories: Migration = {
  name: '0001-places-of-repositories',
  entities: ['repository'],
  async *changes(item, { table }) {
    const repository = decode(repositoryRecord, item);
    const { list_pk, list_sk } = encodeRepository(repository);
    const owner = await findOwner(table, repository);
    const { catalogue_pk, catalogue_sk } = wantedPlaces(repository, owner);
    yield* attributesOf(item, { list_pk, list_sk, catalogue_pk, catalogue_sk });
  },
};
