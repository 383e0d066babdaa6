import { useState } from 'preact/hooks';
import { licenseOf, proposedId } from '../../../lib/pages/site/typed-fields.ts';
import { api, dataOf, onceOnly, type Schemas } from '../api/client.ts';
import { CopyButton } from '../components/copy.tsx';
import { Form, useProblem } from '../components/form.tsx';
import { LicenseField } from '../components/license-field.tsx';
import { Loaded, useLoading } from '../components/loaded.tsx';
import { inUseFirst } from '../platform/connection-order.ts';
import { loadPlatformPermissions } from '../platform/permissions.ts';
import { goTo, hrefOf } from '../router.ts';
import type { AccountViewProps } from '../routes.ts';
import { ownAccountId } from '../signed-in-user.ts';
import { connectPath } from '../storage/connection-parts.tsx';
import { flagNames } from './account-flags.ts';
import { modeHint, modeOptions, modeTerm } from './data-modes.ts';

type Connection = Pick<
  Schemas['DataConnection'],
  'data_connection_id' | 'name' | 'allowed_data_modes' | 'read_only' | 'owner_account_id'
>;

const docsHref = '/api/v1/docs#createDataConnection';

/** Creates a repository. Shows a select for the storage only if several storages are available. */
export function View({ account: { account_id, may }, query }: AccountViewProps) {
  const loading = useLoading<readonly Connection[]>(() => {
    const params = { query: { account_id } };
    return dataOf(api.GET('/data-connections/available', { params }));
  }, [account_id]);
  return (
    <Loaded loading={loading}>
      {(available) => {
        // Omit a connection without allowed data modes, because it accepts no new repositories.
        const connections = inUseFirst(available).filter(({ allowed_data_modes }) => allowed_data_modes.length > 0);
        return connections.length === 0 ? (
          <NoStorage account_id={account_id} mayConnect={may('createAccountDataConnection')} />
        ) : (
          <NewRepository account_id={account_id} connections={connections} chosen={query.get('storage')} />
        );
      }}
    </Loaded>
  );
}

interface NoStorageProps {
  account_id: string;
  mayConnect: boolean;
}

/** Explains that no storage is available yet, and what the user or an administrator can do. */
function NoStorage({ account_id, mayConnect }: NoStorageProps) {
  const own = ownAccountId() ?? '';
  const loading = useLoading(
    () => Promise.all([dataOf(api.GET('/data-connections')), loadPlatformPermissions()] as const),
    [own],
  );
  return (
    <Loaded loading={loading}>
      {([connections, may]) => {
        const flags = [...new Set(connections.flatMap(({ required_flag }) => required_flag ?? []))];
        const wanted =
          flags.length === 0
            ? 'connect a storage for repositories'
            : `give the account ${own} the flag “${flags.map((flag) => flagNames[flag]).join('” or “')}”, which the storage requires`;
        const request = `Please ${wanted}, so that ${own} can publish at ${location.origin}.`;
        return (
          <div class="notice">
            <p>
              {connections.length === 0
                ? 'No storage is connected to this site yet, so nobody can publish.'
                : 'You may not use the storage of this site yet.'}
            </p>
            {mayConnect && (
              <p>
                <a href={hrefOf(connectPath(account_id))}>Connect storage of your own</a> to keep the data in your own
                bucket.
              </p>
            )}
            {may('createDataConnection') ? (
              <p>
                You are an administrator: {wanted}, in the <a href={hrefOf('/administration')}>administration</a>.
              </p>
            ) : (
              <>
                <p>An administrator of this site must {wanted}. Send them this request:</p>
                <p>
                  <q>{request}</q> <CopyButton text={request} label="the request" />
                </p>
              </>
            )}
            <p>
              <a href={docsHref}>About data connections</a>
            </p>
          </div>
        );
      }}
    </Loaded>
  );
}

/**
 * Holds the values of the form. Proposes a repository ID from the title, and a data mode that the chosen storage
 * allows.
 */
function useDraft(connections: readonly Connection[], chosen: string | null) {
  const first = connections.find(({ data_connection_id }) => data_connection_id === chosen) ?? connections[0];
  const [typed, setTyped] = useState({
    title: '',
    repository_id: undefined as string | undefined,
    description: '',
    license: '',
    data_mode: 'open' as Schemas['RepositoryDataMode'],
    data_connection_id: first?.data_connection_id ?? '',
  });
  const connection = connections.find((each) => each.data_connection_id === typed.data_connection_id) ?? first;
  const modes = connection?.allowed_data_modes ?? [];
  const repository_id = typed.repository_id ?? proposedId(typed.title);
  const data_mode = modes.includes(typed.data_mode) ? typed.data_mode : (modes[0] ?? 'open');
  const values = { ...typed, repository_id, data_mode };
  const change = (next: typeof values) =>
    // While the user has not typed an ID, change the proposed ID together with the title.
    setTyped(next.repository_id === repository_id ? { ...next, repository_id: typed.repository_id } : next);
  return { values, change, modes };
}

interface NewRepositoryProps {
  account_id: string;
  connections: readonly Connection[];
  /** The ID of the connection that is selected at first. */
  chosen: string | null;
}

function NewRepository({ account_id, connections, chosen }: NewRepositoryProps) {
  const { values, change, modes } = useDraft(connections, chosen);
  const { repository_id } = values;
  const [adoptsObjects, setAdoptsObjects] = useState(false);
  const create = async () => {
    const { title, description, license, data_mode, data_connection_id } = values;
    await dataOf(
      api.POST('/repositories/{account_id}', {
        params: { path: { account_id }, header: onceOnly() },
        body: {
          repository_id,
          data_mode,
          meta: { title, description, tags: '', ...(license === '' ? {} : { license: licenseOf(license) }) },
          data_connection_id,
          ...(adoptsObjects ? { adopt_objects: true } : {}),
        },
      }),
    );
    goTo(`/repositories/${account_id}/${repository_id}`);
  };
  return (
    <>
      <p class="lead">A repository holds one data set: its files, its description, and who can read it.</p>
      <Form
        onSubmit={create}
        submitLabel="Create repository"
        values={values}
        onChange={change}
        fields={[
          { name: 'title', path: 'meta.title', label: 'Title', isRequired: true, hint: 'A few words about the data.' },
          {
            name: 'repository_id',
            label: 'Repository ID',
            isRequired: true,
            isVerbatim: true,
            maxLength: 40,
            hint: (
              <>
                Its URL is <code>{`${location.host}/${account_id}/${repository_id || '…'}`}</code>. 3 to 40 lowercase
                letters, digits and hyphens. You cannot change it later.
              </>
            ),
          },
          { name: 'description', path: 'meta.description', label: 'Description', kind: 'long' },
          <LicenseField value={values.license} onChange={(license) => change({ ...values, license })} />,
          { name: 'data_mode', label: modeTerm, options: modeOptions(modes), hint: modeHint },
          connections.length > 1 && {
            name: 'data_connection_id',
            label: 'Storage',
            options: connections.map((each) => [each.data_connection_id, describeStorage(each)] as const),
            hint: 'You cannot change it later.',
          },
          <Adoption isChosen={adoptsObjects} onChange={setAdoptsObjects} />,
        ]}
      />
    </>
  );
}

function describeStorage({ name, owner_account_id, read_only }: Connection): string {
  const facts = [owner_account_id !== undefined && 'storage of this account', read_only && 'read-only: no uploads'];
  const shown = facts.filter(Boolean).join(', ');
  return shown === '' ? name : `${name} (${shown})`;
}

/**
 * Asks the user to take over existing files, if the storage still has files of a deleted repository with the same ID.
 */
function Adoption({ isChosen, onChange }: { isChosen: boolean; onChange: (isChosen: boolean) => void }) {
  if (useProblem()?.code !== 'adoption_required') return null;
  return (
    <label class="check">
      <input
        type="checkbox"
        name="adopt_objects"
        checked={isChosen}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      Include the files of the deleted repository with this ID. Readers of the new repository can read them.
    </label>
  );
}
