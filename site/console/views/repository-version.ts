import { doiOf, licenseOf, webUrlOf } from '../../../lib/pages/site/typed-fields.ts';
import { answerOf, api, type Schemas } from '../api/client.ts';
import { disabledField, optionLabels, type ShownField, type Version } from '../components/stale.tsx';
import { dataModes, modeOptions, modeTerm, stateLabels, stateTerm } from './data-modes.ts';

type Repository = Pick<Schemas['Repository'], 'meta' | 'state' | 'data_mode' | 'disabled'>;

type MetaField =
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
export type RepositoryValues = Record<MetaField, string> & Pick<Repository, 'state' | 'data_mode' | 'disabled'>;

interface TypedField extends ShownField {
  name: MetaField;
  kind?: 'long' | 'url';
  hint?: string;
  /** Returns the value to send for the typed or pasted text. */
  taken?: (typed: string) => string;
}

export const metaFields: readonly TypedField[] = [
  { name: 'title', label: 'Title' },
  { name: 'description', label: 'Description', kind: 'long' },
  {
    name: 'tags',
    label: 'Tags',
    hint: 'What it is about, with commas between them. They stand at the top of its page, and each leads to all data with it.',
  },
  { name: 'license', label: 'Licence', taken: licenseOf },
  { name: 'homepage', label: 'Homepage', kind: 'url', taken: webUrlOf },
  { name: 'documentation', label: 'Documentation', kind: 'url', taken: webUrlOf },
  { name: 'doi', label: 'DOI', hint: 'Such as 10.5281/zenodo.1234567.', taken: doiOf },
  { name: 'citation', label: 'How to cite', kind: 'long' },
  { name: 'contact', label: 'Contact' },
  {
    name: 'keywords',
    label: 'Keywords',
    hint: 'More words to be found by, such as other spellings: at most 32, with commas between them. They stand among the details.',
  },
];

export const stateOptions = (['listed', 'unlisted'] as const).map((state) => [state, stateLabels[state]] as const);

/** All fields of a repository's settings. They share one ETag. */
export const repositoryFields: readonly ShownField[] = [
  ...metaFields,
  { name: 'state', label: stateTerm, words: optionLabels(stateOptions) },
  { name: 'data_mode', label: modeTerm, words: optionLabels(modeOptions(dataModes)) },
  disabledField,
];

export function repositoryVersion(repository: Repository, etag: string | undefined): Version<RepositoryValues> {
  const { meta, state, data_mode, disabled } = repository;
  const given = { ...meta, keywords: meta.keywords?.join(', ') };
  const texts = Object.fromEntries(metaFields.map(({ name }) => [name, given[name] ?? ''])) as Record<
    MetaField,
    string
  >;
  return { values: { ...texts, state, data_mode, disabled }, etag };
}

export async function readRepository(path: {
  account_id: string;
  repository_id: string;
}): Promise<Version<RepositoryValues>> {
  const { data, etag } = await answerOf(api.GET('/repositories/{account_id}/{repository_id}', { params: { path } }));
  return repositoryVersion(data, etag);
}

/** Returns the values to send for the typed values. */
export function takenValues(typed: RepositoryValues): RepositoryValues {
  const taken = metaFields.map(({ name, taken }) => [name, taken?.(typed[name]) ?? typed[name]]);
  return { ...typed, ...Object.fromEntries(taken) };
}
