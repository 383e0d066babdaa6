import { expect, test } from 'vitest';
import { type Draft, newDraft } from '../../../site/console/platform/connection-draft.ts';
import { opensTo, type Test, verdictOf, verdictOfDraft } from '../../../site/console/platform/connection-verdict.ts';

type Check = Test['checks'][number];

const tested = (...checks: [Check['check'], Check['state'], Check['code']][]): Test => ({
  data_connection_id: 'a-store',
  tested_at: '2026-01-01T00:00:00.000Z',
  checks: checks.map(([check, state, code]) => ({ check, state, code, message: '' })),
});

test.each([
  ['nothing was tested', undefined, false, 'untested'],
  ['something failed', tested(['list', 'passed', 'ok'], ['read', 'failed', 'access_denied']), false, 'failed'],
  ['writing was not tested', tested(['read', 'passed', 'ok'], ['write', 'not_tried', 'not_asked']), false, 'partly'],
  [
    'the connection is read-only',
    tested(['read', 'passed', 'ok'], ['write', 'not_tried', 'not_asked']),
    true,
    'passed',
  ],
  ['every check passed', tested(['read', 'passed', 'ok'], ['write', 'passed', 'ok']), false, 'passed'],
  [
    'no check can use the role',
    tested(['reach', 'passed', 'ok'], ['write', 'not_tried', 'role_of_the_proxy']),
    false,
    'passed',
  ],
] as const)('the verdict on a connection is right when %s', (_, done, isReadOnly, verdict) => {
  expect(verdictOf(done, isReadOnly)).toBe(verdict);
});

const stored: Draft = { ...newDraft, bucket: 'a-bucket', authentication: 'unchanged' };
const reads = tested(['read', 'passed', 'ok'], ['write', 'not_tried', 'not_asked']);
const works = tested(['read', 'passed', 'ok'], ['write', 'passed', 'ok']);

test.each<[what: string, done: Test, change: Partial<Draft>, verdict: string]>([
  ['another name', works, { name: 'Another' }, 'passed'],
  ['another bucket', works, { bucket: 'another' }, 'untested'],
  ['another base prefix', works, { base_prefix: '_other/' }, 'untested'],
  ['another region', works, { region: 'eu-west-1' }, 'untested'],
  ['another endpoint', works, { endpoint: 'https://s3.example.org' }, 'untested'],
  ['other credentials', works, { authentication: 's3_access_key' }, 'untested'],
  ['writing, which was not tested', reads, { read_only: 'no' }, 'partly'],
  ['only reading', reads, { read_only: 'yes' }, 'passed'],
])(
  'the verdict after a test applies to a connection that is saved with %s only as far as the test covers it',
  (_, done, change, verdict) => {
    expect(verdictOfDraft(done, stored, { ...stored, ...change })).toBe(verdict);
  },
);

test('a change of the required flag opens a connection when more accounts may use it', () => {
  const flags = ['admin', 'create_repositories', 'create_organizations', ''] as const;
  const opening = flags.flatMap((was) => flags.filter((now) => opensTo(was, now)).map((now) => `${was}>${now}`));
  expect(opening).toEqual([
    'admin>create_repositories',
    'admin>create_organizations',
    'admin>',
    'create_repositories>create_organizations',
    'create_repositories>',
    'create_organizations>create_repositories',
    'create_organizations>',
  ]);
});
