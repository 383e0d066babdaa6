import { expect, it } from 'vitest';
import { signedRecipesFor } from '../../../../lib/pages/site/signed-recipes.ts';

const repository = { account_id: 'tides', repository_id: 'drafts' };
const commandsOf = (key: string) =>
  signedRecipesFor('https://data.example.org', repository, key)
    .map(({ commands }) => commands)
    .join('\n');

it('contains commands for a repository and for a file, which take their credentials from the environment', () => {
  expect(commandsOf('')).toContain('aws --endpoint-url https://data.example.org s3 sync s3://tides/drafts/ ./drafts');
  expect(commandsOf('a/b.bin')).toContain('s3.download_file("tides", "drafts/a/b.bin", "b.bin")');
  expect(commandsOf('a/b.csv')).toContain('pandas.read_csv("s3://tides/drafts/a/b.csv", sep=None, engine="python",');
  expect(commandsOf('a/b.parquet')).toContain("SELECT * FROM 's3://tides/drafts/a/b.parquet' LIMIT 10;");
  expect(commandsOf('a/b.parquet')).toContain("KEY_ID getenv('AWS_ACCESS_KEY_ID')");
  expect(commandsOf('a/b.tif')).toMatch(
    /^AWS_S3_ENDPOINT=data\.example\.org .* qgis \/vsis3\/tides\/drafts\/a\/b\.tif$/m,
  );
  expect(commandsOf('a/b.csv')).not.toMatch(/no-sign-request|UNSIGNED/);
});

it('opens an Icechunk store with credentials of the environment', () => {
  const { commands } = signedRecipesFor('http://localhost:9000', repository, 'a"b/', { isIcechunk: true })[0] ?? {};
  expect(commands).toContain('bucket="tides", prefix="drafts/a\\"b",');
  expect(commands).toContain('force_path_style=True,\n    allow_http=True, from_env=True)');
});

it('quotes hostile names in the languages of programs', () => {
  expect(commandsOf('a"); import os #')).toContain('"drafts/a\\"); import os #"');
  expect(commandsOf("a'b.parquet")).toContain("FROM 's3://tides/drafts/a''b.parquet' LIMIT");
  expect(commandsOf('a*.parquet')).not.toContain('SELECT');
  expect(commandsOf('a\u202e.parquet')).not.toContain('SELECT');
});
