import { useState } from 'preact/hooks';
import { licenseOf, proposedId } from '../../../lib/pages/site/typed-fields.ts';
import { api, dataOf, onceOnly, type Schemas } from '../api/client.ts';
import { CopyButton } from '../components/copy.tsx';
import { Field, Form } from '../components/form.tsx';
import { LicenceField } from '../components/licence-field.tsx';
import { Loaded, useLoading } from '../components/loaded.tsx';
import { ownAccountId } from '../person.ts';
import { inUseFirst } from '../platform/connection-order.ts';
import { loadPlatformPermissions } from '../platform/permissions.ts';
import { goTo, hrefOf } from '../router.ts';
import type { AccountViewProps } from '../routes.ts';
import { modeHint, modeOptions, modeTerm } from './data-modes.ts';

type Connection = Pick<
  Schemas['DataConnection'],
  'data_connection_id' | 'name' | 'allowed_data_modes' | 'read_only' | 'required_flag'
>;

const docsHref = '/api/v1/docs#createDataConnection';

/** Creates a repository. Shows a choice of storage only if there is more than one. */
export function View({ account: { account_id } }: AccountViewProps) {
  const loading = useLoading<readonly Connection[]>(() => dataOf(api.GET('/data-connections/available')), []);
  return (
    <Loaded loading={loading}>
      {(available) => {
        // A connection without allowed data modes accepts no repositories.
        const connections = inUseFirst(available).filter(({ allowed_data_modes }) => allowed_data_modes.length > 0);
        return connections.length === 0 ? (
          <NoStorage />
        ) : (
          <NewRepository account_id={account_id} connections={connections} />
        );
      }}
    </Loaded>
  );
}

/** Explains the missing storage and the steps for an administrator. */
function NoStorage() {
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
            : `give the account ${own} the flag ${flags.join(' or ')}, which its storage asks for`;
        const request = `Please ${wanted}, so that ${own} can publish at ${location.origin}.`;
        return (
          <div class="notice">
            <p>
              {connections.length === 0
                ? 'No storage is connected to this site yet, so nobody can publish.'
                : 'There is storage here, and you may not use it yet.'}
            </p>
            {may('createDataConnection') ? (
              <p>
                You are an administrator: {wanted}, in the <a href={hrefOf('/administration')}>administration</a>.
              </p>
            ) : (
              <>
                <p>An administrator of this site has to {wanted}. Send them this:</p>
                <p>
                  <q>{request}</q> <CopyButton text={request} label="the request" />
                </p>
              </>
            )}
            <p>
              <a href={docsHref}>What a data connection is</a>
            </p>
          </div>
        );
      }}
    </Loaded>
  );
}

function NewRepository({ account_id, connections }: { account_id: string; connections: readonly Connection[] }) {
  const [first] = connections;
  const [typedId, setTypedId] = useState<string>();
  const [title, setTitle] = useState('');
  const repositoryId = typedId ?? proposedId(title);
  const [description, setDescription] = useState('');
  const [license, setLicense] = useState('');
  const [connectionId, setConnectionId] = useState(first?.data_connection_id ?? '');
  const [chosenMode, setMode] = useState<Schemas['RepositoryDataMode']>('open');
  const [adoptsObjects, setAdoptsObjects] = useState(false);
  const connection = connections.find((each) => each.data_connection_id === connectionId) ?? first;
  const modes = connection?.allowed_data_modes ?? [];
  const mode = modes.includes(chosenMode) ? chosenMode : (modes[0] ?? 'open');
  const create = async () => {
    await dataOf(
      api.POST('/repositories/{account_id}', {
        params: { path: { account_id }, header: onceOnly() },
        body: {
          repository_id: repositoryId,
          data_mode: mode,
          meta: { title, description, tags: '', ...(license === '' ? {} : { license: licenseOf(license) }) },
          data_connection_id: connectionId,
          ...(adoptsObjects ? { adopt_objects: true } : {}),
        },
      }),
    );
    goTo(`/repositories/${account_id}/${repositoryId}`);
  };
  return (
    <>
      <p class="lead">A repository is the place of one data set: its files, who may read them, and what it is about.</p>
      <Form onSubmit={create} submitLabel="Create the repository">
        {(problem) => (
          <>
            <Field
              label="Title"
              name="meta.title"
              value={title}
              onChange={setTitle}
              problem={problem}
              isRequired
              hint="What it is, in a few words."
            />
            <Field
              label="Repository ID"
              name="repository_id"
              value={repositoryId}
              onChange={setTypedId}
              problem={problem}
              isRequired
              isVerbatim
              maxLength={40}
              hint={
                <>
                  Its URL is{' '}
                  <code>
                    {location.host}/{account_id}/{repositoryId || '…'}
                  </code>
                  . 3 to 40 small letters, digits and hyphens; it cannot be changed.
                </>
              }
            />
            <Field
              label="Description"
              name="meta.description"
              value={description}
              onChange={setDescription}
              problem={problem}
              kind="long"
            />
            <LicenceField value={license} onChange={setLicense} problem={problem} />
            <Field
              label={modeTerm}
              name="data_mode"
              value={mode}
              onChange={setMode}
              problem={problem}
              kind="select"
              options={modeOptions(modes)}
              hint={modeHint}
            />
            {connections.length > 1 && (
              <Field
                label="Storage"
                name="data_connection_id"
                value={connectionId}
                onChange={setConnectionId}
                problem={problem}
                kind="select"
                options={connections.map(
                  (each) =>
                    [
                      each.data_connection_id,
                      `${each.name}${each.read_only ? ' (reading only: nobody uploads to it)' : ''}`,
                    ] as const,
                )}
              />
            )}
            {problem?.code === 'adoption_required' && (
              <label class="check">
                <input
                  type="checkbox"
                  name="adopt_objects"
                  checked={adoptsObjects}
                  onChange={({ currentTarget }) => setAdoptsObjects(currentTarget.checked)}
                />
                The files that a deleted repository of this name left may be read by whoever may read this one
              </label>
            )}
          </>
        )}
      </Form>
    </>
  );
}
