import { useEffect, useState } from 'preact/hooks';
import { answerOf, api, dataOf, pageQuery, type Schemas } from '../api/client.ts';
import { atField, Problem } from '../api/problem.ts';
import { DestructiveDialog } from '../components/dialogs.tsx';
import { Field, Form } from '../components/form.tsx';
import { List, useList } from '../components/list.tsx';
import { useLoading } from '../components/loaded.tsx';
import { notify, notifyRefusal } from '../components/notices.tsx';
import { endOnce, type ShownField, useChange } from '../components/stale.tsx';
import { hrefOf } from '../router.ts';
import { repositoryIdOf } from '../views/account-id.ts';
import { accessLabels, accessOptions } from './access.ts';
import type { MachineScope } from './scope.ts';

type Grant = Schemas['ListedGrant'];
type Access = Schemas['GrantAccess'];

const grantFields: readonly ShownField[] = [
  { name: 'access', label: 'Access', words: (access: Access) => accessLabels[access] },
];

/** A granted location, for examples. */
export interface Granted {
  s3Uri: string;
  mayWrite: boolean;
}

interface GrantsProps {
  scope: MachineScope;
  /** Reports one granted repository for examples, if possible one with write access. */
  onShown: (granted: Granted) => void;
}

/** Manages the grants of a service account to its owner's repositories. */
export function Grants({ scope, onShown }: GrantsProps) {
  const { id, owner, may } = scope;
  const [removing, setRemoving] = useState<Grant>();
  const list = useList(
    (cursor) =>
      answerOf(
        api.GET('/service-accounts/{service_account_id}/grants', {
          params: { path: { service_account_id: id }, query: pageQuery(cursor) },
        }),
      ),
    [id],
  );
  const state = list.state.value;
  const items = state.kind === 'ready' ? state.value.items : [];
  const { repository_id: example, access } = items.find((each) => each.access === 'read_write') ?? items[0] ?? {};
  useEffect(
    () =>
      onShown({
        s3Uri: example === undefined ? `s3://${owner}/` : `s3://${owner}/${example}/`,
        mayWrite: access === 'read_write',
      }),
    [example, access],
  );
  const put = (repository_id: string, access: Access) =>
    dataOf(
      api.PUT('/service-accounts/{service_account_id}/grants/{repository_id}', {
        params: { path: { service_account_id: id, repository_id } },
        body: { access },
      }),
    );
  const { change, staleDialog } = useChange();
  const changeAccess = async (each: Grant, access: Access) => {
    const { repository_id } = each;
    const save = async (values: Grant) => {
      await put(repository_id, values.access);
      notify(`${repository_id}: ${accessLabels[values.access].toLowerCase()} from now on.`);
      await list.reload();
    };
    try {
      const read = async () => ({ values: await list.reread(each, (other) => other.repository_id === repository_id) });
      const yours = { ...each, access };
      await change({ fields: grantFields, was: { values: each }, yours, read, save, reload: list.reload });
    } catch (error) {
      notifyRefusal(error);
      await list.reload();
    }
  };
  const remove = async ({ repository_id }: Grant) => {
    const params = { path: { service_account_id: id, repository_id } };
    await endOnce(dataOf(api.DELETE('/service-accounts/{service_account_id}/grants/{repository_id}', { params })));
    await list.reload();
  };
  const row = (each: Grant) => (
    <>
      <td>
        <a href={hrefOf(`/repositories/${owner}/${each.repository_id}`)}>
          {each.repository_title || each.repository_id}
        </a>
        <br />
        <span class="soft">{each.repository_id}</span>
      </td>
      <td>
        {may('putGrant') ? (
          <select
            aria-label={`Access to ${each.repository_id}`}
            value={each.access}
            onChange={({ currentTarget }) => void changeAccess(each, currentTarget.value as Access)}
          >
            {accessOptions.map(([value, words]) => (
              <option key={value} value={value} selected={value === each.access}>
                {words}
              </option>
            ))}
          </select>
        ) : (
          accessLabels[each.access]
        )}
      </td>
      <td>
        {may('removeGrant') && (
          <button
            type="button"
            class="small"
            aria-label={`Remove the grant of ${each.repository_id}`}
            onClick={() => setRemoving(each)}
          >
            Remove
          </button>
        )}
      </td>
    </>
  );
  return (
    <section class="block">
      <h3>What it reaches</h3>
      <p class="soft">Repositories of {owner}, one by one. It never has the rights of a person.</p>
      {may('putGrant') && <NewGrant owner={owner} put={put} onDone={list.reload} />}
      <List
        list={list}
        label="Grants"
        columns={['Repository', 'Access', 'End']}
        row={row}
        empty={<p>It reaches nothing yet but what everybody reads. Grant it a repository first.</p>}
      />
      {removing !== undefined && (
        <DestructiveDialog
          title={`Remove the grant of ${removing.repository_id}?`}
          action="Remove"
          onClose={() => setRemoving(undefined)}
          stops={[
            `${id} writes nothing there any more within a minute.`,
            'It reads there what everybody reads, within five minutes.',
          ]}
          onConfirm={() => remove(removing)}
        />
      )}
      {staleDialog}
    </section>
  );
}

interface NewGrantProps {
  owner: string;
  put: (repository_id: string, access: Access) => Promise<unknown>;
  onDone: () => Promise<void>;
}

/** Adds a grant. The user finds the repository by its ID or title. */
function NewGrant({ owner, put, onDone }: NewGrantProps) {
  const [repositoryId, setRepositoryId] = useState('');
  const [access, setAccess] = useState<Access>('read');
  const repositories = useRepositories(owner);
  const chosen = repositories.find(({ repository_id }) => repository_id === repositoryId);
  const grant = async () => {
    const repository_id = repositoryIdOf(repositoryId, 'repository_id', owner);
    try {
      if (repository_id === '') throw new Problem(404, 'not_found', 'Choose a repository.');
      await put(repository_id, access);
    } catch (error) {
      throw atField(error, 'not_found', 'repository_id');
    }
    notify(`${repository_id} is granted.`);
    setRepositoryId('');
    await onDone();
  };
  return (
    <details class="create">
      <summary>Grant a repository</summary>
      <Form onSubmit={grant} submitLabel="Grant">
        {(problem) => (
          <>
            <Field
              label="Repository"
              name="repository_id"
              value={repositoryId}
              onChange={setRepositoryId}
              problem={problem}
              isRequired
              isVerbatim
              suggestions={repositories.map(
                ({ repository_id, meta }) => [repository_id, meta.title || repository_id] as const,
              )}
              hint={chosen === undefined ? 'Begin to type its ID or its title, and choose.' : chosen.meta.title}
            />
            <Field
              label="Access"
              name="access"
              value={access}
              onChange={setAccess}
              problem={problem}
              kind="select"
              options={accessOptions}
              hint="A job that only reads should not be able to write."
            />
          </>
        )}
      </Form>
    </details>
  );
}

/**
 * Loads the owner's repositories: one page of 1,000, the default limit of an account. Other repositories can be typed
 * by ID.
 */
function useRepositories(account_id: string): readonly Schemas['Repository'][] {
  const loading = useLoading(
    () => dataOf(api.GET('/repositories/{account_id}', { params: { path: { account_id }, query: { limit: 1000 } } })),
    [account_id],
  );
  const state = loading.state.value;
  return state.kind === 'ready' ? state.value : [];
}
