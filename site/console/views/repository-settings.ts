import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { answerOf, api, dataOf, ifUnchanged, type Schemas } from '../api/client.ts';
import { type Problem, problemOf } from '../api/problem.ts';
import { StaleDialog } from '../components/dialogs.ts';
import { Field, Form } from '../components/form.ts';
import { notify } from '../components/notices.ts';
import type { RepositoryViewProps } from '../routes.ts';
import type { RepositoryScope } from '../scopes.ts';
import { texts } from '../texts.ts';
import { RepositoryEndings } from './repository-endings.ts';

type Draft = Record<DraftField, string>;
type DraftField =
  | 'title'
  | 'description'
  | 'tags'
  | 'license'
  | 'homepage'
  | 'documentation'
  | 'doi'
  | 'citation'
  | 'contact'
  | 'keywords';

const fields: readonly { name: DraftField; label: string; kind?: 'long' | 'url'; hint?: string }[] = [
  { name: 'title', label: 'Title' },
  { name: 'description', label: 'Description', kind: 'long' },
  { name: 'tags', label: 'Tags', hint: 'A few words with commas between them, to be found by.' },
  { name: 'license', label: 'Licence', hint: 'By its SPDX identifier, such as CC-BY-4.0 or CC0-1.0.' },
  { name: 'homepage', label: 'Homepage', kind: 'url' },
  { name: 'documentation', label: 'Documentation', kind: 'url' },
  { name: 'doi', label: 'DOI', hint: 'Such as 10.5281/zenodo.1234567.' },
  { name: 'citation', label: 'How to cite', kind: 'long' },
  { name: 'contact', label: 'Contact' },
  { name: 'keywords', label: 'Keywords', hint: 'At most 32, with commas between them.' },
];

/** What a repository says of itself, whether it is listed, and what ends it. */
export function View({ repository }: RepositoryViewProps) {
  return html`
    ${repository.may('updateRepository') && html`<${MetaForm} key=${repository.etag} scope=${repository} />`}
    <${RepositoryEndings} scope=${repository} />`;
}

function draftOf({ meta }: Pick<Schemas['Repository'], 'meta'>): Draft {
  const given = { ...meta, keywords: meta.keywords?.join(', ') };
  return Object.fromEntries(fields.map(({ name }) => [name, given[name] ?? ''])) as Draft;
}

function metaOf(draft: Draft): Schemas['RepositoryUpdate']['meta'] {
  const { title, description, tags, keywords, ...rest } = draft;
  const words = keywords.split(',').flatMap((word) => word.trim() || []);
  const optional = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, value === '' ? null : value]));
  return { title, description, tags, ...optional, keywords: words.length === 0 ? null : words };
}

function MetaForm({ scope }: { scope: RepositoryScope }) {
  const [draft, setDraft] = useState(() => draftOf(scope.repository));
  const [state, setState] = useState(scope.repository.state);
  const [theirs, setTheirs] = useState<{ draft: Draft; state: string; etag: string | undefined }>();
  const { account_id, repository_id } = scope;
  const path = { account_id, repository_id };
  const save = async (etag: string | undefined) => {
    const body = { meta: metaOf(draft), state };
    await dataOf(
      api.PUT('/repositories/{account_id}/{repository_id}', { params: { path, header: ifUnchanged(etag) }, body }),
    );
    setTheirs(undefined);
    await scope.reload();
    notify(texts.saved);
  };
  const onProblem = (problem: Problem) => {
    if (problem.code !== 'stale') return false;
    void answerOf(api.GET('/repositories/{account_id}/{repository_id}', { params: { path } })).then(
      ({ data, etag }) => setTheirs({ draft: draftOf(data), state: data.state, etag }),
      (error) => notify(problemOf(error).message, 'problem'),
    );
    return true;
  };
  return html`<section class="block"><h3>Description</h3>
    <${Form} onSubmit=${() => save(scope.etag)} submitLabel=${texts.save} onProblem=${onProblem}>
      ${(problem: Problem | undefined) => html`
        ${fields.map(
          ({ name, label, kind, hint }) =>
            html`<${Field} key=${name} label=${label} name=${`meta.${name}`} value=${draft[name]} problem=${problem} kind=${kind} hint=${hint}
              onChange=${(value: string) => setDraft({ ...draft, [name]: value })} />`,
        )}
        <${Field} label="In the catalogue" name="state" value=${state} onChange=${setState} problem=${problem} kind="select"
          options=${[['listed', 'Listed: everybody finds it'], ['unlisted', 'Unlisted: those find it who have its link']]} />`}
    <//>
    ${
      theirs !== undefined &&
      html`<${StaleDialog} fields=${[
        ...fields.map(({ name, label }) => ({ label, theirs: theirs.draft[name], yours: draft[name] })),
        { label: 'In the catalogue', theirs: theirs.state, yours: state },
      ]} onTakeTheirs=${() => void scope.reload()} onKeepMine=${() => save(theirs.etag)} onClose=${() => setTheirs(undefined)} />`
    }
  </section>`;
}
