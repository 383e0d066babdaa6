import { parseArgs } from 'node:util';
import { isOfAws } from '../lib/lambda/aws-errors.ts';
import { buildSearchIndexOf } from '../lib/lambda/search-index.ts';

const usage = `npm run search-index -- --table <name> --region <home region>

Builds the index by which the catalogue is searched, from what the table has now, and puts it in use. Credentials come
from the environment, as for the AWS CLI; they need Query on the table's index "catalogue", and GetItem, PutItem,
UpdateItem and DeleteItem on the table.`;

const options = readArguments();
if (options === undefined) {
  console.error(`Name the table and its region, and nothing else.\n\n${usage}`);
  process.exit(2);
}
try {
  const repositories = await buildSearchIndexOf(options.table, { region: options.region });
  console.log(`The index has ${repositories} repositories and is in use.`);
} catch (error) {
  if (!isOfAws(error)) throw error;
  console.error(
    `AWS refused this (${error.name}: ${error.message}). Check the table's name, its region and the AWS credentials in the environment, then run it again. The previous index stays in use.`,
  );
  process.exit(1);
}

function readArguments(): { table: string; region: string } | undefined {
  const text = { type: 'string' } as const;
  try {
    const { table, region } = parseArgs({ options: { table: text, region: text } }).values;
    return table && region ? { table, region } : undefined;
  } catch {
    return undefined;
  }
}
