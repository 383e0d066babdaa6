import { useEffect, useRef, useState } from 'preact/hooks';
import { api, dataOf, type Schemas } from '../api/client.ts';
import { type Problem, problemOf } from '../api/problem.ts';
import { busyWhile } from '../components/once.ts';
import { Minute } from '../components/time.tsx';
import type { Test } from './connection-verdict.ts';
import { takeCreated } from './just-created.ts';

type Check = Schemas['DataConnectionCheck'];

const checkWords: Readonly<Record<Check['check'], string>> = {
  address: 'Its name',
  reach: 'The way to it',
  region: 'Region',
  list: 'Listing',
  write: 'Writing',
  read: 'Reading',
  delete: 'Deleting',
};

const stateLabels: Readonly<Record<Check['state'], string>> = {
  passed: 'Works',
  failed: 'Fails',
  not_tried: 'Not tried',
};

type Access = 'read' | 'read_write';
type Version = string | undefined | Promise<string | undefined>;

/** The state of the connection tests of one page. */
export interface Testing {
  /** The last test and the ETag of the tested version. */
  tested: { test: Test; etag: string | undefined } | undefined;
  problem: Problem | undefined;
  isBusy: boolean;
  run: (access: Access, etag: Version) => Promise<void>;
}

/** Runs connection tests. `run` never throws; errors are in `problem`. */
export function useTesting(data_connection_id: string): Testing {
  const [tested, setTested] = useState<Testing['tested']>();
  const [problem, setProblem] = useState<Problem>();
  const [isBusy, setBusy] = useState(false);
  const run = async (access: Access, etag: Version) => {
    setBusy(true);
    setProblem(undefined);
    try {
      const version = await etag;
      const params = { path: { data_connection_id } };
      const body = { access };
      const test = await dataOf(api.POST('/data-connections/{data_connection_id}/test', { params, body }));
      setTested({ test, etag: version });
    } catch (error) {
      setProblem(problemOf(error));
    } finally {
      setBusy(false);
    }
  };
  return { tested, problem, isBusy, run };
}

interface ConnectionTestProps {
  data_connection_id: string;
  isReadOnly: boolean;
  etag: string | undefined;
  testing: Testing;
  /** The test of the current version. Undefined before the first test and after a change. */
  test: Test | undefined;
  /** True when the connection was changed in this page and not tested since. */
  isChanged: boolean;
}

/** Tests the storage and describes the results. */
export function ConnectionTest({
  data_connection_id,
  isReadOnly,
  etag,
  testing,
  test,
  isChanged,
}: ConnectionTestProps) {
  const { tested, problem, isBusy } = testing;
  const run = (access: Access) => !isBusy && void testing.run(access, etag);
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    if (takeCreated(data_connection_id)) run(isReadOnly ? 'read' : 'read_write');
  }, []);
  // The button may be further down in the page.
  useEffect(() => {
    if (isBusy) section.current?.scrollIntoView({ block: 'nearest' });
  }, [isBusy]);
  return (
    <section class="block" ref={section}>
      <h2>Test</h2>
      <p>
        Asks the storage what it allows, without changing anything. With writing it also writes one small object
        directly below the base prefix, reads it and deletes it.
      </p>
      {isChanged && !isBusy && <p class="notice">{formerOf(tested?.test)}</p>}
      <p class="actions">
        <button type="button" class="button" {...busyWhile(isBusy)} onClick={() => run('read')}>
          Test reading
        </button>
        {!isReadOnly && (
          <button type="button" class="button second" {...busyWhile(isBusy)} onClick={() => run('read_write')}>
            Test reading and writing
          </button>
        )}
      </p>
      <div aria-live="polite" aria-busy={isBusy}>
        {isBusy && <p class="soft">The storage is asked. This takes up to fifteen seconds.</p>}
        {problem !== undefined && (
          <div class="notice problem">
            <p>{problem.message}</p>
          </div>
        )}
        {!isBusy && test !== undefined && <Answer {...test} />}
      </div>
    </section>
  );
}

function formerOf(test: Test | undefined): string {
  if (test === undefined) return 'It was not tested since it was changed. Test it now.';
  const failed = failedIn(test);
  return failed === ''
    ? 'The last test was of the former settings. Test it again.'
    : `The last test was of the former settings, and failed at: ${failed}. Test it again.`;
}

/** Returns the names of the failed checks. */
export function failedIn({ checks }: Test): string {
  return checks
    .filter(({ state }) => state === 'failed')
    .map(({ check }) => checkWords[check] ?? check)
    .join(', ');
}

function Answer({ tested_at, checks }: Test) {
  const failed = checks.filter(({ state }) => state === 'failed').length;
  const told = failed === 0 ? 'Nothing failed.' : failed === 1 ? 'One check failed.' : `${failed} checks failed.`;
  return (
    <>
      <p>
        <strong>{told}</strong>{' '}
        <span class="soft">
          <Minute time={Date.parse(tested_at)} />
        </span>
      </p>
      <div class="table stacked" tabindex={0} role="region" aria-label="What the storage answered">
        <table class="files">
          <thead>
            <tr>
              <th scope="col">Check</th>
              <th scope="col">Result</th>
              <th scope="col">What it means</th>
            </tr>
          </thead>
          <tbody>
            {checks.map(({ check, state, code, message }) => (
              <tr key={check}>
                <td>{checkWords[check] ?? check}</td>
                <td class={`state ${state}`}>
                  {stateLabels[state]}
                  {code !== 'ok' && (
                    <>
                      <br />
                      <code>{code}</code>
                    </>
                  )}
                </td>
                <td>{message}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
