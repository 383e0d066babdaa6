import { useEffect, useState } from 'preact/hooks';
import { counted, formatBytes } from '../../../lib/pages/site/format.ts';
import { repositoryPath, versionsPath } from '../../../lib/pages/site/links.ts';
import { api, dataOf, onceOnly, type Schemas } from '../api/client.ts';
import { atField } from '../api/problem.ts';
import { Button } from '../components/button.tsx';
import { CopyButton } from '../components/copy.tsx';
import { Dialog } from '../components/dialogs.tsx';
import { Form } from '../components/form.tsx';
import { Lines, List, useList } from '../components/list.tsx';
import { notify } from '../components/notices.tsx';
import { Minute } from '../components/time.tsx';
import type { RepositoryViewProps } from '../routes.ts';
import type { RepositoryScope } from '../scopes.ts';

type Version = Schemas['Version'];
type Progress = Schemas['FreezeProgress'];

const progressEveryMs = 5000;

/** Shows the versions of a repository, and lets managers create and withdraw them. */
export function View({ repository: scope }: RepositoryViewProps) {
  const { account_id, repository_id, may, data } = scope;
  const path = { account_id, repository_id };
  const [withdrawn, withdraw] = useState<Version>();
  const list = useList(
    (query) => api.GET('/repositories/{account_id}/{repository_id}/versions', { params: { path, query } }),
    [account_id, repository_id],
  );
  const isPublic = scope.repository.data_mode === 'open' && !scope.repository.disabled;
  return (
    <>
      <p class="lead">
        A version has all files of the repository at one moment, under a name. It never changes, so others can cite it.
      </p>
      {isPublic && (
        <p class="soft">
          Readers see <a href={versionsPath(path)}>all versions and their differences</a> on the public page.
        </p>
      )}
      {may('createVersion') && <NewVersion scope={scope} onDone={list.reload} />}
      <List
        list={list}
        label="Versions"
        columns={[
          {
            title: 'Version',
            cell: ({ name, notes, state }) => (
              <Lines
                of={[
                  isPublic && (state === 'ready' || state === 'withdrawn') ? (
                    <a href={repositoryPath({ ...path, shownVersion: { name } })}>{name}</a>
                  ) : (
                    name
                  ),
                  notes,
                ]}
              />
            ),
          },
          {
            title: 'State',
            class: 'lines',
            cell: (version) => <State version={version} path={path} onEnd={list.reload} />,
          },
          {
            title: 'S3 URI',
            cell: ({ name, state }) => {
              const uri = `${data.s3_uri.replace(/\/$/, '')}@${name}/`;
              return state === 'ready' && <UriOf uri={uri} name={name} />;
            },
          },
          {
            title: 'Actions',
            cell: (version) =>
              may('withdrawVersion') &&
              version.state === 'ready' && (
                <Button kind="small" label="Withdraw …" of={version.name} onClick={() => withdraw(version)} />
              ),
          },
        ]}
        empty="There are no versions. Create one before you publish results that use this data."
      />
      {withdrawn && (
        <WithdrawDialog
          path={{ ...path, version_name: withdrawn.name }}
          onClose={() => withdraw(undefined)}
          onDone={list.reload}
        />
      )}
    </>
  );
}

function UriOf({ uri, name }: { uri: string; name: string }) {
  return (
    <>
      <code>{uri}</code> <CopyButton text={uri} label={`the S3 URI of ${name}`} />
    </>
  );
}

const newVersion = { name: '', notes: '' };

function NewVersion({ scope, onDone }: { scope: RepositoryScope; onDone: () => Promise<void> }) {
  const { account_id, repository_id } = scope;
  const [values, setValues] = useState(newVersion);
  const create = async () => {
    const params = { path: { account_id, repository_id }, header: onceOnly() };
    const body = { name: values.name.trim(), notes: values.notes.trim() };
    const call = dataOf(api.POST('/repositories/{account_id}/{repository_id}/versions', { params, body }));
    await call.catch((error) => {
      throw atField(error, 'version_name_taken', 'name');
    });
    notify('The version is being created. Uploads can go on meanwhile.');
    setValues(newVersion);
    await onDone();
  };
  return (
    <Form
      summary="Create a version"
      onSubmit={create}
      submitLabel="Create version"
      values={values}
      onChange={setValues}
      fields={[
        {
          name: 'name',
          label: 'Name',
          isRequired: true,
          isVerbatim: true,
          maxLength: 63,
          hint: 'For example 2026-08 or v1.0. Lower-case letters, digits, “.”, “_”, and “-”. A name is never used again.',
        },
        {
          name: 'notes',
          label: 'Notes',
          kind: 'long',
          maxLength: 2000,
          hint: 'Readers see what is in this version, or what has changed. Optional.',
        },
      ]}
    />
  );
}

type Path = { account_id: string; repository_id: string };

function State({ version, path, onEnd }: { version: Version; path: Path; onEnd: () => Promise<void> }) {
  const { state, name, created_at, frozen_at, keys = 0, bytes = 0, failure, withdrawal } = version;
  if (state === 'freezing') return <Freezing path={{ ...path, version_name: name }} onEnd={onEnd} />;
  const created = <Minute time={Date.parse(frozen_at ?? created_at)} />;
  if (state === 'failed') return <Lines of={[<span class="badge over">failed</span>, failure?.message, created]} />;
  const size = `${counted(keys, 'file')}, ${formatBytes(bytes)}`;
  if (state === 'ready') return <Lines of={[<span class="badge live">ready</span>, size, created]} />;
  return (
    <Lines
      of={[
        <span class="badge over">withdrawn</span>,
        withdrawal?.reason,
        <Minute time={Date.parse(withdrawal?.withdrawn_at ?? '')} />,
      ]}
    />
  );
}

/** Reads the progress of a freeze every few seconds while the view is open. */
function Freezing({ path, onEnd }: { path: Path & { version_name: string }; onEnd: () => Promise<void> }) {
  const [progress, setProgress] = useState<Progress>();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    let isGone = false;
    const read = async () => {
      const call = api.GET('/repositories/{account_id}/{repository_id}/versions/{version_name}', { params: { path } });
      // After a failed request, the next one follows at the same time.
      const version = await dataOf(call).catch(() => undefined);
      if (isGone) return;
      if (version !== undefined && version.state !== 'freezing') return onEnd();
      if (version !== undefined) setProgress(version.progress);
      timer = setTimeout(read, progressEveryMs);
    };
    void read();
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [path.account_id, path.repository_id, path.version_name]);
  return (
    <div role="status">
      <Lines of={[<span class="badge">in progress</span>, ...describeProgress(progress)]} />
    </div>
  );
}

function describeProgress(progress: Progress | undefined): string[] {
  if (progress === undefined || progress.stored_versions === 0) return ['waiting for the storage'];
  const { keys, bytes, seconds_left } = progress;
  const found = `${counted(keys, 'file')}, ${formatBytes(bytes)} so far`;
  return seconds_left === undefined ? [found] : [found, describeTimeLeft(seconds_left)];
}

function describeTimeLeft(seconds: number): string {
  if (seconds < 60) return 'less than a minute left';
  return `about ${counted(Math.round(seconds / 60), 'minute')} left`;
}

interface WithdrawDialogProps {
  path: Path & { version_name: string };
  onClose: () => void;
  onDone: () => Promise<void>;
}

function WithdrawDialog({ path, onClose, onDone }: WithdrawDialogProps) {
  const [values, setValues] = useState({ reason: '' });
  const withdraw = async () => {
    const call = api.POST('/repositories/{account_id}/{repository_id}/versions/{version_name}/withdraw', {
      params: { path },
      body: { reason: values.reason.trim() },
    });
    await dataOf(call);
    notify(`The version ${path.version_name} is withdrawn.`);
    onClose();
    await onDone();
  };
  return (
    <Dialog title={`Withdraw the version ${path.version_name}?`} onClose={onClose}>
      <ul class="stops">
        <li>Nobody can read its files any more, and nobody can undo this.</li>
        <li>Its page remains, with the reason and the date, so that citations still lead somewhere.</li>
        <li>The files stay in the storage, and cost money until a lifecycle rule removes them.</li>
      </ul>
      <Form
        onSubmit={withdraw}
        submitLabel="Withdraw"
        onCancel={onClose}
        isDanger
        isDisabled={values.reason.trim() === ''}
        values={values}
        onChange={setValues}
        fields={[
          {
            name: 'reason',
            label: 'Reason',
            kind: 'long',
            isRequired: true,
            maxLength: 1000,
            hint: 'Everybody who may read the repository sees it.',
          },
        ]}
      />
    </Dialog>
  );
}
