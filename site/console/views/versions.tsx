import { useState } from 'preact/hooks';
import { versionsPath } from '../../../lib/pages/site/links.ts';
import { api, dataOf, onceOnly } from '../api/client.ts';
import { atField } from '../api/problem.ts';
import { Form } from '../components/form.tsx';
import { Lines, List, useList } from '../components/list.tsx';
import { notify } from '../components/notices.tsx';
import { hrefOf } from '../router.ts';
import type { RepositoryViewProps } from '../routes.ts';
import type { RepositoryScope } from '../scopes.ts';
import { Freezing, VersionState } from './version-parts.tsx';

/** Shows the versions of a repository, and lets managers create one. */
export function View({ repository: scope }: RepositoryViewProps) {
  const { account_id, repository_id, may } = scope;
  const path = { account_id, repository_id };
  const list = useList(
    (query) => api.GET('/repositories/{account_id}/{repository_id}/versions', { params: { path, query } }),
    [account_id, repository_id],
  );
  return (
    <>
      <p class="lead">
        A version has all files of the repository at one moment, under a name. It never changes, so others can cite it.
      </p>
      {scope.repository.data_mode === 'open' && !scope.repository.disabled && (
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
            cell: ({ name, notes }) => (
              <Lines
                of={[
                  <a href={hrefOf(`/repositories/${account_id}/${repository_id}/versions/${name}`)}>{name}</a>,
                  notes,
                ]}
              />
            ),
          },
          {
            title: 'State',
            class: 'lines',
            cell: (version) =>
              version.state === 'freezing' ? (
                <Freezing path={{ ...path, version_name: version.name }} onEnd={list.reload} />
              ) : (
                <VersionState version={version} />
              ),
          },
          { title: 'DOI', isLabeled: true, cell: ({ doi }) => doi?.doi },
        ]}
        empty="There are no versions. Create one before you publish results that use this data."
      />
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
