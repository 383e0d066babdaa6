import { useState } from 'preact/hooks';
import { api, dataOf, type Schemas } from '../api/client.ts';
import { Form } from '../components/form.tsx';
import { notify } from '../components/notices.tsx';
import { useChange, type Version } from '../components/stale.tsx';
import { type Draft, requestOf } from './connection-draft.ts';
import { connectionFields, flagLabel, flagOptions, placing } from './connection-form.tsx';
import { type Test, type Verdict, verdictOf } from './connection-verdict.ts';

type Flag = Draft['required_flag'];

interface ConnectionAccessProps {
  connection: Schemas['DataConnection'];
  was: Version<Draft>;
  /** The test of the connection's current version. Undefined if this version was not tested. */
  test: Test | undefined;
  /** The required flag that the user chose. The page saves it only after the connection test has passed. */
  meantFor: Flag | undefined;
  read: () => Promise<Version<Draft>>;
  reload: () => Promise<void>;
}

/**
 * Lets an administrator open a connection to other accounts after a passed test. After a failed test, offers to
 * restrict the connection to administrators.
 */
export function ConnectionAccess({ connection, was, test, meantFor, read, reload }: ConnectionAccessProps) {
  const { data_connection_id, read_only, required_flag } = connection;
  const { change, staleDialog } = useChange();
  const verdict = verdictOf(test, read_only);
  const save = async (values: Draft, header: object) => {
    const params = { path: { data_connection_id }, header };
    await dataOf(api.PUT('/data-connections/{data_connection_id}', { params, body: requestOf(values) }));
    await reload();
    notify(values.required_flag === 'admin' ? 'Only administrators can create repositories on it now.' : 'Saved.');
  };
  const set = (required_flag: Flag) =>
    change({ fields: connectionFields, was, yours: { ...was.values, required_flag }, read, save, reload });
  const isClosed = required_flag === 'admin';
  return (
    <>
      {(isClosed || verdict === 'failed') && (
        <section class="block">
          <h2>{placing}</h2>
          {isClosed ? <Opening verdict={verdict} meantFor={meantFor} set={set} /> : <FailedOpen set={set} />}
        </section>
      )}
      {staleDialog}
    </>
  );
}

interface SetProps {
  set: (flag: Flag) => Promise<unknown>;
}

interface OpeningProps extends SetProps, Pick<ConnectionAccessProps, 'meantFor'> {
  verdict: Verdict;
}

/**
 * Shows the controls that open a connection to other accounts. Until then, only administrators can use the connection.
 */
function Opening({ verdict, meantFor, set }: OpeningProps) {
  const [picked, setPicked] = useState<Flag>();
  const chosen = picked ?? meantFor ?? '';
  return (
    <>
      <p>
        Only administrators so far.
        {meantFor !== undefined && (
          <>
            {' '}
            Your choice for after the test: <strong>{flagLabel(meantFor)}</strong>.
          </>
        )}
      </p>
      {verdict !== 'passed' ? (
        <p class="notice">{untilThen[verdict]}</p>
      ) : (
        <>
          <p>The test passed.</p>
          <Form
            onSubmit={() => set(chosen)}
            submitLabel="Allow"
            values={{ required_flag: chosen }}
            onChange={({ required_flag }) => setPicked(required_flag)}
            fields={[{ name: 'required_flag', label: 'Who', options: openedTo }]}
          />
        </>
      )}
    </>
  );
}

/**
 * Warns that other accounts can use a connection whose test failed. Shows a button that restricts it to administrators.
 */
function FailedOpen({ set }: SetProps) {
  return (
    <>
      <div class="notice problem">
        <p>
          <strong>The test failed, and other users can create repositories on it.</strong> Uploads may fail. Restrict it
          to administrators until the test passes.
        </p>
      </div>
      <Form onSubmit={() => set('admin')} submitLabel="Administrators only" />
    </>
  );
}

const openedTo = flagOptions.filter(([flag]) => flag !== 'admin');

const untilThen = {
  untested: 'Test the connection first. When the test passes, you can open it to others here.',
  partly: 'The connection is writable: test reading and writing. When both work, you can open it to others here.',
  failed: 'The test failed. Fix the settings below and test again. Then you can open it to others here.',
} as const;
