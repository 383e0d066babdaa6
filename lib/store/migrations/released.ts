import type { Migration } from './migration.ts';

/** Every migration, in the order in which they run. New ones go to the end. */
export const releasedMigrations: readonly Migration[] = [];
