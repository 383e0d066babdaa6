import { expect, test } from 'vitest';
import { returnPage, safeReturnPath } from '../../../site/console/sign-in/return-path.ts';

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

const origin = 'https://sluice.example';

test.each(['/tides/gauges', '/tides/gauges/a%20b/c.csv?version=v1', '/tides/gauges/?path=../a'])(
  'a user who came from the page %s returns there',
  (path) => {
    const search = `?return=${encodeURIComponent(path).replaceAll('%2F', '/')}`;
    expect(safeReturnPath(`${home}${search}`, home)).toBe(`${home}${search}`);
    expect(returnPage(search, origin)).toBe(path);
  },
);

test.each([
  '',
  '/',
  '/tides',
  '//evil.example/a/b',
  '/\\evil.example/a/b',
  '/\t/evil.example/a/b',
  'https://evil.example/a/b',
  'javascript:alert(1)//a/b',
  '/-/console/accounts',
  '/api/v1/docs',
  '//',
])('no user is sent to %s after the sign-in', (path) => {
  expect(returnPage(`?return=${encodeURIComponent(path)}`, origin)).toBeUndefined();
});
