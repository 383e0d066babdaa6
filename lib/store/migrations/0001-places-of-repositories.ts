import { decode } from '../codec.ts';
import { repositoryRecord } from '../records.ts';
import { encodeRepository } from '../repositories.ts';
import { attributesOf, type Migration } from './migration.ts';

const derived = ['list_pk', 'list_sk', 'catalogue_pk', 'catalogue_sk'] as const;

/**
 * Where a repository stands in the lists of its account and in the catalogue follows from the repository itself: items
 * written by a release that placed them elsewhere, or restored without their places, are put where this one looks.
 */
export const placesOfRepositories: Migration = {
  name: '0001-places-of-repositories',
  entities: ['repository'],
  changes(item) {
    const wanted = encodeRepository(decode(repositoryRecord, item));
    return attributesOf(item, Object.fromEntries(derived.map((name) => [name, wanted[name]])));
  },
};
