import { parseArgs } from 'node:util';
import { isOfAws } from '../lib/lambda/aws-errors.ts';
import { migrateTable, UserIssuerNeeded } from '../lib/lambda/migrations.ts';
import { physicalNames } from '../lib/stacks/names.ts';

const usage = `npm run migrate -- --table <name> --region <home region> [--user-issuer <URL>] [--dry-run | --finish]

Runs the data migrations that are not finished on this table, while the service goes on. With --dry-run it counts what
would change. With --finish it runs them once more and closes them: only when every function of the older release is
gone. The first run needs --user-issuer, the issuer of people's tokens that is configured now (the output UserIssuer of
the stack <name>-api), and writes it down. Credentials come from the environment, as for the AWS CLI; they need Scan, Query, GetItem, BatchGetItem, PutItem,
UpdateItem, DeleteItem and ConditionCheckItem on the table, Query on its indexes, and GetSecretValue on the secret <name>/api-key-master.`;

const options = readArguments();
if (typeof options === 'string') {
  console.error(`${options}\n\n${usage}`);
  process.exit(2);
}
const { table, ...migration } = options;
try {
  const reports = await migrateTable(table, {
    ...migration,
    apiKeyMasterSecret: physicalNames({ name: table }).apiKeyMasterSecret,
    onUnreadable: ({ migration, pk, sk, reason }) =>
      console.error(`${migration}  cannot read the item ${pk} / ${sk}: ${reason}`),
  });
  for (const { name, outcome, seen, changed, unreadable } of reports) {
    const failed = unreadable === 0 ? '' : `, ${unreadable} could not be read`;
    console.log(`${name}  ${outcome}: ${seen} items looked at, ${changed} changed${failed}`);
  }
  if (reports.some(({ unreadable }) => unreadable > 0)) {
    console.error('Put the items right that are named above, or delete them, and run this again.');
    process.exit(1);
  }
} catch (error) {
  if (error instanceof UserIssuerNeeded) {
    console.error(`${error.message}\n\n${usage}`);
    process.exit(2);
  }
  if (!isOfAws(error)) throw error;
  console.error(
    `AWS does not let this go on (${error.name}: ${error.message}). Check the table's name, its region and the AWS credentials in the environment, then run it again: it goes on where it stopped.`,
  );
  process.exit(1);
}

interface Arguments {
  table: string;
  region: string;
  userIssuer: string | undefined;
  isDryRun: boolean;
  isFinishing: boolean;
}

/** The arguments, or the sentence that says what is wrong. A mistyped --dry-run must not change a table. */
function readArguments(): Arguments | string {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const options = { table: text, region: text, 'user-issuer': text, 'dry-run': flag, finish: flag } as const;
  try {
    const { table, region, 'user-issuer': userIssuer, ...flags } = parseArgs({ options }).values;
    const { 'dry-run': isDryRun, finish: isFinishing } = flags;
    if (isDryRun && isFinishing) return 'Give --dry-run or --finish, not both.';
    if (userIssuer !== undefined && !/^https:\/\/[^/?#]+/.test(userIssuer)) return 'The issuer is an https URL.';
    return table && region ? { table, region, userIssuer, isDryRun, isFinishing } : 'Name the table and its region.';
  } catch {
    return 'Nothing was done: give these options and no others.';
  }
}
