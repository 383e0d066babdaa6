import { useState } from 'preact/hooks';
import { basePrefixOf } from '../../../lib/pages/site/typed-fields.ts';
import { api, dataOf } from '../api/client.ts';
import { problemOf } from '../api/problem.ts';
import { useVersionedForm } from '../components/draft.ts';
import { type Ending, Endings } from '../components/endings.tsx';
import { Form } from '../components/form.tsx';
import type { Loading } from '../components/loaded.tsx';
import { notify } from '../components/notices.tsx';
import { useChange } from '../components/stale.tsx';
import { connectionFields, Modes, nameField, placeAtField } from '../platform/connection-form.tsx';
import { goTo } from '../router.ts';
import { storagePath } from './connection-parts.tsx';
import type { OwnProps } from './own.ts';
import { type OwnDraft, ownRequestOf } from './own-draft.ts';
import { AccessChoice, accessFields, bucketFields, kindsOf, ProviderChoice, usageField } from './own-form.tsx';
import { detailsOf } from './providers.ts';
import { RepositoriesOn } from './repositories-on.tsx';
import type { Usage } from './usage.ts';

const shownFields = connectionFields.filter(({ name }) => name !== 'required_flag');

async function put(data_connection_id: string, values: OwnDraft, header: object): Promise<void> {
  const params = { path: { data_connection_id }, header };
  const body = ownRequestOf(values);
  await dataOf(api.PUT('/data-connections/{data_connection_id}', { params, body })).catch(placeAtField);
}

/** Changes the settings of a connection. Its location can change only until a repository is on it. */
export function OwnSettings({ connection, was, read, reload, repositories }: OwnProps) {
  const { draft, setDraft, form, staleDialog } = useVersionedForm({
    ...{ fields: shownFields, was, read, reload },
    normalize: (values: OwnDraft) => ({
      ...values,
      ...detailsOf(values),
      base_prefix: basePrefixOf(values.base_prefix),
    }),
    save: (values, header) => put(connection.data_connection_id, values, header),
  });
  const isPlaced = repositories.length > 0;
  return (
    <section class="block">
      <h3>Settings</h3>
      <p class="soft">
        {isPlaced
          ? 'The bucket, prefix and endpoint cannot change, because repositories are on this storage.'
          : 'After a change of the bucket, prefix or endpoint, test the connection again before you use it.'}
      </p>
      <Form
        {...form}
        summary="Change the settings"
        fields={[
          nameField,
          !isPlaced && <ProviderChoice draft={draft} onChange={setDraft} isStored />,
          ...(isPlaced ? [] : bucketFields(draft)),
          usageField(draft),
          <Modes
            modes={draft.allowed_data_modes}
            onChange={(allowed_data_modes) => setDraft({ ...draft, allowed_data_modes })}
          />,
        ]}
      />
      {staleDialog}
    </section>
  );
}

/** Replaces the access key or the role of a connection. */
export function Credentials({ connection, was, read, reload }: OwnProps) {
  const { authentication_type: stored = 'none' } = connection;
  const [typed, setTyped] = useState<OwnDraft>();
  const { change, staleDialog } = useChange();
  if (stored === 'none' || stored === 's3_assume_role') return null;
  const draft = typed ?? { ...was.values, authentication: stored };
  const save = async (values: OwnDraft, header: object) => {
    await put(connection.data_connection_id, values, header);
    setTyped(undefined);
    await reload();
    notify('The new access is stored. Test the connection now.');
  };
  return (
    <section class="block">
      <h3>Replace credentials</h3>
      <p class="soft">
        {stored === 's3_access_key'
          ? 'Create a second key at the provider and enter it here. Test the connection, and then delete the old key at the provider.'
          : 'After a change of the role, requests to the repositories are refused until the test passes.'}
      </p>
      <Form
        summary="New credentials"
        submitLabel="Replace credentials"
        onSubmit={() =>
          change({ fields: shownFields, was, yours: { ...was.values, ...accessOf(draft) }, read, save, reload })
        }
        values={draft}
        onChange={setTyped}
        fields={[
          <AccessChoice draft={draft} onChange={setTyped} kinds={kindsOf(draft).filter((kind) => kind !== 'none')} />,
          ...accessFields(draft),
        ]}
      />
      {staleDialog}
    </section>
  );
}

function accessOf({ authentication, access_key_id, secret_access_key, aws_account_id, role_name }: OwnDraft) {
  return { authentication, access_key_id, secret_access_key, aws_account_id, role_name };
}

interface OwnEndingsProps extends OwnProps {
  mayManage: boolean;
  usage: Loading<Usage>;
}

/** Shows the actions that make a connection read-only or writable again, and that delete it. */
export function OwnEndings({ mayManage, usage, ...own }: OwnEndingsProps) {
  const { read_only, authentication_type, disabled_by } = own.connection;
  const { makeReadOnly, allowWriting, enable, staleDialog } = useReadOnly(own);
  const isLocked = disabled_by !== undefined;
  return (
    <>
      <Endings
        title="Stop or delete"
        actions={[
          !read_only && {
            sentence: 'Make it read-only to stop all changes of its data. You can allow them again.',
            label: 'Make read-only …',
            confirmation: {
              title: `Make ${own.connection.name} read-only?`,
              action: 'Make read-only',
              stops: [
                'Within one minute, nobody can upload, move or delete files in its repositories.',
                'All its data remains readable.',
              ],
              onConfirm: makeReadOnly,
            },
          },
          mayManage &&
            read_only &&
            !isLocked &&
            authentication_type !== undefined && {
              sentence: 'It is read-only. If you allow writing, test the connection afterwards.',
              label: 'Allow writing again',
              restore: allowWriting,
            },
          // A user who may not manage this connection and still sees this view is an administrator.
          !mayManage &&
            isLocked && {
              sentence: 'An administrator made it read-only. Its owners cannot undo this.',
              label: 'Enable again',
              restore: enable,
            },
          mayManage && !isLocked && deletionOf(own, usage),
        ]}
      />
      {staleDialog}
    </>
  );
}

/** Returns functions that make a connection read-only and writable, and the dialog for a conflicting change. */
function useReadOnly({ connection: { data_connection_id }, was, read, reload }: OwnProps) {
  const { change, staleDialog } = useChange();
  const set = (use: 'yes' | 'no', done: string, send: (values: OwnDraft, header: object) => Promise<unknown>) => {
    const save = async (values: OwnDraft, header: object) => {
      await send(values, header);
      await reload();
      notify(done);
    };
    return change({ fields: shownFields, was, yours: { ...was.values, read_only: use }, read, save, reload });
  };
  return {
    makeReadOnly: () =>
      set('yes', 'The storage is read-only now.', (_, header) => {
        const params = { path: { data_connection_id }, header };
        return dataOf(api.DELETE('/data-connections/{data_connection_id}', { params }));
      }),
    allowWriting: () =>
      set('no', 'Writing is allowed again.', (values, header) => put(data_connection_id, values, header)),
    enable: () =>
      set('no', 'The storage is enabled again.', (_, header) => {
        const params = { path: { data_connection_id }, header };
        return dataOf(api.POST('/data-connections/{data_connection_id}/enable', { params }));
      }),
    staleDialog,
  };
}

/** Returns the deletion of a connection, or the repositories that prevent it. */
function deletionOf({ account_id, connection, repositories }: OwnProps, usage: Loading<Usage>): Ending {
  const { data_connection_id, name } = connection;
  const list = <RepositoriesOn usage={usage} id={data_connection_id} />;
  const label = 'Delete …';
  if (repositories.length > 0) {
    const sentence = 'You can delete this connection when no repository is on it. Delete these repositories first:';
    return { sentence, label, blockedBy: list };
  }
  const remove = async () => {
    try {
      const params = { path: { data_connection_id } };
      const body = { confirm: data_connection_id };
      await dataOf(api.POST('/data-connections/{data_connection_id}/delete', { params, body }));
    } catch (error) {
      // Another user has created a repository on this connection. Reload, so that the dialog lists this repository.
      if (problemOf(error).code === 'wrong_state') await usage.reload();
      throw error;
    }
    goTo(storagePath(account_id));
  };
  return {
    sentence: 'Delete the connection and its stored credentials. Objects remain in the bucket.',
    label,
    confirmation: {
      title: `Delete ${name}?`,
      action: 'Delete connection',
      stops: [
        'No repository of this account can use this bucket until you connect it again.',
        'All objects remain in the bucket.',
      ],
      onConfirm: remove,
      children: list,
    },
  };
}
