import { useEffect, useRef, useState } from 'preact/hooks';
import { api, dataOf, type Schemas } from '../api/client.ts';
import { type Problem, problemOf } from '../api/problem.ts';
import { Button } from '../components/button.tsx';
import { Table } from '../components/list.tsx';
import { busyWhile } from '../components/once.ts';
import { Minute } from '../components/time.tsx';
import type { Test } from './connection-verdict.ts';

type Check = Schemas['DataConnectionCheck'];

export const checkWords: Readonly<Record<Check['check'], string>> = {
  address: 'Name resolution',
  reach: 'Connection',
  region: 'Region',
  role: 'Role',
  list: 'Listing',
  write: 'Writing',
  read: 'Reading',
  delete: 'Deleting',
  control: 'Control of the storage',
};

const stateLabels: Readonly<Record<Check['state'], string>> = {
  passed: 'Passed',
  failed: 'Failed',
  not_tried: 'Not tested',
};

type Access = 'read' | 'read_write';
type Version = string | undefined | Promise<string | undefined>;

/** The state of the connection tests on one page. */
export type Testing = ReturnType<typeof useTesting>;

/** Runs connection tests. `run` never throws; errors are in `problem`. */
export function useTesting(data_connection_id: string) {
  /** The last test, and the ETag of the version that it tested. */
  const [tested, setTested] = useState<{ test: Test; etag: string | undefined }>();
  const [problem, setProblem] = useState<Problem>();
  const [isBusy, setBusy] = useState(false);
  /** @param reload loads the connection again, because the test of a draft changes it, and returns the new ETag */
  const run = async (access: Access, etag: Version, reload?: () => Version) => {
    setBusy(true);
    setProblem(undefined);
    try {
      const version = await etag;
      const params = { path: { data_connection_id } };
      const body = { access };
      const test = await dataOf(api.POST('/data-connections/{data_connection_id}/test', { params, body }));
      setTested({ test, etag: reload === undefined ? version : await reload() });
    } catch (error) {
      setProblem(problemOf(error));
    } finally {
      setBusy(false);
    }
  };
  return { tested, problem, isBusy, run };
}

const created = new Set<string>();

/** Remembers a connection that the user created on this page, so that its first test starts without a click. */
export function rememberCreated(data_connection_id: string): void {
  created.add(data_connection_id);
}

/**
 * Returns true once for a connection that was created in this page. Its first test, which writes to the bucket, then
 * starts without a click.
 * The URL does not carry this state: an attacker could send an administrator a link that starts a test.
 */
function takeCreated(data_connection_id: string): boolean {
  return created.delete(data_connection_id);
}

interface ConnectionTestProps {
  data_connection_id: string;
  isReadOnly: boolean;
  etag: string | undefined;
  testing: Testing;
  /** The test of the connection's current version. Undefined before the first test and after a change. */
  test: Test | undefined;
  /** True when the connection was changed in this page and was not tested since. */
  isChanged: boolean;
}

/** Tests the storage and describes the results. */
export function ConnectionTest(props: ConnectionTestProps) {
  const { data_connection_id, isReadOnly, etag, testing, test, isChanged } = props;
  const { tested, isBusy } = testing;
  const run = (access: Access) => !isBusy && void testing.run(access, etag);
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    if (takeCreated(data_connection_id)) run(isReadOnly ? 'read' : 'read_write');
  }, []);
  // Scroll to this section, because the user may have started the test with a button further down.
  useEffect(() => {
    if (isBusy) section.current?.scrollIntoView({ block: 'nearest' });
  }, [isBusy]);
  const busy = busyWhile(isBusy);
  return (
    <section class="block" ref={section}>
      <h2>Test</h2>
      <p>
        The test of reading changes nothing in the storage. The test of writing also writes one small object directly
        below the base prefix, reads it and deletes it.
      </p>
      {isChanged && !isBusy && <p class="notice">{describeOutdated(tested?.test)}</p>}
      <p class="actions">
        <Button kind="button" label="Test reading" {...busy} onClick={() => run('read')} />
        {!isReadOnly && <Button label="Test reading and writing" {...busy} onClick={() => run('read_write')} />}
      </p>
      <TestOutcome testing={testing} test={test} />
    </section>
  );
}

/** Shows that a test runs, and then its results or the refusal of the request. */
export function TestOutcome({ testing: { problem, isBusy }, test }: Pick<ConnectionTestProps, 'testing' | 'test'>) {
  return (
    <div aria-live="polite" aria-busy={isBusy}>
      {isBusy && <p class="soft">Testing the storage. This takes up to 15 seconds.</p>}
      {problem !== undefined && (
        <div class="notice problem">
          <p>{problem.message}</p>
        </div>
      )}
      {!isBusy && problem === undefined && test !== undefined && <Results {...test} />}
    </div>
  );
}

function describeOutdated(test: Test | undefined): string {
  if (test === undefined) return 'The connection was not tested since its last change. Test it now.';
  const failed = failedIn(test);
  return `The last test used the old settings${failed === '' ? '' : `, and failed at: ${failed}`}. Test the connection again.`;
}

/** Returns the names of the failed checks. */
export function failedIn({ checks }: Test): string {
  return checks
    .filter(({ state }) => state === 'failed')
    .map(({ check }) => checkWords[check] ?? check)
    .join(', ');
}

function Results({ tested_at, checks }: Test) {
  const failed = checks.filter(({ state }) => state === 'failed').length;
  return (
    <>
      <p>
        <strong>
          {failed === 0 ? 'Nothing failed.' : failed === 1 ? 'One check failed.' : `${failed} checks failed.`}
        </strong>{' '}
        <span class="soft">
          <Minute time={Date.parse(tested_at)} />
        </span>
      </p>
      <Table
        label="Test results"
        items={checks}
        columns={[
          { title: 'Check', cell: ({ check }) => checkWords[check] ?? check },
          {
            title: 'Result',
            cell: ({ state }) => <span class={`state ${state}`}>{stateLabels[state]}</span>,
          },
          { title: 'Meaning', cell: ({ message }) => message },
        ]}
      />
    </>
  );
}
