import { parseArgs } from 'node:util';
import { migrateTable } from '../lib/runtime/migrations.ts';

const usage = `npm run migrate -- --table <name> --region <home region> [--dry-run]

Runs the data migrations that this table has not seen yet, while the service goes on. With --dry-run it counts what
would change. Credentials come from the environment, as for the AWS CLI; they need Scan, GetItem, PutItem and UpdateItem.`;

const { values } = parseArgs({
  options: { table: { type: 'string' }, region: { type: 'string' }, 'dry-run': { type: 'boolean', default: false } },
  strict: false,
});
const { table, region, 'dry-run': isDryRun } = values;
if (typeof table !== 'string' || typeof region !== 'string') {
  console.error(`Name the table and its region.\n\n${usage}`);
  process.exit(2);
}
for (const { name, outcome, seen, changed } of await migrateTable(table, { region, isDryRun: isDryRun === true })) {
  console.log(`${name}  ${outcome}: ${seen} items looked at, ${changed} changed`);
}
