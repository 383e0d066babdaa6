import { api, dataOf, type Schemas } from '../api/client.ts';
import { useDraft } from '../components/draft.ts';
import { Field, Form } from '../components/form.tsx';
import { LicenceField } from '../components/licence-field.tsx';
import { notify } from '../components/notices.tsx';
import { useChange } from '../components/stale.tsx';
import type { RepositoryViewProps } from '../routes.ts';
import type { RepositoryScope } from '../scopes.ts';
import { texts } from '../texts.ts';
import { stateHint, stateTerm } from './data-modes.ts';
import { RepositoryEndings } from './repository-endings.tsx';
import {
  metaFields,
  type RepositoryValues,
  readRepository,
  repositoryFields,
  repositoryVersion,
  stateOptions,
  takenValues,
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

const optionalFields = ['license', 'homepage', 'documentation', 'doi', 'citation', 'contact'] as const;

function MetaForm({ scope }: { scope: RepositoryScope }) {
  const { account_id, repository_id, repository, etag } = scope;
  const { was, draft, setDraft, reload, times } = useDraft(repositoryVersion(repository, etag), scope.reload);
  const { change, staleDialog } = useChange();
  const path = { account_id, repository_id };
  const save = async (values: RepositoryValues, header: object) => {
    const body = { meta: metaOf(values), state: values.state };
    await dataOf(api.PUT('/repositories/{account_id}/{repository_id}', { params: { path, header }, body }));
    await reload();
    notify(texts.saved);
  };
  const submit = () =>
    change({
      fields: repositoryFields,
      was,
      yours: takenValues(draft),
      read: () => readRepository(path),
      save,
      reload,
    });
  return (
    <section class="block">
      <h3>Description</h3>
      <Form onSubmit={submit} submitLabel={texts.save} saved={times}>
        {(problem) => (
          <>
            {metaFields.map(({ name, label, kind, hint, taken }) => {
              const onChange = (value: string) => setDraft({ ...draft, [name]: value });
              if (name === 'license')
                return <LicenceField key={name} value={draft.license} onChange={onChange} problem={problem} />;
              return (
                <Field
                  key={name}
                  label={label}
                  name={`meta.${name}`}
                  value={draft[name]}
                  problem={problem}
                  kind={kind}
                  hint={hint}
                  taken={taken?.(draft[name])}
                  onChange={onChange}
                />
              );
            })}
            <Field
              label={stateTerm}
              name="state"
              value={draft.state}
              onChange={(state) => setDraft({ ...draft, state })}
              problem={problem}
              kind="select"
              options={stateOptions}
              hint={stateHint}
            />
          </>
        )}
      </Form>
      {staleDialog}
    </section>
  );
}
