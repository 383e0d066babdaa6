import { expect, it } from 'vitest';
import { signedRecipesFor } from '../../../../lib/pages/site/signed-recipes.ts';

const repository = { account_id: 'tides', repository_id: 'drafts' };
const commandsOf = (key: string) =>
  signedRecipesFor('https://data.example.org', repository, key)
    .map(({ commands }) => commands)
    .join('\n');

it('contains commands for a repository and for a file, which take their credentials from the environment', () => {
  expect(commandsOf('')).toContain('aws --endpoint-url https://data.example.org s3 sync s3://tides/drafts/ ./drafts');
  expect(commandsOf('a/b.csv')).toContain('s3.download_file("tides", "drafts/a/b.csv", "b.csv")');
  expect(commandsOf('a/b.csv')).not.toMatch(/no-sign-request|UNSIGNED/);
});

it('quotes hostile names, and shows no command for a name with control characters', () => {
  expect(commandsOf(`a'; rm -rf ~ #`)).toContain(`'s3://tides/drafts/a'\\''; rm -rf ~ #'`);
  expect(commandsOf('a"); import os #')).toContain('"drafts/a\\"); import os #"');
  expect(commandsOf('a\u001b[2J')).toBe('');
});
