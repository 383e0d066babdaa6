import type { Migration } from './run-migrations.ts';

/** All migrations, in the order in which they run. Add new migrations at the end. */
export const releasedMigrations: readonly Migration[] = [];
