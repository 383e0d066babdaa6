import { useState } from 'preact/hooks';
import { api, dataOf, type Schemas } from '../api/client.ts';
import { Field, Form } from '../components/form.tsx';
import { notify } from '../components/notices.tsx';
import { useChange, type Version } from '../components/stale.tsx';
import { type Draft, requestOf } from './connection-draft.ts';
import { connectionFields } from './connection-form.tsx';
import { flagLabel, flagOptions, placing } from './connection-labels.ts';
import { type Test, verdictOf } from './connection-verdict.ts';

type Flag = Draft['required_flag'];

interface ConnectionAccessProps {
  connection: Schemas['DataConnection'];
  was: Version<Draft>;
  /** The test of the current version. */
  test: Test | undefined;
  /** The flag that was chosen before the test, to be set after the test passes. */
  meantFor: Flag | undefined;
  read: () => Promise<Version<Draft>>;
  reload: () => Promise<void>;
}

/**
 * Opens a connection to other accounts after its test has passed. After a failed test, it offers to close the
 * connection.
 */
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
    notify(values.required_flag === 'admin' ? 'It is for administrators alone now.' : 'It is open now.');
  };
  const set = (required_flag: Flag) =>
    change({ fields: connectionFields, was, yours: { ...was.values, required_flag }, read, save, reload });
  const form = () => {
    if (!isClosed && verdict === 'failed') {
      return (
        <>
          <div class="notice problem">
            <p>
              <strong>Its test failed, and people can place repositories on it.</strong> They would meet errors. Keep it
              to administrators until it works.
            </p>
          </div>
          <Form onSubmit={() => set('admin')} submitLabel="Administrators only">
            {() => null}
          </Form>
        </>
      );
    }
    if (!isClosed) return null;
    if (verdict !== 'passed') return <p class="notice">{untilThen[verdict]}</p>;
    return (
      <>
        <p>Nothing failed in its test.</p>
        <Form onSubmit={() => set(chosen)} submitLabel="Open it">
          {(problem) => (
            <Field
              label="To whom"
              name="required_flag"
              kind="select"
              value={chosen}
              onChange={setPicked}
              problem={problem}
              options={openedTo}
            />
          )}
        </Form>
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
              Administrators alone so far.
              {meantFor !== undefined && (
                <>
                  {' '}
                  You chose: <strong>{flagLabel(meantFor)}</strong>, once its test passed.
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
  untested: 'Test it. Once it works it can be opened to others here.',
  partly: 'It is for writing too: test reading and writing. Once both work it can be opened to others here.',
  failed: 'The test failed. Fix the settings below and test again; then you can open it to others here.',
} as const;
