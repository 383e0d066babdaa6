import { type Answer, answerOf, api, dataOf, type Schemas } from '../api/client.ts';
import { useConfirm } from '../components/dialogs.tsx';
import { useVersionedForm } from '../components/draft.ts';
import { Check, Form } from '../components/form.tsx';
import { Loaded, useLoading } from '../components/loaded.tsx';
import { KeysThatStop } from '../machines/writing-keys.tsx';
import type { RepositoryViewProps } from '../routes.ts';
import type { RepositoryScope } from '../scopes.ts';

type Settings = Schemas['RepositorySettingsView'];

/** Edits the setting that decides which kinds of credentials may write to the repository. */
export function View({ repository: scope }: RepositoryViewProps) {
  const { account_id, repository_id } = scope;
  const path = { account_id, repository_id };
  const read = () => answerOf(api.GET('/repositories/{account_id}/{repository_id}/settings', { params: { path } }));
  const loading = useLoading(read, [account_id, repository_id]);
  return (
    <Loaded loading={loading}>
      {({ data }) => <WritesForm scope={scope} settings={data} read={read} reload={loading.reload} />}
    </Loaded>
  );
}

interface WritesFormProps {
  scope: RepositoryScope;
  settings: Settings;
  read: () => Promise<Answer<Settings>>;
  reload: () => Promise<void>;
}

const federatedOnly = 'Federated-only writes';
const writesFields = [
  { name: 'federated_only', label: federatedOnly, words: (isOn: boolean) => (isOn ? 'on' : 'off') },
] as const;

function WritesForm({ scope, settings, read, reload }: WritesFormProps) {
  const { account_id, repository_id, etag } = scope;
  const { confirm, confirmDialog } = useConfirm();
  const { was, draft, setDraft, form, bar, staleDialog } = useVersionedForm({
    fields: writesFields,
    // The API uses the repository's ETag for these settings too.
    was: { values: { federated_only: settings.federated_only }, etag },
    read: async () => {
      const { data, etag } = await read();
      return { values: { federated_only: data.federated_only }, etag };
    },
    reload: () => Promise.all([reload(), scope.reload()]),
    save(body, header) {
      const params = { path: { account_id, repository_id }, header };
      return dataOf(api.PATCH('/repositories/{account_id}/{repository_id}/settings', { params, body }));
    },
  });
  const load = async () => {
    const { data } = await read();
    const keys = data.writing_keys.map(({ kind, name, service_account_id, access_key_id, last_used_at }) => ({
      name,
      of: service_account_id ?? access_key_id ?? '',
      last_used_at: kind === 'api_key' ? undefined : last_used_at,
    }));
    return { keys, hasMore: data.has_more };
  };
  const submit = async () => {
    if (!draft.federated_only || was.values.federated_only) return form.onSubmit();
    confirm({
      title: `Let only users and workflows write to ${scope.title}?`,
      action: 'Turn on',
      onConfirm: form.onSubmit,
      stops: [
        'Within one minute, these keys can no longer write here, nor can links that they signed.',
        'The own API keys of members, which are not listed, can no longer write either.',
        'All of them can still read. Users who sign in and trusted workflows can still write.',
      ],
      children: <KeysThatStop load={load} />,
    });
    return false;
  };
  return (
    <>
      <Form {...form} onSubmit={submit} bar={bar}>
        <Check
          name="federated_only"
          label={federatedOnly}
          hint="Only users who sign in and trusted workflows can write. Keys can only read."
          isChecked={draft.federated_only}
          onChange={(federated_only) => setDraft({ federated_only })}
        />
      </Form>
      {confirmDialog}
      {staleDialog}
    </>
  );
}
