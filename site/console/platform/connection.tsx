import { useState } from 'preact/hooks';
import { basePrefixOf } from '../../../lib/pages/site/typed-fields.ts';
import { answerOf, api, dataOf, type Schemas } from '../api/client.ts';
import { useDraft } from '../components/draft.ts';
import { Endings } from '../components/endings.tsx';
import { Properties } from '../components/list.tsx';
import { Loaded, useLoading } from '../components/loaded.tsx';
import { notify } from '../components/notices.tsx';
import { useChange, type Version } from '../components/stale.tsx';
import { goTo } from '../router.ts';
import type { ViewProps } from '../routes.ts';
import { connectionPath, StorageHealth } from '../storage/connection-parts.tsx';
import { texts } from '../texts.ts';
import { ConnectionAccess } from './connection-access.tsx';
import { type Draft, draftOf, requestOf } from './connection-draft.ts';
import {
  ConnectionForm,
  connectionFields,
  flagLabel,
  flagOptions,
  listedModes,
  placeAtField,
  placing,
  usageLabels,
} from './connection-form.tsx';
import { ConnectionTest, useTesting } from './connection-test.tsx';
import { opensTo, type Test, verdictOfDraft } from './connection-verdict.ts';
import { type OpenAnswer, OpenDialog } from './open-dialog.tsx';
import { loadPlatformPermissions, type May } from './permissions.ts';

type Connection = Schemas['DataConnection'];

interface Shown {
  connection: Connection;
  etag: string | undefined;
  may: May;
}

/** Shows one data connection: its settings, its tests, its access, and its changes. */
export function View({ parameters: { data_connection_id = '' }, query }: ViewProps) {
  const loading = useLoading<Shown>(async () => {
    const [{ connection, etag }, may] = await Promise.all([load(data_connection_id), loadPlatformPermissions()]);
    const { owner_account_id } = connection;
    if (owner_account_id !== undefined) goTo(connectionPath(owner_account_id, data_connection_id), { replace: true });
    return { connection, etag, may };
  }, [data_connection_id]);
  const testing = useTesting(data_connection_id);
  const [meantFor, setMeantFor] = useState(() => flagOf(query.get('opens')));
  const [isSaved, setSaved] = useState(false);
  const reload = async () => {
    setSaved(true);
    await loading.reload();
  };
  return (
    <Loaded loading={loading}>
      {({ connection, etag, may }) => {
        // A test result is valid only for the version of the connection that was tested.
        const test = testing.tested?.etag === etag ? testing.tested?.test : undefined;
        const was = { values: draftOf(connection), etag };
        const testFirst: EditingProps['onTestFirst'] = (access, chosen) => {
          setMeantFor(chosen);
          const stored = readVersion(data_connection_id);
          void testing.run(
            access,
            stored.then(({ etag }) => etag),
          );
        };
        const changed = { connection, was, read: () => readVersion(data_connection_id), reload };
        return (
          <>
            <h2>{connection.name}</h2>
            <StorageHealth {...connection} />
            <ConnectionProperties connection={connection} />
            {may('testDataConnection') && (
              <ConnectionTest
                data_connection_id={data_connection_id}
                isReadOnly={connection.read_only}
                etag={etag}
                testing={testing}
                test={test}
                isChanged={isSaved && test === undefined}
              />
            )}
            {may('updateDataConnection') && (
              <>
                <ConnectionAccess {...changed} test={test} meantFor={meantFor} />
                <Editing {...changed} test={test} onTestFirst={testFirst} />
              </>
            )}
            {may('disableDataConnection') && !connection.read_only && <ReadOnlyEnding {...changed} />}
          </>
        );
      }}
    </Loaded>
  );
}

function flagOf(text: string | null): Draft['required_flag'] | undefined {
  return flagOptions.find(([flag]) => flag === text && flag !== 'admin')?.[0];
}

interface Changed {
  connection: Connection;
  was: Version<Draft>;
  read: () => Promise<Version<Draft>>;
  reload: () => Promise<void>;
}

/** Loads a connection without its credentials. Administrators receive them, but this view does not use them. */
async function load(data_connection_id: string): Promise<Omit<Shown, 'may'>> {
  const { data, etag } = await answerOf(
    api.GET('/data-connections/{data_connection_id}', { params: { path: { data_connection_id } } }),
  );
  const { authentication: _, ...connection } = data;
  return { connection, etag };
}

function ConnectionProperties({ connection }: { connection: Connection }) {
  const { data_connection_id, details, read_only, allowed_data_modes, required_flag } = connection;
  return (
    <Properties
      rows={[
        ['Connection ID', <code>{data_connection_id}</code>],
        ['Storage', `${details.endpoint ?? 'Amazon S3'}, ${details.region}`],
        ['Bucket and base prefix', <code>{`${details.bucket}/${details.base_prefix}`}</code>],
        ['Use', `${usageLabels(read_only ? 'yes' : 'no')}: ${listedModes(allowed_data_modes)}`],
        [placing, flagLabel(required_flag)],
      ]}
    />
  );
}

interface EditingProps extends Changed {
  test: Test | undefined;
  /** Tests the saved version. The page saves the chosen flag only after the test has passed. */
  onTestFirst: (access: 'read' | 'read_write', chosen: Draft['required_flag']) => void;
}

function Editing({ connection, was: now, read, reload: load, test, onTestFirst }: EditingProps) {
  const { was, draft, setDraft, reload, times } = useDraft(now, load);
  const [asking, setAsking] = useState<{ answer: (answer: OpenAnswer) => void }>();
  const { change, staleDialog } = useChange();
  const { data_connection_id } = connection;
  const save = async (values: Draft, header: object) => {
    const params = { path: { data_connection_id }, header };
    const body = requestOf(values);
    await dataOf(api.PUT('/data-connections/{data_connection_id}', { params, body })).catch(placeAtField);
    await reload();
    notify(texts.saved);
  };
  const wanted = { ...draft, base_prefix: basePrefixOf(draft.base_prefix) };
  const verdict = verdictOfDraft(test, now.values, wanted);
  const asUsual = { fields: connectionFields, was, read, reload };
  const submit = async () => {
    const isAsked = opensTo(was.values.required_flag, wanted.required_flag) && verdict !== 'passed';
    const answer = isAsked ? await new Promise<OpenAnswer>((answer) => setAsking({ answer })) : 'open';
    setAsking(undefined);
    if (answer === 'open') return change({ ...asUsual, yours: wanted, save });
    return answer === 'test' && testFirst();
  };
  /** Saves the draft with the old flag, so that access does not change before the test. */
  const testFirst = async () => {
    const yours = { ...wanted, required_flag: was.values.required_flag };
    const test = () => onTestFirst(yours.read_only === 'yes' ? 'read' : 'read_write', wanted.required_flag);
    if (isAsStored(yours)) {
      test();
      return true;
    }
    const saveAndTest = async (values: Draft, header: object) => {
      await save(values, header);
      test();
    };
    return change({ ...asUsual, yours, save: saveAndTest });
  };
  const isAsStored = (values: Draft) => JSON.stringify(values) === JSON.stringify(was.values);
  return (
    <section class="block">
      <h2>Settings</h2>
      <p class="soft">You cannot change the bucket, prefixes and endpoint of a connection that has repositories.</p>
      <ConnectionForm key={times} draft={draft} onChange={setDraft} submitLabel="Save" onSubmit={submit} isStored />
      {asking !== undefined && (
        <OpenDialog
          name={connection.name}
          verdict={verdict}
          test={test}
          savesMore={!isAsStored({ ...wanted, required_flag: was.values.required_flag })}
          onAnswer={asking.answer}
        />
      )}
      {staleDialog}
    </section>
  );
}

async function readVersion(data_connection_id: string): Promise<Version<Draft>> {
  const { connection, etag } = await load(data_connection_id);
  return { values: draftOf(connection), etag };
}

function ReadOnlyEnding({ connection, was, read, reload }: Changed) {
  const { data_connection_id } = connection;
  const { change, staleDialog } = useChange();
  const yours: Draft = { ...was.values, read_only: 'yes' };
  const save = async (_: Draft, header: object) => {
    const params = { path: { data_connection_id }, header };
    await dataOf(api.DELETE('/data-connections/{data_connection_id}', { params }));
    await reload();
    notify('The connection is read-only now.');
  };
  return (
    <>
      <Endings
        title="Stop writing"
        actions={[
          {
            sentence:
              'A connection cannot be deleted, because its repositories remain. To prevent new repositories, clear all options of “Allowed visibility” above.',
            label: 'Make read-only …',
            confirmation: {
              title: `Make ${connection.name} read-only?`,
              action: 'Make read-only',
              onConfirm: () => change({ fields: connectionFields, was, yours, read, save, reload }),
              stops: [
                'Nobody can upload, move or delete files in its repositories within one minute.',
                'All its data remains readable. New repositories are possible, but nobody can upload to them.',
                'You can allow writing again in the settings.',
              ],
            },
          },
        ]}
      />
      {staleDialog}
    </>
  );
}
