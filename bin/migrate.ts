import { parseArgs } from 'node:util';
import { isOfAws } from '../lib/lambda/aws-errors.ts';
import { migrateTable } from '../lib/lambda/migrations.ts';

const usage = `npm run migrate -- --table <name> --region <home region> [--dry-run | --finish]

Runs the data migrations that are not finished on this table, while the service runs. --dry-run counts what would change.
--finish examines every item and closes the migrations: use it when no function of the previous release runs any more.
Credentials come from the environment, as for the AWS CLI. They need Scan, Query, GetItem, BatchGetItem, PutItem, UpdateItem,
DeleteItem and ConditionCheckItem on the table, and Query on its indexes.`;

const options = readArguments();
if (typeof options === 'string') {
  console.error(`${options}\n\n${usage}`);
  process.exit(2);
}
const { table, ...migration } = options;
try {
  const reports = await migrateTable(table, {
    ...migration,
    onUnreadable: ({ migration: name, pk, sk, reason }) =>
      console.error(`${name}  cannot read the item ${pk} / ${sk}: ${reason}`),
  });
  if (reports.length === 0) console.log('This release has no data migrations.');
  for (const { name, outcome, seen, changed, unreadable } of reports) {
    const failed = unreadable === 0 ? '' : `, ${unreadable} could not be read`;
    console.log(`${name}  ${outcome}: ${seen} items examined, ${changed} changed${failed}`);
  }
  if (reports.some(({ unreadable }) => unreadable > 0)) {
    console.error('Repair or delete the items above, and run this again.');
    process.exit(1);
  }
} catch (error) {
  if (!isOfAws(error)) throw error;
  console.error(
    `AWS refused a request (${error.name}: ${error.message}). Check the table's name, its region and the AWS credentials in the environment, then run this again: it continues where it stopped.`,
  );
  process.exit(1);
}

interface Arguments {
  table: string;
  region: string;
  isDryRun: boolean;
  isFinishing: boolean;
}

/**
 * Returns the command line arguments, or an error message. Unknown arguments are errors, because a mistyped `--dry-run`
 * would change a table.
 */
function readArguments(): Arguments | string {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const accepted = { table: text, region: text, 'dry-run': flag, finish: flag } as const;
  try {
    const { table, region, 'dry-run': isDryRun, finish: isFinishing } = parseArgs({ options: accepted }).values;
    if (isDryRun && isFinishing) return 'Give --dry-run or --finish, not both.';
    return table && region ? { table, region, isDryRun, isFinishing } : 'Name the table and its region.';
  } catch {
    return 'Nothing was changed. Use only these options.';
  }
}
