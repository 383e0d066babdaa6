import { expect, test } from 'vitest';
import { type Test, verdictOf } from '../../../site/console/platform/connection-verdict.ts';

type Check = Test['checks'][number];

const tested = (...checks: [Check['check'], Check['state'], Check['code']][]): Test => ({
  data_connection_id: 'a-store',
  tested_at: '2026-01-01T00:00:00.000Z',
  checks: checks.map(([check, state, code]) => ({ check, state, code, message: '' })),
});

test.each([
  ['nothing was tested', undefined, false, 'untested'],
  ['something failed', tested(['list', 'passed', 'ok'], ['read', 'failed', 'access_denied']), false, 'failed'],
  ['writing was left out', tested(['read', 'passed', 'ok'], ['write', 'not_tried', 'not_asked']), false, 'partly'],
  ['it is for reading', tested(['read', 'passed', 'ok'], ['write', 'not_tried', 'not_asked']), true, 'passed'],
  ['all works', tested(['read', 'passed', 'ok'], ['write', 'passed', 'ok']), false, 'passed'],
  [
    'a role is tried by nobody',
    tested(['reach', 'passed', 'ok'], ['write', 'not_tried', 'role_of_the_proxy']),
    false,
    'passed',
  ],
] as const)('where %s, a connection is judged so', (_, done, isReadOnly, verdict) => {
  expect(verdictOf(done, isReadOnly)).toBe(verdict);
});
