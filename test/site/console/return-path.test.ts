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

test.each([
  ['/tides/gauges', true],
  ['/tides/gauges/a%20b/c.csv?version=v1', true],
  ['/tides/gauges/?path=../a', true],
  ['/', true],
  ['/?utm_source=x', true],
  ['/tides', true],
  ['/tides?cursor=a%2Fb', true],
  ['/-/search?q=sea+level&tag=tides', true],
  ['/-/search?q=%2F%2Fevil.example', true],
  ['/-/versions/tides/gauges?version=v1', true],
  ['/-/preview/tides/gauges?path=a/b.csv', true],
  ['/api/v1/docs', true],
  ['', false],
  ['//', false],
  ['///', false],
  ['//evil.example', false],
  ['//evil.example/a/b', false],
  ['/\\evil.example/a/b', false],
  ['\\\\evil.example/a/b', false],
  ['/\t/evil.example/a/b', false],
  ['/\n/evil.example/a/b', false],
  [' //evil.example/a/b', false],
  ['/%2F/evil.example', false],
  ['/%5Cevil.example', false],
  ['/..//evil.example/a', false],
  ['/tides/..//evil.example/a', false],
  ['/tides/%2e%2e//evil.example/a', false],
  ['/./\\evil.example/a', false],
  ['/-/search/..//..//evil.example', false],
  ['/@evil.example', false],
  ['/:80@evil.example/a/b', false],
  ['https://evil.example/a/b', false],
  ['https:/tides/gauges', false],
  ['https:tides/gauges', false],
  ['evil.example/a/b', false],
  ['javascript:alert(1)//a/b', false],
  ['/javascript:alert(1)', false],
  ['data:text/html,a', false],
  ['/-/console', false],
  ['/-/console/accounts?return=/-/console', false],
  ['/-/sign-in/callback?code=a&state=b', false],
  ['/-/assets/page.js', false],
  ['/api/v1/docs/../whoami', false],
  ['/api/v1/whoami', false],
])('after a sign-in that the page %s began, the user returns to it: %s', (path, isPage) => {
  const search = `?return=${encodeURIComponent(path).replaceAll('%2F', '/')}`;
  expect(returnPage(search, origin)).toBe(isPage ? path : undefined);
  if (isPage) expect(safeReturnPath(home + search, home)).toBe(home + search);
});

test('a page whose path has dot segments is the page without them', () => {
  expect(returnPage('?return=/tides/gauges/../../-/search', origin)).toBe('/-/search');
});
