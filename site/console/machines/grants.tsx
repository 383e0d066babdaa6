import { useEffect, useState } from 'preact/hooks';
import { api, dataOf, type Schemas } from '../api/client.ts';
import { atField, Problem } from '../api/problem.ts';
import { Button } from '../components/button.tsx';
import { useConfirm } from '../components/dialogs.tsx';
import { Form } from '../components/form.tsx';
import { type Column, Lines, List, RowSelect, useList } from '../components/list.tsx';
import { useLoading } from '../components/loaded.tsx';
import { notify } from '../components/notices.tsx';
import { endOnce, type ShownField, useRowChange } from '../components/stale.tsx';
import { hrefOf } from '../router.ts';
import { repositoryIdOf } from '../views/account-id.ts';
import { accessLabels, accessOptions } from './access.ts';
import type { MachineScope } from './scope.ts';

type Grant = Schemas['ListedGrant'];
type Access = Schemas['GrantAccess'];

const grantFields: readonly ShownField[] = [
  { name: 'access', label: 'Access', words: (access: Access) => accessLabels[access] },
];

/** A storage location that the service account may use. Examples of client commands contain it. */
export interface Granted {
  s3Uri: string;
  mayWrite: boolean;
}

interface GrantsProps {
  scope: MachineScope;
  /** Reports one granted repository, which the view then uses in examples. Prefers a repository with write access. */
  onShown: (granted: Granted) => void;
}

/** Manages the grants of a service account: which of its owner's repositories it may read or write. */
export function Grants({ scope, onShown }: GrantsProps) {
  const { id, owner, may } = scope;
  const path = { service_account_id: id };
  const { confirm, confirmDialog } = useConfirm();
  const list = useList(
    (query) => api.GET('/service-accounts/{service_account_id}/grants', { params: { path, query } }),
    [id],
  );
  const { changeRow, staleDialog } = useRowChange(list, grantFields, 'repository_id');
  const state = list.state.value;
  useExample(state.kind === 'ready' ? state.value.items : [], owner, onShown);
  const put = (repository_id: string, access: Access) =>
    dataOf(
      api.PUT('/service-accounts/{service_account_id}/grants/{repository_id}', {
        params: { path: { ...path, repository_id } },
        body: { access },
      }),
    );
  const changeAccess = (each: Grant, access: Access) =>
    changeRow(each, { access }, async ({ repository_id, access }) => {
      await put(repository_id, access);
      notify(`${repository_id}: the access is “${accessLabels[access]}” now.`);
      await list.reload();
    });
  const confirmRemoval = ({ repository_id }: Grant) =>
    confirm({
      title: `Remove the grant of ${repository_id}?`,
      action: 'Remove',
      stops: [
        `${id} can no longer write to ${repository_id} within one minute.`,
        'Within five minutes, it can read only open data there.',
      ],
      onConfirm: async () => {
        const params = { path: { ...path, repository_id } };
        await endOnce(dataOf(api.DELETE('/service-accounts/{service_account_id}/grants/{repository_id}', { params })));
        await list.reload();
      },
    });
  return (
    <section class="block">
      <h3>Access</h3>
      <p class="soft">Only the repositories of {owner} in this list. It never has a user's rights.</p>
      {may('putGrant') && <NewGrant owner={owner} put={put} onDone={list.reload} />}
      <List
        list={list}
        label="Grants"
        columns={grantColumns(scope, { onAccess: changeAccess, onRemove: confirmRemoval })}
        empty="It can read only open data. Grant it a repository first."
      />
      {confirmDialog}
      {staleDialog}
    </section>
  );
}

interface GrantActions {
  onAccess: (grant: Grant, access: Access) => Promise<void>;
  onRemove: (grant: Grant) => void;
}

/** Returns the columns of the list. Users who may not change grants see the values without controls. */
function grantColumns({ owner, may }: MachineScope, { onAccess, onRemove }: GrantActions): readonly Column<Grant>[] {
  return [
    {
      title: 'Repository',
      cell: ({ repository_id, repository_title }) => (
        <Lines
          of={[
            <a href={hrefOf(`/repositories/${owner}/${repository_id}`)}>{repository_title || repository_id}</a>,
            repository_id,
          ]}
        />
      ),
    },
    {
      title: 'Access',
      cell: (each) =>
        may('putGrant') ? (
          <RowSelect
            label={`Access to ${each.repository_id}`}
            value={each.access}
            options={accessOptions}
            onChange={(chosen) => void onAccess(each, chosen)}
          />
        ) : (
          accessLabels[each.access]
        ),
    },
    {
      title: 'Actions',
      cell: (each) =>
        may('removeGrant') && (
          <Button
            kind="small"
            label="Remove …"
            of={`the grant of ${each.repository_id}`}
            onClick={() => onRemove(each)}
          />
        ),
    },
  ];
}

/** Reports one granted repository for the examples of the view. Prefers one with write access. */
function useExample(items: readonly Grant[], owner: string, onShown: GrantsProps['onShown']) {
  const { repository_id, access } = items.find((each) => each.access === 'read_write') ?? items[0] ?? {};
  useEffect(
    () =>
      onShown({
        s3Uri: repository_id === undefined ? `s3://${owner}/` : `s3://${owner}/${repository_id}/`,
        mayWrite: access === 'read_write',
      }),
    [repository_id, access],
  );
}

interface NewGrantProps {
  owner: string;
  put: (repository_id: string, access: Access) => Promise<unknown>;
  onDone: () => Promise<void>;
}

/** Adds a grant. The user chooses the repository by its ID or title. */
function NewGrant({ owner, put, onDone }: NewGrantProps) {
  const [values, setValues] = useState({ repository_id: '', access: 'read' as Access });
  const repositories = useRepositories(owner);
  const chosen = repositories.find(({ repository_id }) => repository_id === values.repository_id);
  const grant = async () => {
    const repository_id = repositoryIdOf(values.repository_id, 'repository_id', owner);
    try {
      if (repository_id === '') throw new Problem(404, 'not_found', 'Choose a repository.');
      await put(repository_id, values.access);
    } catch (error) {
      throw atField(error, 'not_found', 'repository_id');
    }
    notify(`${repository_id} is granted.`);
    setValues({ ...values, repository_id: '' });
    await onDone();
  };
  return (
    <Form
      summary="Grant a repository"
      onSubmit={grant}
      submitLabel="Grant"
      values={values}
      onChange={setValues}
      fields={[
        {
          name: 'repository_id',
          label: 'Repository',
          isRequired: true,
          isVerbatim: true,
          suggestions: repositories.map(
            ({ repository_id, meta }) => [repository_id, meta.title || repository_id] as const,
          ),
          hint: chosen === undefined ? 'Type the start of its ID or title, then choose it.' : chosen.meta.title,
        },
        {
          name: 'access',
          label: 'Access',
          options: accessOptions,
          hint: 'Give write access only to software that writes.',
        },
      ]}
    />
  );
}

/**
 * Loads the owner's repositories as suggestions: one page of 1,000, the default limit of an account. The user can also
 * type an ID that is not among them.
 */
function useRepositories(account_id: string): readonly Schemas['Repository'][] {
  const loading = useLoading(
    () => dataOf(api.GET('/repositories/{account_id}', { params: { path: { account_id }, query: { limit: 1000 } } })),
    [account_id],
  );
  const state = loading.state.value;
  return state.kind === 'ready' ? state.value : [];
}
