import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { ServiceError } from '../../../lib/domain/errors.ts';
import { fitPage } from '../../../lib/domain/list-pages.ts';
import { openEdgeTable } from '../../../lib/local/edge-table.ts';
import type { Item } from '../../../lib/store/keys.ts';
import { Table } from '../../../lib/store/table.ts';
import type { Write } from '../../../lib/store/writes.ts';
import { engineOfThisFile } from '../../service/engine-of-this-file.ts';
import { openStore } from './open-store.ts';

/**
 * Tests the same table with both DynamoDB clients: the SDK for API functions, and our own client for edge functions.
 */
describe.each(['the SDK', 'our own client'])('with the client %s,', (way) => {
  let table: Table;
  beforeAll(async () => {
    const opened = await openStore();
    const atEdge = openEdgeTable(engineOfThisFile(), opened.tableName, undefined);
    table = way === 'the SDK' ? opened.table : atEdge.table;
    await put(
      Array.from({ length: 7 }, (_, index) => ({ pk: 'P', sk: `s${index}`, list_pk: 'L', list_sk: `l${index}` })),
    );
    await put([
      { pk: 'P', sk: 'a0', list_pk: 'M', list_sk: 'l9' },
      { pk: 'P', sk: 'z0' },
      { pk: 'Q', sk: 's3' },
    ]);
  });

  async function put(items: readonly Item[]): Promise<void> {
    await table.transact(items.map((item) => ({ kind: 'put', item })));
  }

  const sortKeys = (items: readonly Item[], name = 'sk') => items.map((item) => item[name]).join(' ');
  const range = { from: 's', to: 't' };

  test.each<[limit: number, after: string | undefined, shown: string, next: string | undefined, newestFirst?: boolean]>(
    [
      [3, undefined, 's0 s1 s2', 's2'],
      [3, 's2', 's3 s4 s5', 's5'],
      [3, 's5', 's6', undefined],
      [7, undefined, 's0 s1 s2 s3 s4 s5 s6', undefined],
      [6, undefined, 's0 s1 s2 s3 s4 s5', 's5'],
      [1, 's5', 's6', undefined],
      [3, 's6', '', undefined],
      [3, 's2-which-is-gone', 's3 s4 s5', 's5'],
      [3, undefined, 's6 s5 s4', 's4', true],
      [3, 's4', 's3 s2 s1', 's1', true],
      [3, 's1', 's0', undefined, true],
      [2, 's2', 's1 s0', undefined, true],
    ],
  )('a page of a partition has its items: %s after %s', async (limit, after, shown, next, newestFirst = false) => {
    const page = await table.partitionPage('P', range, { limit, after, newestFirst });
    expect([sortKeys(page.items), page.next]).toEqual([shown, next]);
    expect(await table.partitionPage('none', range, { limit, after, newestFirst })).toEqual({ items: [] });
  });

  test('a page of an index holds its own partition in the order of the index', async () => {
    const first = await table.listPage('lists', 'L', { limit: 4, after: undefined });
    const rest = await table.listPage('lists', 'L', { limit: 4, after: first.next });
    expect(sortKeys(first.items, 'list_sk')).toBe('l0 l1 l2 l3');
    expect(sortKeys(rest.items, 'list_sk')).toBe('l4 l5 l6');
    expect(rest.next).toBeUndefined();
  });

  describe('a page of an answer', () => {
    const wide = (bytes: number) => ({ text: 'x'.repeat(bytes) });
    const megabyte = 1024 * 1024;

    test.each([
      ['a limit by number', Array.from({ length: 5 }, () => wide(1)), 3, 3],
      ['fewer items than the limit', [wide(1)], 3, 1],
      ['no items', [], 3, 0],
      ['by bytes', Array.from({ length: 9 }, () => wide(megabyte)), 9, 3],
      ['one at least', [wide(5 * megabyte), wide(1)], 9, 1],
    ])('is limited: %s', (_, items, limit, length) => expect(fitPage(items, limit)).toHaveLength(length));
  });

  /**
   * Creates a client with fixed answers. The engine never reports transaction conflicts and never returns unprocessed
   * keys.
   */
  function scripted(answers: readonly (object | Error)[]) {
    const sent: { input: Record<string, unknown> }[] = [];
    const send = async (_name: string, input: object) => {
      const answer = answers[Math.min(sent.length, answers.length - 1)];
      sent.push({ input: { ...input } });
      if (answer instanceof Error) throw answer;
      return answer ?? {};
    };
    return { sent, table: new Table(send, 't') };
  }

  function canceled(...codes: string[]): Error {
    return new TransactionCanceledException({
      $metadata: {},
      message: 'canceled',
      CancellationReasons: codes.map((Code) => ({ Code })),
    });
  }

  describe('a transaction', () => {
    const writes: Write[] = ['first', 'second'].map((name) => ({
      kind: 'put',
      item: { pk: name, sk: name },
      condition: { exists: false },
      refusal: new ServiceError('wrong_state', `${name} is there already`),
    }));

    test('that collides with another is retried', async () => {
      const { sent, table: colliding } = scripted([
        canceled('None', 'TransactionConflict'),
        canceled('ThrottlingError', 'None'),
        {},
      ]);
      await colliding.transact(writes);
      expect(sent).toHaveLength(3);
    });

    test('that always collides is refused as unavailable, not as a failure of the service', async () => {
      vi.useFakeTimers({ toFake: ['setTimeout'] });
      onTestFinished(() => void vi.useRealTimers());
      const { sent, table: colliding } = scripted([canceled('TransactionConflict', 'None')]);
      const refused = expect(colliding.transact(writes)).rejects.toMatchObject({ code: 'unavailable' });
      await vi.runAllTimersAsync();
      await refused;
      expect(sent).toHaveLength(8);
    });

    test.each([
      [['ConditionalCheckFailed', 'None'], 'first'],
      [['None', 'ConditionalCheckFailed'], 'second'],
      [['ConditionalCheckFailed', 'ConditionalCheckFailed'], 'first'],
      [['TransactionConflict', 'ConditionalCheckFailed'], 'second'],
    ])('canceled with %j is refused with the error of the %s write', async (codes, name) => {
      const { sent, table: refusing } = scripted([canceled(...codes)]);
      await expect(refusing.transact(writes)).rejects.toMatchObject({
        code: 'wrong_state',
        message: `${name} is there already`,
      });
      expect(sent).toHaveLength(1);
    });

    test('canceled for another reason fails with the original error', async () => {
      const { table: failing } = scripted([canceled('ValidationError', 'None')]);
      await expect(failing.transact(writes)).rejects.toBeInstanceOf(TransactionCanceledException);
    });

    test('writes all items or none', async () => {
      await put([{ pk: 'second', sk: 'second' }]);
      await expect(table.transact(writes)).rejects.toMatchObject({ message: 'second is there already' });
      expect(await table.get({ pk: 'first', sk: 'first' })).toBeUndefined();
    });
  });

  test.each([
    ['does not respond', Object.assign(new Error('late'), { name: 'TimeoutError' })],
    ['refuses the connection', Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })],
    ['fails', Object.assign(new Error('failed'), { $metadata: { httpStatusCode: 500 } })],
    ['throttles', Object.assign(new Error('busy'), { name: 'ProvisionedThroughputExceededException' })],
  ])('a request is refused as unavailable while the database %s', async (_, cause) => {
    const { table: failing } = scripted([cause]);
    const key = { pk: 'P', sk: 's' };
    const page = { limit: 1, after: undefined };
    for (const request of [
      () => failing.get(key),
      () => failing.getMany([key]),
      () => failing.partitionPage('P', range, page),
      () => failing.transact([{ kind: 'put', item: key }]),
      () => failing.put(key, 1000),
      () => failing.update(key, { set: { a: 1 } }),
      () => failing.delete(key),
    ])
      await expect(request()).rejects.toMatchObject({ code: 'unavailable', cause });
  });

  test('a permanent error stays unchanged', async () => {
    const cause = Object.assign(new Error('invalid'), {
      name: 'ValidationException',
      $metadata: { httpStatusCode: 400 },
    });
    await expect(scripted([cause]).table.get({ pk: 'P', sk: 's' })).rejects.toBe(cause);
  });

  describe('many items at once', () => {
    const key = (name: string) => ({ pk: name, sk: 's' });

    test('are returned in the requested order, with gaps, and twice if requested twice', async () => {
      await put([key('one'), key('two')]);
      const items = await table.getMany([key('two'), key('gone'), key('one'), key('two')]);
      expect(items.map((item) => item?.['pk'])).toEqual(['two', undefined, 'one', 'two']);
      expect(await table.getMany([])).toEqual([]);
    });

    test('may be more than the database takes in one request', async () => {
      const all = Array.from({ length: 230 }, (_, index) => key(`many-${index}`));
      const isThere = (_: unknown, index: number) => index % 50 === 0;
      await put(all.filter(isThere));
      expect(await table.getMany(all)).toEqual(all.map((each, index) => (isThere(each, index) ? each : undefined)));
    });

    test('are requested again if the database did not process them', async () => {
      const { sent, table: partial } = scripted([
        { Responses: { t: [key('two')] }, UnprocessedKeys: { t: { Keys: [key('one'), key('three')] } } },
        { UnprocessedKeys: { t: { Keys: [key('three')] } }, Responses: { t: [key('one')] } },
        { Responses: { t: [key('three')] } },
      ]);
      expect(await partial.getMany([key('one'), key('two'), key('three')])).toEqual([
        key('one'),
        key('two'),
        key('three'),
      ]);
      expect(sent[1]?.input['RequestItems']).toEqual({ t: { Keys: [key('one'), key('three')], ConsistentRead: true } });
      expect(sent).toHaveLength(3);
    });

    test('that stay unprocessed are refused as unavailable, never treated as missing', async () => {
      const { sent, table: stuck } = scripted([{ UnprocessedKeys: { t: { Keys: [key('one')] } } }]);
      await expect(stuck.getMany([key('one')])).rejects.toMatchObject({ code: 'unavailable' });
      expect(sent).toHaveLength(5);
    });
  });

  test('many items are read with a hundred for each request, and a thousand in parallel', async () => {
    let underWay = 0;
    const sizes: number[] = [];
    const underWayMost: number[] = [];
    const send = async (_name: string, input: object) => {
      const { RequestItems } = input as { RequestItems: { t: { Keys: Item[] } } };
      underWay += 1;
      sizes.push(RequestItems.t.Keys.length);
      await Promise.resolve();
      underWayMost.push(underWay);
      underWay -= 1;
      return { Responses: { t: RequestItems.t.Keys } };
    };
    const asking = new Table(send, 't');
    const wanted = Array.from({ length: 1250 }, (_, index) => ({ pk: 'P', sk: String(index) }));
    expect(await asking.getMany([...wanted, { pk: 'P', sk: '0' }])).toEqual([...wanted, { pk: 'P', sk: '0' }]);
    expect(sizes).toEqual([...Array.from({ length: 12 }, () => 100), 50]);
    expect(Math.max(...underWayMost.slice(0, 10))).toBe(10);
    expect(Math.max(...underWayMost)).toBe(10);
  });
});
