import { useState } from 'preact/hooks';
import { api, dataOf, type Schemas } from '../api/client.ts';
import { Form } from '../components/form.tsx';
import { notify } from '../components/notices.tsx';
import { useChange, type Version } from '../components/stale.tsx';
import { type Draft, requestOf } from './connection-draft.ts';
import { connectionFields, flagLabel, flagOptions, placing } from './connection-form.tsx';
import { type Test, verdictOf } from './connection-verdict.ts';

type Flag = Draft['required_flag'];

interface ConnectionAccessProps {
  connection: Schemas['DataConnection'];
  was: Version<Draft>;
  /** The test of the current version. */
  test: Test | undefined;
  /** The required flag that the user chose. The page saves it only after the connection test has passed. */
  meantFor: Flag | undefined;
  read: () => Promise<Version<Draft>>;
  reload: () => Promise<void>;
}

/** Opens a connection to other accounts after its test has passed. Offers to close it after a failed test. */
export function ConnectionAccess({ connection, was, test, meantFor, read, reload }: ConnectionAccessProps) {
  const { data_connection_id, read_only, required_flag } = connection;
  const [picked, setPicked] = useState<Flag>();
  const chosen = picked ?? meantFor ?? '';
  const { change, staleDialog } = useChange();
  const verdict = verdictOf(test, read_only);
  const isClosed = required_flag === 'admin';
  const save = async (values: Draft, header: object) => {
    const params = { path: { data_connection_id }, header };
    await dataOf(api.PUT('/data-connections/{data_connection_id}', { params, body: requestOf(values) }));
    await reload();
    notify(values.required_flag === 'admin' ? 'Only administrators can create repositories on it now.' : 'Saved.');
  };
  const set = (required_flag: Flag) =>
    change({ fields: connectionFields, was, yours: { ...was.values, required_flag }, read, save, reload });
  const form = () => {
    if (!isClosed && verdict === 'failed') {
      return (
        <>
          <div class="notice problem">
            <p>
              <strong>The test failed, and other users can create repositories on it.</strong> Uploads may fail.
              Restrict it to administrators until the test passes.
            </p>
          </div>
          <Form onSubmit={() => set('admin')} submitLabel="Administrators only" />
        </>
      );
    }
    if (!isClosed) return null;
    if (verdict !== 'passed') return <p class="notice">{untilThen[verdict]}</p>;
    return (
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
    );
  };
  const shown = form();
  return (
    <>
      {shown !== null && (
        <section class="block">
          <h2>{placing}</h2>
          {isClosed && (
            <p>
              Only administrators so far.
              {meantFor !== undefined && (
                <>
                  {' '}
                  Your choice for after the test: <strong>{flagLabel(meantFor)}</strong>.
                </>
              )}
            </p>
          )}
          {shown}
        </section>
      )}
      {staleDialog}
    </>
  );
}

const openedTo = flagOptions.filter(([flag]) => flag !== 'admin');

const untilThen = {
  untested: 'Test the connection first. When the test passes, you can open it to others here.',
  partly: 'The connection is writable: test reading and writing. When both work, you can open it to others here.',
  failed: 'The test failed. Fix the settings below and test again. Then you can open it to others here.',
} as const;
