import { api, dataOf, type Schemas } from '../api/client.ts';
import { useConfirm } from '../components/dialogs.tsx';
import { useVersionedForm } from '../components/draft.ts';
import { Form } from '../components/form.tsx';
import { LicenseField } from '../components/license-field.tsx';
import { ifStill } from '../components/stale.tsx';
import type { RepositoryViewProps } from '../routes.ts';
import type { RepositoryScope } from '../scopes.ts';
import { dataModes, modeHint, modeOptions, modeTerm, stateHint, stateTerm } from './data-modes.ts';
import {
  type MetaField,
  metaFields,
  normalizedValues,
  optionalFields,
  orderField,
  type RepositoryValues,
  stateOptions,
  storedRepository,
} from './repository-version.ts';

/** The metadata that the section General edits. The section Metadata edits the other fields. */
const generalFields: readonly MetaField[] = ['title', 'description'];

/** Edits the title and the description of a repository. */
export function General({ repository }: RepositoryViewProps) {
  return <MetaForm scope={repository} names={generalFields} />;
}

/** Edits the metadata with which others find and cite a repository. */
export function Metadata({ repository }: RepositoryViewProps) {
  const names = metaFields.map(({ name }) => name).filter((name) => !generalFields.includes(name));
  return <MetaForm scope={repository} names={names} />;
}

function metaOf(values: RepositoryValues): Schemas['RepositoryUpdate']['meta'] {
  const { title, description, tags, keywords } = values;
  const words = keywords.split(',').flatMap((word) => word.trim() || []);
  const optional = Object.fromEntries(optionalFields.map((name) => [name, values[name] === '' ? null : values[name]]));
  return { title, description, tags, ...optional, keywords: words.length === 0 ? null : words };
}

function update({ account_id, repository_id }: RepositoryScope, values: RepositoryValues, header: object) {
  const params = { path: { account_id, repository_id }, header };
  const body = { meta: metaOf(values), state: values.state };
  return dataOf(api.PUT('/repositories/{account_id}/{repository_id}', { params, body }));
}

function MetaForm({ scope, names }: { scope: RepositoryScope; names: readonly MetaField[] }) {
  const { draft, setDraft, form, bar, staleDialog } = useVersionedForm({
    ...storedRepository(scope),
    normalize: normalizedValues,
    save: (values, header) => update(scope, values, header),
  });
  return (
    <>
      <Form
        {...form}
        bar={bar}
        fields={metaFields
          .filter(({ name }) => names.includes(name))
          .map(({ normalize, ...field }) =>
            field.name === 'license' ? (
              <LicenseField value={draft.license} onChange={(license) => setDraft({ ...draft, license })} />
            ) : (
              { ...field, path: `meta.${field.name}`, taken: normalize?.(draft[field.name]) }
            ),
          )}
      />
      {staleDialog}
    </>
  );
}

/** Edits who reads a repository, and whether the catalogue lists it. */
export function Visibility({ repository: scope }: RepositoryViewProps) {
  const { account_id, repository_id } = scope;
  const { confirm, confirmDialog } = useConfirm();
  const stored = storedRepository(scope);
  const { was, draft, form, bar, staleDialog } = useVersionedForm({
    ...stored,
    async save(values, header) {
      const { data_mode, state } = values;
      const params = { path: { account_id, repository_id }, header };
      const isModeChanged = data_mode !== was.values.data_mode;
      if (isModeChanged) {
        await dataOf(api.PUT('/repositories/{account_id}/{repository_id}/data-mode', { params, body: { data_mode } }));
      }
      if (state === was.values.state) return;
      if (!isModeChanged) return update(scope, values, header);
      // The first request has changed the version. Read the new version, so that the second request changes only the
      // state.
      const now = await stored.read();
      await update(scope, { ...now.values, state }, ifStill(now));
    },
  });
  const isPrivate = draft.data_mode === 'private';
  const submit = async () => {
    const isClosing = was.values.data_mode === 'open' && draft.data_mode !== 'open';
    if (!isClosing) return form.onSubmit();
    confirm({
      title: isPrivate ? `Make ${scope.title} private?` : `Restrict ${scope.title}?`,
      action: isPrivate ? 'Make private' : 'Restrict',
      onConfirm: form.onSubmit,
      stops: [
        'Users without a role here can no longer read it, within one minute.',
        'Links to its page and to its files stop working.',
      ],
    });
    return false;
  };
  return (
    <>
      <Form
        {...form}
        bar={bar}
        onSubmit={submit}
        fields={[
          scope.may('changeDataMode') && {
            name: 'data_mode',
            label: modeTerm,
            options: modeOptions(dataModes),
            hint: modeHint,
          },
          { name: 'state', label: stateTerm, options: stateOptions, hint: stateHint },
        ]}
      />
      {confirmDialog}
      {staleDialog}
    </>
  );
}

/** Edits the order of the repository among the featured ones, for administrators. */
export function FrontPage({ repository: scope }: RepositoryViewProps) {
  const { account_id, repository_id } = scope;
  const { form, bar, staleDialog } = useVersionedForm({
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
    <>
      <p class="soft">
        Up to 12 open repositories appear first on the front page, which follows a change within minutes.
      </p>
      <Form {...form} bar={bar} fields={[{ ...orderField, path: 'order' }]} />
      {staleDialog}
    </>
  );
}
