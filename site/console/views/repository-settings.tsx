import { type Answer, answerOf, api, dataOf, type Schemas } from '../api/client.ts';
import { useConfirm } from '../components/dialogs.tsx';
import { useVersionedForm } from '../components/draft.ts';
import { Check, Form } from '../components/form.tsx';
import { LicenceField } from '../components/licence-field.tsx';
import { Loaded, useLoading } from '../components/loaded.tsx';
import { KeysThatStop } from '../machines/writing-keys.tsx';
import type { RepositoryViewProps } from '../routes.ts';
import type { RepositoryScope } from '../scopes.ts';
import { stateHint, stateTerm } from './data-modes.ts';
import { RepositoryEndings } from './repository-endings.tsx';
import {
  metaFields,
  normalizedValues,
  optionalFields,
  orderField,
  type RepositoryValues,
  stateOptions,
  storedRepository,
} from './repository-version.ts';

/** Shows the forms for a repository's metadata, its access settings, and its deletion. */
export function View({ repository }: RepositoryViewProps) {
  return (
    <>
      {repository.may('updateRepository') && <MetaForm scope={repository} />}
      {repository.may('updateRepositorySettings') && <Writes scope={repository} />}
      {repository.may('featureRepository') && <FrontPageForm scope={repository} />}
      <RepositoryEndings scope={repository} />
    </>
  );
}

type Settings = Schemas['RepositorySettingsView'];

/** Edits the setting that decides which kinds of credentials may write to the repository. */
function Writes({ scope }: { scope: RepositoryScope }) {
  const { account_id, repository_id } = scope;
  const path = { account_id, repository_id };
  const read = () => answerOf(api.GET('/repositories/{account_id}/{repository_id}/settings', { params: { path } }));
  const loading = useLoading(read, [account_id, repository_id]);
  return (
    <section class="block" id="writes">
      <h3>Writes</h3>
      <Loaded loading={loading}>
        {({ data }) => <WritesForm scope={scope} settings={data} read={read} reload={loading.reload} />}
      </Loaded>
    </section>
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
  const { was, draft, setDraft, form, staleDialog } = useVersionedForm({
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
      <Form {...form} onSubmit={submit} submitLabel="Apply">
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

/** Edits the order of the repository among the featured ones, for administrators. */
function FrontPageForm({ scope }: { scope: RepositoryScope }) {
  const { account_id, repository_id } = scope;
  const { form, staleDialog } = useVersionedForm({
    ...storedRepository(scope),
    save({ featured }, header) {
      const body = { order: Number(featured) };
      return dataOf(
        api.PUT('/repositories/{account_id}/{repository_id}/featured', {
          params: { path: { account_id, repository_id }, header },
          body,
        }),
      );
    },
  });
  return (
    <section class="block" id="featured">
      <h3>Front page</h3>
      <p class="soft">
        Up to 12 open repositories appear first on the front page, which follows a change within minutes.
      </p>
      <Form {...form} submitLabel="Set order" fields={[{ ...orderField, path: 'order' }]} />
      {staleDialog}
    </section>
  );
}

function metaOf(values: RepositoryValues): Schemas['RepositoryUpdate']['meta'] {
  const { title, description, tags, keywords } = values;
  const words = keywords.split(',').flatMap((word) => word.trim() || []);
  const optional = Object.fromEntries(optionalFields.map((name) => [name, values[name] === '' ? null : values[name]]));
  return { title, description, tags, ...optional, keywords: words.length === 0 ? null : words };
}

function MetaForm({ scope }: { scope: RepositoryScope }) {
  const { account_id, repository_id } = scope;
  const { draft, setDraft, form, staleDialog } = useVersionedForm({
    ...storedRepository(scope),
    normalize: normalizedValues,
    save(values, header) {
      const params = { path: { account_id, repository_id }, header };
      const body = { meta: metaOf(values), state: values.state };
      return dataOf(api.PUT('/repositories/{account_id}/{repository_id}', { params, body }));
    },
  });
  return (
    <section class="block">
      <h3>Description</h3>
      <Form
        {...form}
        fields={[
          ...metaFields.map(({ normalize, ...field }) =>
            field.name === 'license' ? (
              <LicenceField value={draft.license} onChange={(license) => setDraft({ ...draft, license })} />
            ) : (
              { ...field, path: `meta.${field.name}`, taken: normalize?.(draft[field.name]) }
            ),
          ),
          { name: 'state', label: stateTerm, options: stateOptions, hint: stateHint },
        ]}
      />
      {staleDialog}
    </section>
  );
}
