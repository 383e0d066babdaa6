import type { Migration } from './migration.ts';

/** Every migration, in the order in which they run. Add new ones at the end. */
export const releasedMigrations: readonly Migration[] = [];
