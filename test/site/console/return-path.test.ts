import { expect, test } from 'vitest';
import { safeReturnPath } from '../../../site/console/sign-in/return-path.ts';

const home = '/-/console';

test.each(['/-/console', '/-/console/accounts/ada', '/-/console/repositories/ada/tides?path=a/b.csv&x=%20'])(
  'a user who started at %s returns there after the sign-in',
  (path) => {
    expect(safeReturnPath(path, home)).toBe(path);
  },
);

test.each([
  'https://evil.example/-/console',
  '//evil.example/-/console',
  '/\\evil.example',
  '/-/console//evil.example',
  '/-/console/../../evil',
  '/-/console/..',
  '/-/console/%2e%2e/evil',
  '/-/console/%2Fevil',
  '/-/console\\evil',
  '/-/consoles',
  '/-/console\n//evil.example',
  'javascript:alert(1)',
  '/api/v1/whoami',
  `/-/console/${'a'.repeat(3000)}`,
  undefined,
  7,
])('the sign-in refuses the return path %s', (path) => {
  expect(safeReturnPath(path, home)).toBe(home);
});
