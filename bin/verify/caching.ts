import { type Checks, expect, expectEqual, secondsUntil, type Time } from './checks.ts';
import { type Fixture, repositoryClient } from './fixture.ts';
import { isHit, send, servedOf, type WireAnswer } from './wire.ts';

/** The maximum number of seconds after a revocation in which a client can still start a read. */
const closedSecondsMax = 300;

type Headers = Record<string, string>;

/**
 * The open repository of the fixture, with functions that write its objects and functions that request objects and
 * pages without credentials.
 */
interface Site {
  fixture: Fixture;
  time: Time;
  page: string;
  write(name: string, body: string): Promise<unknown>;
  read(name: string, headers?: Headers, method?: string): Promise<WireAnswer>;
  see(path: string, headers?: Headers): Promise<WireAnswer>;
}

/**
 * Checks CloudFront's cache for open data and for pages. Cache hits are reported but not required, because another
 * CloudFront server may answer. The check fails when a response that must not be cached comes from the cache.
 */
export async function checkCaching(checks: Checks, fixture: Fixture, time: Time): Promise<void> {
  const { deployment, openRepositoryId, userCredentials } = fixture;
  const { put, path: pathOf } = repositoryClient(fixture, userCredentials, openRepositoryId);
  const site: Site = {
    fixture,
    time,
    page: `/${deployment.accountId}/${openRepositoryId}`,
    write: put,
    read: (name, headers = {}, method = 'GET') => send(deployment.dataUrl, { method, path: pathOf(name), headers }),
    see: (path, headers = {}) => send(deployment.apiUrl, { method: 'GET', path, headers }),
  };
  const check = checks.group('cache');
  for (const [name, run] of steps) await check(name, () => run(site));
}

const steps: readonly [name: string, run: (site: Site) => Promise<string>][] = [
  ['an object, its parts in any order, and several at once', checkParts],
  [
    'the 404 of a HEAD is not used for a GET',
    async ({ read, write }) => {
      expectEqual((await read('asked-by-head', {}, 'HEAD')).status, 404, 'the status of the HEAD');
      await write('asked-by-head', 'here');
      const { status, body } = await read('asked-by-head');
      expectEqual([status, body.toString()], [200, 'here'], 'the answer to the GET');
      return 'found at once';
    },
  ],
  [
    'an object whose read failed before it was written',
    async ({ read, write, time }) => {
      expectEqual((await read('written-later')).status, 404, 'the status before');
      await write('written-later', 'here');
      const seconds = await secondsUntil(async () => (await read('written-later')).status === 200, 30, time);
      return `seen by others after ${seconds.toFixed(0)} s`;
    },
  ],
  ['a page with other parameters in its query', checkQueries],
  ['a page requested with a cookie or a token is neither cached nor read from the cache', checkSignedInPages],
  ['nothing outside the cache key changes a cached page', checkPoisoning],
  ['closed data and its page leave the cache', checkClosing],
];

async function checkParts({ read, write }: Site): Promise<string> {
  await write('digits', '0123456789');
  const served: string[] = [];
  for (const [range, bytes] of [
    ['bytes=2-4', '234'],
    ['bytes=1-7', '1234567'],
    ['bytes=-2', '89'],
    ['bytes=2-4', '234'],
  ] as const) {
    const answer = await read('digits', { range });
    expectEqual([answer.status, answer.body.toString()], [206, bytes], `the answer to ${range}`);
    served.push(servedOf(answer));
  }
  await expectNoHit(() => read('digits', { range: 'bytes=0-1,5-6' }), 'several parts');
  return served.join('; ');
}

async function checkQueries({ see }: Site): Promise<string> {
  const answers = [];
  for (const query of ['', '', '?utm_source=a', '?utm_source=b&fbclid=c']) answers.push(await see(`/${query}`));
  for (const { status, headers } of answers) {
    expectEqual(status, 200, 'the status');
    expectEqual(headers['cache-control'], 'public, max-age=0, must-revalidate', 'cache-control');
    expect(!/x-sluice-/i.test(Object.keys(headers).join()), 'it has headers that only CloudFront should see');
  }
  return answers.map(servedOf).join('; ');
}

async function checkSignedInPages({ see, fixture }: Site): Promise<string> {
  const { userToken } = fixture.deployment;
  await expectNoHit(() => see('/', { cookie: 'a=b' }), 'a page with a cookie');
  await expectNoHit(() => see('/', { authorization: `Bearer ${userToken}` }), 'a page with a token');
  return 'never';
}

async function checkPoisoning({ see, page }: Site): Promise<string> {
  const odd = [
    await see(`${page}?%70ath=nothing-there`),
    await see(page, { 'x-forwarded-host': 'verify.example', 'x-sluice-host': 'verify.example' }),
    await see(page),
  ];
  for (const { status, body } of odd) {
    expectEqual(status, 200, 'the status');
    expect(!body.includes('verify.example'), 'it contains a host name from the request');
  }
  await expectNoHit(() => see('/%61pi/v1/whoami'), 'an escaped path of the API');
  return odd.map(servedOf).join('; ');
}

async function checkClosing({ fixture, time, page, write, read, see }: Site): Promise<string> {
  const { deployment, openRepositoryId, user } = fixture;
  const setMode = async (data_mode: string) => {
    const path = `/repositories/${deployment.accountId}/${openRepositoryId}/data-mode`;
    expectEqual((await user('PUT', path, { data_mode })).status, 200, `the status of the change to ${data_mode}`);
  };
  const untilAnswers = async (data: number, shown: number) => [
    await secondsUntil(async () => (await read('closed')).status === data, closedSecondsMax + 10, time),
    await secondsUntil(async () => (await see(page)).status === shown, closedSecondsMax + 10, time),
  ];
  await write('closed', 'open still');
  expectEqual([(await read('closed')).status, (await see(page)).status], [200, 200], 'the status before');
  await setMode('private');
  try {
    const [data = 0, shown = 0] = await untilAnswers(403, 404);
    return `data after ${data.toFixed(0)} s, its page ${shown.toFixed(0)} s after that (bound: ${closedSecondsMax} s)`;
  } finally {
    await setMode('open');
    // Wait until the repository is readable again. The next run of the verification reads it and may begin immediately.
    await untilAnswers(200, 200);
  }
}

/**
 * Sends a request twice and checks that no response is a cache hit. If the response were cached, the second one would
 * be a hit.
 */
async function expectNoHit(request: () => Promise<WireAnswer>, what: string): Promise<void> {
  for (let times = 0; times < 2; times += 1)
    expect(!isHit((await request()).headers['x-cache']), `${what} came from a cache`);
}
