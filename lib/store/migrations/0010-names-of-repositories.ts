import { decode } from '../codec.ts';
import { repositoryRecord } from '../records.ts';
import { namesOfRepositories, wantedName } from '../repositories/repository-names.ts';
import { attributesOf, type Migration } from './migration.ts';

/**
 * The data proxy lists the repositories of an account by their names. An older release makes some without an entry there,
 * and leaves that of one which it closes among those that anyone may see, where readers leave it out.
 */
export const namesOfEnabledRepositories: Migration = {
  ...namesOfRepositories,
  entities: ['repository'],
  *changes(item) {
    yield* attributesOf(item, wantedName(decode(repositoryRecord, item)));
  },
};
