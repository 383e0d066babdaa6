import { PutObjectCommand } from '@aws-sdk/client-s3';
import { type Checks, expect, expectEqual } from './checks.ts';
import { s3Client } from './deployment.ts';
import type { Fixture } from './fixture.ts';
import type { Time } from './revocations.ts';
import { isHit, send, type WireAnswer } from './wire.ts';

/** Maximum time after a revocation in which a client can still start a read. */
const closedSecondsMax = 300;

/**
 * Checks CloudFront's cache of open data and of pages. Cache hits are only reported, because another CloudFront server
 * may answer. The check fails when a response comes from the cache and must not.
 */
export async function checkCaching(checks: Checks, fixture: Fixture, time: Time): Promise<void> {
  const { deployment, folder, openRepositoryId, person, personCredentials } = fixture;
  const { dataUrl, apiUrl, accountId } = deployment;
  const client = s3Client(deployment, personCredentials);
  const check = (name: string, run: () => Promise<string>) => checks.check('kept', name, run);
  const pathOf = (name: string) => `/${accountId}/${openRepositoryId}/${folder}${name}`;
  const write = (name: string, Body: string) =>
    client.send(new PutObjectCommand({ Bucket: accountId, Key: `${openRepositoryId}/${folder}${name}`, Body }));
  const read = (name: string, headers: Record<string, string> = {}, method = 'GET') =>
    send(dataUrl, { method, path: pathOf(name), headers });
  const page = `/${accountId}/${openRepositoryId}`;
  const see = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    send(apiUrl, { method, path, headers });

  await check('an object, its parts in any order, and several at once', async () => {
    await write('digits', '0123456789');
    const told: string[] = [];
    for (const [range, bytes] of [
      ['bytes=2-4', '234'],
      ['bytes=1-7', '1234567'],
      ['bytes=-2', '89'],
      ['bytes=2-4', '234'],
    ] as const) {
      const answer = await read('digits', { range });
      expectEqual([answer.status, answer.body.toString()], [206, bytes], `the answer to ${range}`);
      told.push(servedOf(answer));
    }
    for (let times = 0; times < 2; times += 1) {
      const several = await read('digits', { range: 'bytes=0-1,5-6' });
      expect(!isHit(several.headers['x-cache']), 'several parts came out of a cache');
    }
    return told.join('; ');
  });
  await check('that an object is not there, told to a HEAD, is told to no GET', async () => {
    expectEqual((await read('asked-by-head', {}, 'HEAD')).status, 404, 'the status of the HEAD');
    await write('asked-by-head', 'here');
    const { status, body } = await read('asked-by-head');
    expectEqual([status, body.toString()], [200, 'here'], 'the answer to the GET');
    return 'found at once';
  });
  await check('an object that was looked for before it was written', async () => {
    expectEqual((await read('written-later')).status, 404, 'the status before');
    await write('written-later', 'here');
    const seconds = await secondsUntil(async () => (await read('written-later')).status === 200, 30, time);
    return `seen by others after ${seconds.toFixed(0)} s`;
  });

  await check('a page, by whatever else is in its query', async () => {
    const answers = [];
    for (const query of ['', '', '?utm_source=a', '?utm_source=b&fbclid=c']) answers.push(await see(`/${query}`));
    for (const { status, headers } of answers) {
      expectEqual(status, 200, 'the status');
      expectEqual(headers['cache-control'], 'public, max-age=0, must-revalidate', 'cache-control');
      expect(!/x-sluice-/i.test(Object.keys(headers).join()), 'it has headers that are for CloudFront alone');
    }
    return answers.map(servedOf).join('; ');
  });
  await check('a page seen with a cookie or a token is kept for nobody, and none that is kept', async () => {
    for (const headers of [{ cookie: 'a=b' }, { authorization: `Bearer ${deployment.personToken}` }]) {
      for (let times = 0; times < 2; times += 1) {
        expect(
          !isHit((await see('/', headers)).headers['x-cache']),
          `it came out of a cache with ${Object.keys(headers)}`,
        );
      }
    }
    return 'never';
  });
  await check('nothing that the key lacks changes a page for others', async () => {
    const odd = [
      await see(`${page}?%70ath=nothing-there`),
      await see(page, { 'x-forwarded-host': 'verify.example', 'x-sluice-host': 'verify.example' }),
      await see(page),
    ];
    for (const { status, body } of odd) {
      expectEqual(status, 200, 'the status');
      expect(!body.includes('verify.example'), 'it names a host that somebody sent');
    }
    for (let times = 0; times < 2; times += 1) {
      expect(
        !isHit((await see(`/%61pi/v1/whoami`)).headers['x-cache']),
        'an escaped path of the API came out of a cache',
      );
    }
    return odd.map(servedOf).join('; ');
  });
  await check('what was closed is gone from the cache, and its page too', async () => {
    const modeOf = (data_mode: string) =>
      person('PUT', `/repositories/${accountId}/${openRepositoryId}/data-mode`, { data_mode });
    await write('closed', 'open still');
    expectEqual([(await read('closed')).status, (await see(page)).status], [200, 200], 'the status before');
    const { status } = await modeOf('private');
    expectEqual(status, 200, 'the status of the closing');
    const untilAnswers = async (data: number, shown: number) => [
      await secondsUntil(async () => (await read('closed')).status === data, closedSecondsMax + 10, time),
      await secondsUntil(async () => (await see(page)).status === shown, closedSecondsMax + 10, time),
    ];
    try {
      const [data = 0, shown = 0] = await untilAnswers(403, 404);
      return `data after ${data.toFixed(0)} s, its page ${shown.toFixed(0)} s after that (bound: ${closedSecondsMax} s)`;
    } finally {
      expectEqual((await modeOf('open')).status, 200, 'the status of opening it again');
      // The next run may begin at once, and reads it.
      await untilAnswers(200, 200);
    }
  });
}

function servedOf({ headers }: WireAnswer): string {
  return `${headers['x-cache'] ?? 'no cache'}, age ${headers['age'] ?? 'none'}`;
}

/** Polls once a second. */
async function secondsUntil(isSo: () => Promise<boolean>, secondsMax: number, { now, wait }: Time): Promise<number> {
  const startedAt = now();
  for (;;) {
    const seconds = (now() - startedAt) / 1000;
    if (await isSo()) return seconds;
    expect(seconds < secondsMax, `not after ${seconds.toFixed(0)} s`);
    await wait(1);
  }
}
