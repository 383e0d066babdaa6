import type { SQSRecord } from 'aws-lambda';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { handler as invalidateCaches } from '../../../functions/streams/invalidate-caches.ts';
import {
  countWildcards,
  type InvalidationTarget,
  invalidationPaths,
  invalidationTargetOf,
  type PathsOf,
  pageInvalidationPaths,
  type StartedInvalidation,
  wholeAccounts,
} from '../../../lib/domain/changes/invalidations.ts';
import type { PostOptions } from '../../../lib/lambda/aws/post.ts';
import { createMessageSender } from '../../../lib/lambda/aws/sqs.ts';
import { createDistribution } from '../../../lib/lambda/stream-consumers/invalidations.ts';
import { startInvalidationQueue } from '../../../lib/local/background-tasks.ts';
import { createAccessConsumer } from '../../../lib/streams/access-consumer.ts';
import { streamEvent, streamRecord } from '../../functions/streams/stream-events.ts';

const repository = (changes: object = {}) => ({
  pk: 'REPOSITORY#tides/gauges',
  entity: 'repository',
  account_id: 'tides',
  repository_id: 'gauges',
  data_mode: 'open',
  state: 'listed',
  disabled: false,
  uid: 'uid-1',
  data: { primary_mirror: 'one', mirrors: { one: { prefix: 'a/' } } },
  ...changes,
});
const account = (disabled: boolean) => ({ pk: 'ACCOUNT#tides', entity: 'account', account_id: 'tides', disabled });
const place = { account_id: 'tides', repository_id: 'gauges' };
const version = (state: string, changes: object = {}) => ({ entity: 'repository_version', state, ...changes });
const withdrawn = version('withdrawn', { cached_at: place });

describe('the invalidation target of a change', () => {
  test.each<[string, object | undefined, object | undefined, InvalidationTarget | undefined]>([
    ['disabled', repository(), repository({ disabled: true }), place],
    ['deleted', repository(), undefined, place],
    ['private now', repository(), repository({ data_mode: 'private' }), place],
    ['for subscribers now', repository(), repository({ data_mode: 'subscription' }), place],
    ['another under its name', repository(), repository({ uid: 'uid-2' }), place],
    ['placed elsewhere', repository(), repository({ data: { primary_mirror: 'two', mirrors: {} } }), place],
    ['renamed in its title', repository(), repository({ meta: { title: 'T' } }), undefined],
    ['unlisted', repository(), repository({ state: 'unlisted' }), undefined],
    ['new', undefined, repository(), undefined],
    ['opened', repository({ data_mode: 'private' }), repository(), undefined],
    ['enabled', repository({ disabled: true }), repository(), undefined],
    ['deleted when it was closed', repository({ disabled: true }), undefined, undefined],
    ['private and deleted', repository({ data_mode: 'private' }), undefined, undefined],
    ['an account that is disabled', account(false), account(true), { account_id: 'tides' }],
    ['an account that is deleted', account(false), undefined, { account_id: 'tides' }],
    ['an account that is enabled', account(true), account(false), undefined],
    ['a version that is withdrawn', version('ready'), version('withdrawn', { cached_at: place }), place],
    ['a version of a closed repository that is withdrawn', version('ready'), version('withdrawn'), undefined],
    ['a withdrawn version with another change', withdrawn, { ...withdrawn, doi: 'other' }, undefined],
    ['a version that becomes ready', version('freezing'), version('ready'), undefined],
    ['a grant that is gone', { entity: 'grant', account_id: 'tides' }, undefined, undefined],
  ])('%s', (_, before, after, closed) => {
    expect(invalidationTargetOf({ before: before as never, after: after as never })).toEqual(closed);
  });
});

const many = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ account_id: 'tides', repository_id: `r-${at}` }));
const accounts = (count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => ({ account_id: `account-${from + at}`, repository_id: 'gauges' }));

const tides = { account_id: 'tides' };
const always = ['/', '/-/search*', '/sitemap*'];
test.each<[string, PathsOf, InvalidationTarget[], string[]]>([
  ['objects of a repository', invalidationPaths(false), [place, place], ['/tides/gauges*']],
  ['objects on virtual hosts', invalidationPaths(true), [place], ['/tides/gauges*', '/gauges/*', '/gauges@*']],
  ['objects of an account', invalidationPaths(false), [tides], ['/tides/*']],
  ['objects of an account on virtual hosts', invalidationPaths(true), [tides], ['/tides/*']],
  [
    'objects of five',
    invalidationPaths(false),
    many(5),
    many(5).map(({ repository_id }) => `/tides/${repository_id}*`),
  ],
  ['objects of whole accounts', invalidationPaths(true), wholeAccounts(many(60)), ['/tides/*']],
  ['pages of a repository', pageInvalidationPaths, [place, place], ['/tides', '/tides?*', '/tides/gauges*', ...always]],
  ['pages of an account', pageInvalidationPaths, [tides], ['/tides', '/tides?*', '/tides/*', ...always]],
  [
    'pages of whole accounts',
    pageInvalidationPaths,
    wholeAccounts(many(60)),
    ['/tides', '/tides?*', '/tides/*', ...always],
  ],
])('the paths of %s cover them', (_, pathsOf, targets, paths) => {
  expect(pathsOf(targets)).toEqual(paths);
});

test.each(['/tides/gauges', '/tides/gauges/a.csv', '/tides/gauges/a/', '/tides/gauges?path=a.csv'])(
  'the pages of a closed repository cover %s, as the viewer and as the origin see it',
  (page) => {
    const starts = pageInvalidationPaths([place]).filter((path) => path.endsWith('*'));
    expect(starts.some((path) => page.startsWith(path.slice(0, -1)))).toBe(true);
  },
);

/** Creates both distributions, and the function that invalidates their caches. */
function invalidating(hasVirtualHosts = false) {
  const failures: unknown[] = [];
  const time = { now: 1e12 };
  const distribution = (pathsOf: PathsOf) => {
    const state = { begun: [] as (readonly string[])[], started: [] as StartedInvalidation[], isDown: false };
    const recorded = {
      listInvalidations: async () =>
        state.started.map((one) => ({ ...one, isCompleted: one.isCompleted || one.beganAt <= time.now - 20_000 })),
      invalidate: async (paths: readonly string[]) => {
        if (state.isDown) throw new Error('TooManyInvalidationsInProgress');
        state.begun.push(paths);
        state.started.push({ paths, beganAt: time.now, isCompleted: false });
      },
    };
    return { state, cache: { distribution: recorded, pathsOf } };
  };
  const objects = distribution(invalidationPaths(hasVirtualHosts));
  const pages = distribution(pageInvalidationPaths);
  const handler = invalidateCaches.withServices({
    caches: { objects: objects.cache, pages: pages.cache },
    clock: () => time.now,
    log: ({ failure }) => failures.push(failure),
  });
  return { objects: objects.state, pages: pages.state, failures, handler, time };
}

/** Lists an invalidation of other accounts with this many wildcards, which is not completed. */
const inProgress = (wildcards: number, now: number): StartedInvalidation[] => [
  { paths: Array.from({ length: wildcards }, (_, at) => `/other-${at}/*`), beganAt: now, isCompleted: false },
];
/** Lists completed invalidations that other accounts caused, one second apart. */
const completed = (count: number, lastBeganAt: number): StartedInvalidation[] =>
  Array.from({ length: count }, (_, at) => ({
    paths: [`/other-${at}/x/*`],
    beganAt: lastBeganAt - (count - 1 - at) * 1000,
    isCompleted: true,
  }));

const record = (messageId: string, body: string, sentAt = 1e12) =>
  ({ messageId, body, attributes: { SentTimestamp: String(sentAt) } }) as SQSRecord;
const message = (messageId: string, targets: unknown, cache = 'objects', sentAt?: number) =>
  record(messageId, JSON.stringify({ cache, targets }), sentAt);
const failed = (...ids: string[]) => ({ batchItemFailures: ids.map((itemIdentifier) => ({ itemIdentifier })) });

describe('a message of the queue', () => {
  test('causes one invalidation with all collected paths, in the cache that it names', async () => {
    const { handler, objects, pages } = invalidating();
    const Records = [message('1', [place]), message('2', [place, { account_id: 'waves' }])];
    expect(await handler({ Records })).toEqual(failed());
    expect(objects.begun).toEqual([['/tides/gauges*', '/waves/*']]);
    expect(pages.begun).toEqual([]);
    expect(await handler({ Records: [message('3', [place], 'pages')] })).toEqual(failed());
    expect([objects.begun.length, pages.begun.length]).toEqual([1, 1]);
  });

  test('is delivered again while CloudFront refuses its paths, and when the invalidation fails', async () => {
    const { handler, objects, failures, time } = invalidating();
    objects.started = inProgress(15, time.now);
    expect(await handler({ Records: [message('1', [place])] })).toEqual(failed('1'));
    objects.started = inProgress(14, time.now);
    objects.isDown = true;
    expect(await handler({ Records: [message('1', [place])] })).toEqual(failed('1'));
    expect(await handler({ Records: [message('1', 'no list')] })).toEqual(failed('1'));
    expect([objects.begun, failures.length]).toEqual([[], 2]);
  });

  test('that one distribution refuses is not repeated for the other', async () => {
    const { handler, objects, pages } = invalidating();
    const Records = [message('1', [place]), message('2', [place], 'pages')];
    objects.isDown = true;
    expect(await handler({ Records })).toEqual(failed('1'));
    objects.isDown = false;
    expect(await handler({ Records: Records.slice(0, 1) })).toEqual(failed());
    expect([objects.begun.length, pages.begun.length]).toEqual([1, 1]);
  });

  test('is dropped when all cached answers about it have expired', async () => {
    const { handler, objects, time } = invalidating();
    time.now += 300_000;
    objects.started = inProgress(15, time.now);
    expect(await handler({ Records: [message('1', [place])] })).toEqual(failed('1'));
    time.now += 1;
    expect(await handler({ Records: [message('1', [place])] })).toEqual(failed());
    expect(objects.begun).toEqual([]);
  });

  test('names whole accounts after twenty invalidations in an hour, and then one begins every two minutes', async () => {
    const { handler, objects, pages, time } = invalidating();
    const Records = [message('1', many(3)), message('2', [place], 'pages')];
    objects.started = completed(19, time.now);
    await handler({ Records });
    expect(objects.begun.at(-1)).toHaveLength(3);
    objects.started = completed(20, time.now - 119_000);
    expect(await handler({ Records })).toEqual(failed('1'));
    time.now += 1000;
    expect(await handler({ Records })).toEqual(failed());
    expect(objects.begun.at(-1)).toEqual(['/tides/*']);
    // Each distribution counts its own invalidations.
    expect(pages.begun.at(-1)).toEqual(pageInvalidationPaths([place]));
  });

  test.each([
    ['new repositories of its own', false, (at: number) => ({ account_id: 'churn', repository_id: `r-${at}` })],
    ['repositories with the name of the other', true, () => ({ account_id: 'churn', repository_id: 'tides' })],
  ])('of one account begins at once while another account closes %s all hour', async (_, hasVirtualHosts, churnAt) => {
    const { handler, objects, pages, time } = invalidating(hasVirtualHosts);
    for (let at = 0; at < 360; at += 1) {
      time.now += 10_000;
      await handler({
        Records: ['objects', 'pages'].map((cache) => message(`${at} ${cache}`, [churnAt(at)], cache, time.now)),
      });
    }
    expect(objects.begun.filter((paths) => paths.includes('/churn/*')).length).toBeLessThanOrEqual(30);
    time.now += 1000;
    const Records = [message('1', [place], 'objects', time.now), message('2', [place], 'pages', time.now)];
    expect(await handler({ Records })).toEqual(failed());
    expect(objects.begun.at(-1)).toContain('/tides/gauges*');
    expect(pages.begun.at(-1)).toContain('/tides/gauges*');
  });

  test('of an account names it whole after six invalidations, and waits for another account or two minutes', async () => {
    const { handler, objects, time } = invalidating();
    const close = async (id: string, ...targets: InvalidationTarget[]) => {
      time.now += 10_000;
      return handler({ Records: targets.map((target, at) => message(`${id}${at}`, [target], 'objects', time.now)) });
    };
    for (let at = 0; at < 6; at += 1) await close('a', place);
    expect(objects.begun).toEqual(Array.from({ length: 6 }, () => ['/tides/gauges*']));
    expect(await close('b', place)).toEqual(failed('b0'));
    expect(await close('c', place, { account_id: 'waves', repository_id: 'buoys' })).toEqual(failed());
    expect(objects.begun.at(-1)).toEqual(['/waves/buoys*', '/tides/*']);
    time.now += 100_000;
    expect(await close('d', place)).toEqual(failed('d0'));
    expect(await close('e', place)).toEqual(failed());
    expect(objects.begun.at(-1)).toEqual(['/tides/*']);
    time.now += 3_600_000;
    await close('f', place);
    expect(objects.begun.at(-1)).toEqual(['/tides/gauges*']);
  });

  test.each([
    ['all ten every ten seconds', () => accounts(10)],
    ['one every ten seconds', (at: number) => accounts(1, at % 10)],
    ['one every twenty seconds', (at: number) => (at % 2 === 0 ? accounts(1, (at / 2) % 10) : [])],
  ])('of an account begins within two minutes while ten accounts close data: %s', async (_, closedAt) => {
    const { handler, objects, pages, time } = invalidating(true);
    // SQS guarantees no order, so messages of other accounts can always arrive first.
    const newestFirst: typeof handler = ({ Records }) => handler({ Records: Records.toReversed() });
    const queue = startInvalidationQueue(newestFirst, () => time.now);
    let at = 0;
    const passRound = async (...further: InvalidationTarget[]) => {
      time.now += 10_000;
      if (further.length > 0) await queue.send(further);
      for (const { account_id } of closedAt(at)) await queue.send([{ account_id, repository_id: `r-${at}` }]);
      await queue.deliverDue();
      at += 1;
    };
    while (at < 60) await passRound();
    for (let count = pages.begun.length; pages.begun.length === count; ) await passRound();
    const begun = [objects, pages].map((cache) => cache.begun.length);
    await passRound(place);
    for (let round = 0; round < 12; round += 1) await passRound();
    for (const [index, cache] of [objects, pages].entries()) {
      const later = cache.begun.slice(begun[index]).flat();
      expect(later.some((path) => /^\/tides\/(?:gauges)?\*$/.test(path))).toBe(true);
    }
    while (at < 360) await passRound();
    queue.close();
    expect(Math.max(objects.begun.length, pages.begun.length)).toBeLessThanOrEqual(20 + 30);
    const isOwn = /^\/(?:(?:account-\d|tides|gauges|r-\d+)(?:$|\?|\/|@\*$)|-\/search\*$|sitemap\*$|$)/;
    expect([...objects.begun, ...pages.begun].flat().filter((path) => !isOwn.test(path))).toEqual([]);
  });

  const targets = ['"none"', '[{}]'].map((value) => `{"cache":"objects","targets":${value}}`);
  test.each(['{', '[]', ...targets, '{"cache":"objects"}', '{"cache":"none","targets":[]}', ''])(
    'that is %j is delivered again alone',
    async (body) => {
      const { handler, objects } = invalidating();
      expect(await handler({ Records: [record('bad', body), message('good', [place])] })).toEqual(failed('bad'));
      expect(objects.begun).toEqual([['/tides/gauges*']]);
    },
  );

  test('is handled after ten seconds, and again half a minute later', async () => {
    const { handler, objects, pages, time } = invalidating();
    const queue = startInvalidationQueue(handler, () => time.now);
    const at = async (seconds: number) => {
      time.now = 1e12 + seconds * 1000;
      await queue.deliverDue();
      return [objects.begun.length, pages.begun.length];
    };
    await queue.send([place]);
    expect([await at(9), await at(10), await at(39), await at(40)]).toEqual([
      [0, 0],
      [1, 1],
      [1, 1],
      [2, 2],
    ]);
    objects.isDown = true;
    await queue.send([{ account_id: 'waves' }]);
    expect(await at(55)).toEqual([2, 3]);
    objects.isDown = false;
    expect(await at(56)).toEqual([3, 3]);
    queue.close();
  });
});

describe('revocations of some accounts invalidate no other account', () => {
  /**
   * Delivers a batch every ten seconds. An invalidation completes after twenty. Resolves with the paths of both caches.
   */
  async function closeAll(closings: readonly InvalidationTarget[][], hasVirtualHosts = false) {
    const { handler, objects, pages, time } = invalidating(hasVirtualHosts);
    const queue = startInvalidationQueue(handler, () => time.now);
    const rounds = [[0, 0]];
    for (const targets of closings) await queue.send(targets);
    for (let round = 0; round < 12; round += 1) {
      time.now += 10_000;
      rounds.push([objects.begun.length, pages.begun.length]);
      await queue.deliverDue();
    }
    queue.close();
    const [lateObjects, latePages] = rounds[3] ?? [];
    return {
      objects: { begun: objects.begun, late: objects.begun.slice(lateObjects) },
      pages: { begun: pages.begun, late: pages.begun.slice(latePages) },
    };
  }

  test.each([
    ['ten accounts in separate batches', accounts(10).map((target) => [target]), false],
    ['ten accounts in one batch', [accounts(10)], false],
    ['ten accounts with virtual hosts', [accounts(10)], true],
    ['ten whole accounts', [accounts(10).map(({ account_id }) => ({ account_id }))], true],
    [
      'ten accounts with thirty repositories each',
      [accounts(10).flatMap((one) => many(30).map((each) => ({ ...each, account_id: one.account_id })))],
      true,
    ],
  ])('%s', async (_, closings, hasVirtualHosts) => {
    const { objects, pages } = await closeAll(closings, hasVirtualHosts);
    for (const [{ begun, late }, own] of [
      [objects, /^\/(?:account-\d|gauges|r-\d+)(?:\/|@\*$)/],
      [pages, /^\/(?:account-\d(?:$|\?|\/)|-\/search\*$|sitemap\*$|$)/],
    ] as const) {
      expect(begun.flat().filter((path) => !own.test(path))).toEqual([]);
      expect(Math.max(...begun.map(countWildcards))).toBeLessThanOrEqual(15);
      // Every account is invalidated again after the last instance could fill the caches with its data.
      const named = accounts(10).filter(({ account_id }) =>
        late.some((paths) => paths.some((path) => path.startsWith(`/${account_id}/`))),
      );
      expect(named).toHaveLength(10);
    }
  });
});

test('an unreachable queue delays no revocation: the batch succeeds, and lost messages are counted', async () => {
  const appended: (readonly string[])[] = [];
  const lost: number[] = [];
  const consumer = createAccessConsumer({
    feed: { append: async (partitions) => void appended.push(partitions) },
    invalidations: { send: () => Promise.reject(new Error('the queue is down')) },
    endedSessions: { endLeaked: () => Promise.reject(new Error('no key is leaked')) },
    measureLostInvalidations: (targets) => lost.push(targets),
    clock: () => 0,
    log: () => undefined,
  });
  const records = [repository(), { ...repository(), pk: 'REPOSITORY#tides/x', repository_id: 'x' }].map((before) =>
    streamRecord({ before }),
  );
  expect(await consumer(streamEvent(...records))).toEqual({ batchItemFailures: [] });
  expect([appended.length, lost]).toEqual([1, [2]]);
});

test('the invalidation uses the distribution of the parameter, and does nothing without it', async () => {
  const sent: { name: string; input: Record<string, unknown> }[] = [];
  const client = {
    send: async (command: { constructor: { name: string }; input: Record<string, unknown> }) => {
      sent.push({ name: command.constructor.name, input: command.input });
      const ago = (minutes: number) => new Date(1e12 - minutes * 60_000);
      const Items = [
        { Id: 'I1', Status: 'InProgress', CreateTime: ago(1) },
        { Id: 'I2', Status: 'Completed', CreateTime: ago(59) },
        { Id: 'I3', Status: 'Completed', CreateTime: ago(61) },
      ];
      const paths = ['/a', '/a?*', '/a/*'];
      return { InvalidationList: { Items }, Invalidation: { InvalidationBatch: { Paths: { Items: paths } } } };
    },
  };
  let id: string | undefined;
  let looks = 0;
  const readParameter = async () => {
    looks += 1;
    return id;
  };
  const distribution = createDistribution(client as never, '/sluice/data-distribution', readParameter, () => 1e12);
  expect(await distribution.listInvalidations()).toEqual([]);
  await distribution.invalidate(['/*']);
  expect(sent).toEqual([]);
  id = 'E1234';
  const paths = ['/a', '/a?*', '/a/*'];
  for (let round = 0; round < 2; round += 1) {
    expect(await distribution.listInvalidations()).toEqual([
      { paths, beganAt: 1e12 - 60_000, isCompleted: false },
      { paths, beganAt: 1e12 - 59 * 60_000, isCompleted: true },
    ]);
  }
  // The paths of a CloudFront invalidation never change, so each invalidation is read once.
  expect(sent.filter(({ name }) => name === 'GetInvalidationCommand')).toHaveLength(2);
  await distribution.invalidate(['/tides/*']);
  expect(looks).toBe(3);
  expect(sent.at(-1)).toMatchObject({
    name: 'CreateInvalidationCommand',
    input: { DistributionId: 'E1234', InvalidationBatch: { Paths: { Quantity: 1, Items: ['/tides/*'] } } },
  });
});

test('a message causes one signed request to the queue, and a refusal causes a failure', async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKTEST');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  onTestFinished(() => void vi.unstubAllEnvs());
  const requests: (PostOptions & { url: string })[] = [];
  let status = 200;
  const connect = (origin: string) => ({
    host: new URL(origin).host,
    post: async (request: PostOptions) => {
      requests.push({ ...request, url: `${origin}/` });
      return { status, headers: {}, body: '{}' };
    },
    close: () => undefined,
  });
  const queueUrl = 'https://sqs.eu-west-1.amazonaws.com/111122223333/sluice-invalidations';
  const send = createMessageSender(queueUrl, 'eu-west-1', connect);
  await send('{"targets":[]}', 30);
  expect(requests[0]?.url).toBe('https://sqs.eu-west-1.amazonaws.com/');
  expect(JSON.parse(String(requests[0]?.body))).toEqual({
    QueueUrl: queueUrl,
    MessageBody: '{"targets":[]}',
    DelaySeconds: 30,
  });
  expect(requests[0]?.headers).toMatchObject({
    'x-amz-target': 'AmazonSQS.SendMessage',
    authorization: expect.stringContaining('/eu-west-1/sqs/aws4_request'),
  });
  status = 403;
  await expect(send('x', 0)).rejects.toThrow('403');
});
