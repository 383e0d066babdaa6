import type { SQSRecord } from 'aws-lambda';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { handler as forgetClosedData } from '../../../functions/streams/forget-closed-data.ts';
import {
  type ClosedPlace,
  closedPlaceOf,
  invalidationPaths,
  pageInvalidationPaths,
} from '../../../lib/domain/changes/closed-places.ts';
import type { PostOptions } from '../../../lib/lambda/aws/post.ts';
import { createMessageSender } from '../../../lib/lambda/aws/sqs.ts';
import { createDistributionKeeper } from '../../../lib/lambda/stream-consumers/closings.ts';
import { startInvalidationQueue } from '../../../lib/local/invalidation-queue.ts';
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

describe('what a change closed', () => {
  test.each<[string, object | undefined, object | undefined, ClosedPlace | undefined]>([
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
    ['a grant that is gone', { entity: 'grant', account_id: 'tides' }, undefined, undefined],
  ])('%s', (_, before, after, closed) => {
    expect(closedPlaceOf({ before: before as never, after: after as never })).toEqual(closed);
  });
});

describe('the paths to forget', () => {
  test.each<[string, ClosedPlace[], boolean, string[]]>([
    ['of a repository', [place, place], false, ['/tides/gauges/*']],
    ['of a repository, with virtual hosts', [place], true, ['/tides/gauges/*', '/gauges/*']],
    ['of an account', [{ account_id: 'tides' }], false, ['/tides/*']],
    ['of an account, with virtual hosts', [{ account_id: 'tides' }, place], true, ['/*']],
    ['of five', many(5), false, many(5).map(({ repository_id }) => `/tides/${repository_id}/*`)],
    ['of more than CloudFront has under way', many(6), false, ['/*']],
    ['of more, with virtual hosts', many(3), true, ['/*']],
  ])('%s', (_, places, hasVirtualHosts, paths) => {
    expect(invalidationPaths(places, hasVirtualHosts)).toEqual(paths);
  });
});

describe('the pages to forget', () => {
  const always = ['/', '/-/search*', '/sitemap*'];
  test.each<[string, ClosedPlace[], string[]]>([
    ['of a repository', [place, place], ['/tides', '/tides?*', '/tides/gauges*', ...always]],
    ['of an account', [{ account_id: 'tides' }], ['/tides', '/tides?*', '/tides/*', ...always]],
    ['of more than CloudFront has under way', many(3), ['/*']],
  ])('%s', (_, places, paths) => {
    expect(pageInvalidationPaths(places)).toEqual(paths);
  });
});

function many(count: number): { account_id: string; repository_id: string }[] {
  return Array.from({ length: count }, (_, at) => ({ account_id: 'tides', repository_id: `r-${at}` }));
}

/** Both distributions, and the function that tells them. */
function forgetting(hasVirtualHosts = false) {
  const failures: unknown[] = [];
  const distribution = (pathsOf: (places: readonly ClosedPlace[]) => readonly string[]) => {
    const state = { told: [] as (readonly string[])[], inProgress: 0, inLastHour: 0, isDown: false };
    const keeper = {
      countInvalidations: async () => ({ inProgress: state.inProgress, inLastHour: state.inLastHour }),
      invalidate: async (paths: readonly string[]) => {
        if (state.isDown) throw new Error('TooManyInvalidationsInProgress');
        state.told.push(paths);
      },
    };
    return { state, keeping: { keeper, pathsOf } };
  };
  const objects = distribution((places) => invalidationPaths(places, hasVirtualHosts));
  const pages = distribution(pageInvalidationPaths);
  const handler = forgetClosedData.withServices({
    keepers: { objects: objects.keeping, pages: pages.keeping },
    log: ({ failure }) => failures.push(failure),
  });
  return { objects: objects.state, pages: pages.state, failures, handler };
}

const message = (messageId: string, places: unknown, keeper = 'objects') =>
  ({ messageId, body: JSON.stringify({ keeper, places }) }) as SQSRecord;

describe('a message of what closed', () => {
  test('is told with all that was gathered, to the one that it is for', async () => {
    const { handler, objects, pages } = forgetting();
    const Records = [message('1', [place]), message('2', [place, { account_id: 'waves' }])];
    expect(await handler({ Records })).toEqual({ batchItemFailures: [] });
    expect(objects.told).toEqual([['/tides/gauges/*', '/waves/*']]);
    expect(pages.told).toEqual([]);
    expect(await handler({ Records: [message('3', [place], 'pages')] })).toEqual({ batchItemFailures: [] });
    expect([objects.told.length, pages.told.length]).toEqual([1, 1]);
  });

  test('comes again while three are under way, and when it fails', async () => {
    const { handler, objects, failures } = forgetting();
    const again = { batchItemFailures: [{ itemIdentifier: '1' }] };
    objects.inProgress = 3;
    expect(await handler({ Records: [message('1', [place])] })).toEqual(again);
    objects.inProgress = 2;
    objects.isDown = true;
    expect(await handler({ Records: [message('1', [place])] })).toEqual(again);
    expect(await handler({ Records: [message('1', 'no list')] })).toEqual(again);
    expect([objects.told, failures.length]).toEqual([[], 2]);
  });

  test('that one distribution refuses is not told to the other again', async () => {
    const { handler, objects, pages } = forgetting();
    const Records = [message('1', [place]), message('2', [place], 'pages')];
    objects.isDown = true;
    const { batchItemFailures } = await handler({ Records });
    expect(batchItemFailures).toEqual([{ itemIdentifier: '1' }]);
    objects.isDown = false;
    const again = Records.filter(({ messageId }) => batchItemFailures.some((one) => one.itemIdentifier === messageId));
    expect(await handler({ Records: again })).toEqual({ batchItemFailures: [] });
    expect([objects.told.length, pages.told.length]).toEqual([1, 1]);
  });

  test('of a release that had one for all is told to each, and comes again once however many refuse it', async () => {
    const { handler, objects, pages } = forgetting();
    const Records = [{ messageId: '1', body: JSON.stringify({ places: [place] }) } as SQSRecord];
    expect(await handler({ Records })).toEqual({ batchItemFailures: [] });
    expect([objects.told, pages.told]).toEqual([[['/tides/gauges/*']], [pageInvalidationPaths([place])]]);
    objects.isDown = true;
    pages.isDown = true;
    expect(await handler({ Records })).toEqual({ batchItemFailures: [{ itemIdentifier: '1' }] });
  });

  test('costs one path after twenty in an hour, however many places there are', async () => {
    const { handler, objects, pages } = forgetting();
    const Records = [message('1', many(3)), message('2', [place], 'pages')];
    Object.assign(objects, { inLastHour: 19 });
    await handler({ Records });
    expect(objects.told.at(-1)).toHaveLength(3);
    Object.assign(objects, { inLastHour: 20 });
    await handler({ Records });
    expect(objects.told.at(-1)).toEqual(['/*']);
    // Each counts its own.
    expect(pages.told.at(-1)).toEqual(pageInvalidationPaths([place]));
  });

  test.each([
    '{',
    '[]',
    '{"keeper":"objects","places":"none"}',
    '{"keeper":"objects","places":[{}]}',
    '{"keeper":"objects"}',
    '{"keeper":"nobody","places":[]}',
    '',
  ])('that is %j comes again alone', async (body) => {
    const { handler, objects } = forgetting();
    const Records = [{ messageId: 'bad', body } as SQSRecord, message('good', [place])];
    expect(await handler({ Records })).toEqual({ batchItemFailures: [{ itemIdentifier: 'bad' }] });
    expect(objects.told).toEqual([['/tides/gauges/*']]);
  });

  test('is told after ten seconds, and once more half a minute later', async () => {
    let now = 1e12;
    const { handler, objects, pages } = forgetting();
    const queue = startInvalidationQueue(handler, () => now);
    const at = async (seconds: number) => {
      now = 1e12 + seconds * 1000;
      await queue.deliverDue();
      return [objects.told.length, pages.told.length];
    };
    await queue.announce([place]);
    expect([await at(9), await at(10), await at(39), await at(40)]).toEqual([
      [0, 0],
      [1, 1],
      [1, 1],
      [2, 2],
    ]);
    objects.isDown = true;
    await queue.announce([{ account_id: 'waves' }]);
    expect(await at(55)).toEqual([2, 3]);
    objects.isDown = false;
    expect(await at(56)).toEqual([3, 3]);
    queue.close();
  });
});

test('a queue that cannot be reached holds up no revocation: the batch is done, and what is lost is counted', async () => {
  const appended: (readonly string[])[] = [];
  const lost: number[] = [];
  const lane = createAccessConsumer({
    feed: { append: async (partitions) => void appended.push(partitions) },
    closings: { announce: () => Promise.reject(new Error('the queue is down')) },
    measureLostClosings: (places) => lost.push(places),
    clock: () => 0,
    log: () => undefined,
  });
  const records = [repository(), { ...repository(), pk: 'REPOSITORY#tides/x', repository_id: 'x' }].map((before) =>
    streamRecord({ before }),
  );
  expect(await lane(streamEvent(...records))).toEqual({ batchItemFailures: [] });
  expect([appended.length, lost]).toEqual([1, [2]]);
});

test('the distribution is the one that the parameter names, looked up once; without it there is nothing to forget', async () => {
  const sent: { name: string; input: Record<string, unknown> }[] = [];
  const client = {
    send: async (command: { constructor: { name: string }; input: Record<string, unknown> }) => {
      sent.push({ name: command.constructor.name, input: command.input });
      const ago = (minutes: number) => new Date(1e12 - minutes * 60_000);
      const Items = [
        { Status: 'InProgress', CreateTime: ago(1) },
        { Status: 'Completed', CreateTime: ago(59) },
        { Status: 'Completed', CreateTime: ago(61) },
      ];
      return { InvalidationList: { Items } };
    },
  };
  let id: string | undefined;
  let looks = 0;
  const readParameter = async () => {
    looks += 1;
    return id;
  };
  const keeper = createDistributionKeeper(client as never, '/sluice/data-distribution', readParameter, () => 1e12);
  expect(await keeper.countInvalidations()).toEqual({ inProgress: 0, inLastHour: 0 });
  await keeper.invalidate(['/*']);
  expect(sent).toEqual([]);
  id = 'E1234';
  expect(await keeper.countInvalidations()).toEqual({ inProgress: 1, inLastHour: 2 });
  await keeper.invalidate(['/tides/*']);
  expect(looks).toBe(3);
  expect(sent.at(-1)).toMatchObject({
    name: 'CreateInvalidationCommand',
    input: { DistributionId: 'E1234', InvalidationBatch: { Paths: { Quantity: 1, Items: ['/tides/*'] } } },
  });
});

test('a message is one signed request to the queue, and one that was not taken is a failure', async () => {
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
  const queueUrl = 'https://sqs.eu-west-1.amazonaws.com/111122223333/sluice-closings';
  const send = createMessageSender(queueUrl, 'eu-west-1', connect);
  await send('{"places":[]}', 30);
  expect(requests[0]?.url).toBe('https://sqs.eu-west-1.amazonaws.com/');
  expect(JSON.parse(String(requests[0]?.body))).toEqual({
    QueueUrl: queueUrl,
    MessageBody: '{"places":[]}',
    DelaySeconds: 30,
  });
  expect(requests[0]?.headers).toMatchObject({
    'x-amz-target': 'AmazonSQS.SendMessage',
    authorization: expect.stringContaining('/eu-west-1/sqs/aws4_request'),
  });
  status = 403;
  await expect(send('x', 0)).rejects.toThrow('403');
});
