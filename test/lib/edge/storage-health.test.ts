import { expect, test } from 'vitest';
import { StorageHealthReports } from '../../../lib/edge/storage-health.ts';
import { StorageHealthStore } from '../../../lib/store/storage-health.ts';
import { tableOfThisTest } from '../../service/table-of-this-test.ts';

const refused = {
  status: 403,
  body: '<Error><Code>InvalidAccessKeyId</Code><Message>AKIA1 is unknown</Message></Error>',
};
/** The first failure causes two writes: the failure itself, and a mark that it is the first one. */
const firstFailureWrites = 2;
const found = { status: 200, body: '<ListBucketResult/>' };

/** Creates the storage reports of one warm instance. Requests to its table can be made to fail. */
async function warmInstance() {
  const { table, requests, failing } = await tableOfThisTest();
  let now = Date.UTC(2026, 10, 21, 10);
  const store = new StorageHealthStore(table);
  const pending: Promise<void>[] = [];
  const counted = <Args extends unknown[]>(write: (...args: Args) => Promise<void>) => {
    return (...args: Args) => {
      const written = write(...args);
      pending.push(written.catch(() => undefined));
      return written;
    };
  };
  const failures: unknown[] = [];
  const watched = {
    recordFault: counted(store.recordFault.bind(store)),
    recordSuccess: counted(store.recordSuccess.bind(store)),
  };
  const reports = new StorageHealthReports(
    watched,
    () => now,
    (failure) => failures.push(failure),
  );
  return {
    failing,
    failures,
    advance: (seconds: number) => {
      now += seconds * 1000;
    },
    answer: (id: string, answer: { status: number; body: string }) => reports.answered(id, answer),
    /** Returns the number of table writes since the last call. */
    writes: async () => {
      await Promise.all(pending.splice(0));
      return requests.splice(0).filter((name) => name === 'UpdateCommand' || name === 'UpdateItemCommand').length;
    },
    find: (data_connection_id: string) => store.find({ data_connection_id, created_at: '' }),
  };
}

test('an instance writes one failure of a connection in five minutes, without text of the storage', async () => {
  const { answer, advance, writes, find } = await warmInstance();
  for (let request = 0; request < 100; request += 1) answer('one', refused);
  expect(await writes()).toBe(firstFailureWrites);
  const { step, code, ...rest } = (await find('one')) ?? {};
  expect({ step, code }).toEqual({ step: 'list', code: 'credentials_refused' });
  expect(JSON.stringify(rest)).not.toContain('AKIA1');
  advance(299);
  answer('one', refused);
  expect(await writes()).toBe(0);
  advance(1);
  answer('one', refused);
  expect(await writes()).toBe(1);
});

test('an instance writes one success in an hour, and only after a failure', async () => {
  const { answer, advance, writes, find } = await warmInstance();
  answer('one', found);
  expect(await writes()).toBe(0);
  for (let round = 0; round < 10; round += 1) {
    answer('one', refused);
    answer('one', found);
  }
  expect(await writes()).toBe(firstFailureWrites + 1);
  expect(await find('one')).toMatchObject({ worked_at: '2026-11-21T10:00:00.000Z' });
  advance(3600);
  answer('one', found);
  expect(await writes()).toBe(1);
});

test('the first failure after a success starts a new series of failures', async () => {
  const { answer, advance, writes, find } = await warmInstance();
  const since = async () => {
    await writes();
    return (await find('one'))?.failing_since;
  };
  answer('one', refused);
  expect(await since()).toBe('2026-11-21T10:00:00.000Z');
  advance(600);
  answer('one', refused);
  expect(await since()).toBe('2026-11-21T10:00:00.000Z');
  advance(600);
  answer('one', found);
  await writes();
  advance(600);
  answer('one', refused);
  expect(await since()).toBe('2026-11-21T10:30:00.000Z');
});

test('an instance writes at most 20 reports in a minute, for any number of connections', async () => {
  const { answer, advance, writes } = await warmInstance();
  for (let id = 0; id < 100; id += 1) answer(`broken-${id}`, refused);
  expect(await writes()).toBe(20 * firstFailureWrites);
  advance(60);
  answer('broken-99', refused);
  expect(await writes()).toBe(firstFailureWrites);
});

test('an instance reports again after the table refused a report', async () => {
  const { answer, writes, failing, failures, find } = await warmInstance();
  failing.add('UpdateItemCommand').add('UpdateCommand');
  answer('one', refused);
  await writes();
  expect(failures).toHaveLength(1);
  failing.clear();
  answer('one', refused);
  await writes();
  expect(await find('one')).toBeDefined();
});

test.each([
  ['a missing object', 404, 'NoSuchKey'],
  ['a refusal that one request can cause', 403, 'AccessDenied'],
  ['text that is no error document', 500, undefined],
])('an instance writes nothing for %s', async (_, status, code) => {
  const { answer, writes } = await warmInstance();
  answer('one', { status, body: code === undefined ? 'x' : `<Error><Code>${code}</Code></Error>` });
  expect(await writes()).toBe(0);
});
