import { expect, test } from 'vitest';
import { openStore } from '../lib/store/open-store.ts';
import { engineOfThisFile } from '../service/engine-of-this-file.ts';
import { runCommand } from './local-process.ts';

test.each(['--dry-run', '--finish'])('npm run migrate %s runs the released migrations on a table', async (option) => {
  const { tableName } = await openStore();
  const { endpoint, region, credentials } = engineOfThisFile();
  const env = {
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  };
  const run = await runCommand('migrate', ['--table', tableName, '--region', region, option], { env });
  expect(run).toEqual({ code: 0, output: 'This release has no data migrations.\n', errors: '' });
});
