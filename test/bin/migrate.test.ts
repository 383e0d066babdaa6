import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { openStore } from '../lib/store/open-store.ts';
import { engineOfThisFile } from '../service/engine-of-this-file.ts';
import { loader } from '../service/loader.ts';

test.each([['--dry-run'], ['--finish']])(
  'npm run migrate %s runs the released migrations on a table',
  async (option) => {
    const { tableName } = await openStore();
    const { endpoint, region, credentials } = engineOfThisFile();
    const child = spawn(
      process.execPath,
      [...loader, 'bin/migrate.ts', '--table', tableName, '--region', region, option],
      {
        env: {
          PATH: process.env['PATH'],
          AWS_ENDPOINT_URL_DYNAMODB: endpoint,
          AWS_ACCESS_KEY_ID: credentials.accessKeyId,
          AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    const [[code], output, errors] = await Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)]);
    expect({ code, output, errors }).toEqual({ code: 0, output: 'This release has no data migrations.\n', errors: '' });
  },
);
