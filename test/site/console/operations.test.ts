import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { registry } from '../../../lib/operations/registry.ts';

/** Operations that the console does not use, with the reason. */
const unused: Readonly<Record<string, string>> = {
  'create-link-credentials': 'the page behind a link calls it, outside the console',
  'get-account-flags': 'they are in the account, which it reads with them',
  'list-catalogue': 'the public pages show it, to people who are signed in too',
  'revoke-found-key': 'keys that somebody found are sent together, by revoke-found-keys',
  'report-found-keys': 'a secret scanning partner signs what it sends',
  'get-version-citation': 'the public page of the version shows it',
  'get-file-deletion': 'the list of deletions has the same data',
  'get-repository-usage-badge': 'READMEs show it',
  'get-health': 'is for what watches a deployment',
  'get-openapi': 'its types are made of the document before it is built',
  'get-docs': 'is a page itself',
  'answer-unknown-route': 'answers what is no operation',
};

const sources = globSync('site/**/*.{ts,tsx}').map((file) => readFileSync(file, 'utf8'));
const called = sources.flatMap((text) => [...text.matchAll(/\.(GET|POST|PUT|PATCH|DELETE)\(\s*('[^']*')?/g)]);

it('the console names the operation at each call', () => {
  expect(called.length).toBeGreaterThan(60);
  expect(called.filter(([, , path]) => path === undefined)).toEqual([]);
});

it('the console uses every operation of the API, except those with a stated reason', () => {
  const used = new Set(called.map(([, method, path]) => `${method} ${path?.slice(1, -1)}`));
  const without = registry.filter(({ method, path }) => !used.has(`${method} ${path}`));
  expect(without.map(({ name }) => name).toSorted()).toEqual(Object.keys(unused).toSorted());
});
