import { describe, expect, test } from 'vitest';
import { engineOfThisFile } from '../service/engine-of-this-file.ts';
import { runCommand } from './local-process.ts';

const urls = ['--api', 'https://api.example.org', '--data', 'https://data.example.org'];
const table = ['--table', 'sluice', '--region', 'eu-west-1'];

// The environment contains no credentials of the developer.
const run = (program: string, args: readonly string[], settings: NodeJS.ProcessEnv) =>
  runCommand(program, args, { env: { HOME: '/nowhere', AWS_EC2_METADATA_DISABLED: 'true', ...settings } });

describe('a command with unknown arguments does nothing and prints its usage', () => {
  test.each<[string, readonly string[], NodeJS.ProcessEnv, string]>([
    ['migrate', [...table, '--dryrun'], {}, 'Nothing was changed. Use only these options.'],
    ['migrate', [...table, 'dry-run'], {}, 'Nothing was changed. Use only these options.'],
    ['migrate', ['--table', 'sluice'], {}, 'Name the table and its region.'],
    ['migrate', [...table, '--dry-run', '--finish'], {}, 'Give --dry-run or --finish, not both.'],
    ['migrate', ['--help'], {}, 'Nothing was changed. Use only these options.'],
    ['search-index', [...table, '--dry-run'], {}, 'Name the table and its region, and nothing else.'],
    ['search-index', ['--table', 'sluice'], {}, 'Name the table and its region, and nothing else.'],
    ['verify', [...urls, '--throttle'], {}, 'No check ran. Use only these options.'],
    ['verify', [], {}, 'Give both URLs, as https://name without a path: --api and --data.'],
    [
      'verify',
      urls,
      { SLUICE_VERIFY_API_ORIGIN: 'https://api.example.org/prod' },
      'SLUICE_VERIFY_API_ORIGIN must be a URL as https://name, without a path.',
    ],
    [
      'verify',
      ['--api', 'https://api.example.org', '--data', 'data.example.org'],
      {},
      'Give both URLs, as https://name without a path: --api and --data.',
    ],
    [
      'verify',
      [...urls.slice(0, 3), 'https://data.example.org/'],
      {},
      'Set SLUICE_VERIFY_USER_TOKEN to an identity token of a user.',
    ],
    [
      'verify',
      urls,
      { SLUICE_VERIFY_USER_TOKEN: 'Bearer a.b.c', SLUICE_VERIFY_ACCOUNT: 'ada' },
      'SLUICE_VERIFY_USER_TOKEN must be the token alone, without "Bearer".',
    ],
  ])('%s %j', async (program, args, settings, sentence) => {
    const { code, output, errors } = await run(program, args, settings);
    expect({ code, output }).toEqual({ code: 2, output: '' });
    expect(errors.slice(0, errors.indexOf(' -- '))).toBe(`${sentence}\n\nnpm run ${program}`);
  });
});

test('search-index prints what to check when the table does not exist', async () => {
  const env = {
    AWS_ACCESS_KEY_ID: 'a',
    AWS_SECRET_ACCESS_KEY: 'b',
    AWS_ENDPOINT_URL_DYNAMODB: engineOfThisFile().endpoint,
  };
  const { code, errors } = await run('search-index', table, env);
  expect(code).toBe(1);
  expect(errors).toMatch(
    /^AWS refused this \(ResourceNotFoundException: .*\)\. Check the table's name, its region and .*\.\n$/,
  );
});
