import type { Migration } from './run-migrations.ts';

/** Every migration, in the order in which they run. Add new migrations at the end. */
export const releasedMigrations: readonly Migration[] = [];
