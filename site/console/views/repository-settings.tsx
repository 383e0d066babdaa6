import { api, dataOf, type Schemas } from '../api/client.ts';
import { useVersionedForm } from '../components/draft.ts';
import { Form } from '../components/form.tsx';
import { LicenceField } from '../components/licence-field.tsx';
import type { RepositoryViewProps } from '../routes.ts';
import type { RepositoryScope } from '../scopes.ts';
import { stateHint, stateTerm } from './data-modes.ts';
import { RepositoryEndings } from './repository-endings.tsx';
import {
  metaFields,
  normalizedValues,
  optionalFields,
  type RepositoryValues,
  stateOptions,
  storedRepository,
} from './repository-version.ts';

/** Shows a repository's metadata form and the forms for access and deletion. */
export function View({ repository }: RepositoryViewProps) {
  return (
    <>
      {repository.may('updateRepository') && <MetaForm scope={repository} />}
      <RepositoryEndings scope={repository} />
    </>
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
