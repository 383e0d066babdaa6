import { placesOfRepositories } from './0001-places-of-repositories.ts';
import { internalIds } from './0002-internal-ids.ts';
import type { Migration } from './migration.ts';

/** Every migration, in the order in which they run. New ones go to the end. */
export const releasedMigrations: readonly Migration[] = [placesOfRepositories, internalIds];
