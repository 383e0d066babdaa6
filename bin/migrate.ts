import { parseArgs } from 'node:util';
import { migrateTable } from '../lib/deployed/migrations.ts';

const usage = `npm run migrate -- --table <name> --region <home region> [--dry-run]

Runs the data migrations that this table has not seen yet, while the service goes on. With --dry-run it counts what
would change. Credentials come from the environment, as for the AWS CLI; they need Scan, GetItem, PutItem and UpdateItem.`;

const asked = readArguments();
if (typeof asked === 'string') {
  console.error(`${asked}\n\n${usage}`);
  process.exit(2);
}
const { table, region, isDryRun } = asked;
try {
  for (const { name, outcome, seen, changed } of await migrateTable(table, { region, isDryRun })) {
    console.log(`${name}  ${outcome}: ${seen} items looked at, ${changed} changed`);
  }
} catch (error) {
  if (!isOfAws(error)) throw error;
  console.error(
    `AWS does not let this go on (${error.name}: ${error.message}). Check the table's name, its region and the AWS credentials in the environment, then run it again: it goes on where it stopped.`,
  );
  process.exit(1);
}

/** What was asked for, or the sentence that says what is wrong. A mistyped --dry-run must not change a table. */
function readArguments(): { table: string; region: string; isDryRun: boolean } | string {
  const text = { type: 'string' } as const;
  const options = { table: text, region: text, 'dry-run': { type: 'boolean', default: false } } as const;
  try {
    const { table, region, 'dry-run': isDryRun } = parseArgs({ options }).values;
    return table && region ? { table, region, isDryRun } : 'Name the table and its region.';
  } catch {
    return 'Nothing was done: give these options and no others.';
  }
}

/** Refused by the database, not reached, or without credentials; not a fault of ours, whose stack is worth seeing. */
function isOfAws(error: unknown): error is Error {
  return (
    error instanceof Error && ('$metadata' in error || 'hostname' in error || error.name === 'CredentialsProviderError')
  );
}
