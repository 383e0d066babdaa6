import { doiOf, licenseOf, webUrlOf } from '../../../lib/pages/site/typed-fields.ts';
import { answerOf, api, type Schemas } from '../api/client.ts';
import { disabledField, optionLabels, type ShownField, type Stored, type Version } from '../components/stale.tsx';
import type { RepositoryScope } from '../scopes.ts';
import { dataModes, modeOptions, modeTerm, stateLabels, stateTerm } from './data-modes.ts';

type Repository = Pick<Schemas['Repository'], 'meta' | 'state' | 'data_mode' | 'featured' | 'disabled'>;

export const optionalFields = ['license', 'homepage', 'documentation', 'doi', 'citation', 'contact'] as const;

type OptionalField = (typeof optionalFields)[number];
export type MetaField = 'title' | 'description' | 'tags' | 'keywords' | OptionalField;
export type RepositoryValues = Record<MetaField | 'featured', string> &
  Pick<Repository, 'state' | 'data_mode' | 'disabled'>;

interface TypedField extends ShownField {
  name: MetaField;
  kind?: 'long' | 'url';
  hint?: string;
  /** Returns the value to send for the typed or pasted text. */
  normalize?: (typed: string) => string;
}

export const metaFields: readonly TypedField[] = [
  { name: 'title', label: 'Title' },
  { name: 'description', label: 'Description', kind: 'long' },
  {
    name: 'tags',
    label: 'Tags',
    hint: 'Topics, separated by commas. They are shown at the top of the page, and each one links to all data with this tag.',
  },
  { name: 'license', label: 'License', normalize: licenseOf },
  { name: 'homepage', label: 'Homepage', kind: 'url', normalize: webUrlOf },
  { name: 'documentation', label: 'Documentation', kind: 'url', normalize: webUrlOf },
  { name: 'doi', label: 'DOI', hint: 'For example 10.5281/zenodo.1234567.', normalize: doiOf },
  { name: 'citation', label: 'How to cite', kind: 'long' },
  { name: 'contact', label: 'Contact' },
  {
    name: 'keywords',
    label: 'Keywords',
    hint: 'More search terms, such as other spellings, separated by commas. At most 32. They are shown with the details.',
  },
];

export const stateOptions = (['listed', 'unlisted'] as const).map((state) => [state, stateLabels[state]] as const);

export const orderField = {
  name: 'featured',
  label: 'Order on the front page',
  hint: 'A number from 1 to 999. The lowest comes first. 0 means not featured.',
} as const;

/** All fields of a repository that users can change. The API has one ETag for all of them. */
const repositoryFields: readonly ShownField[] = [
  ...metaFields,
  { name: 'state', label: stateTerm, words: optionLabels(stateOptions) },
  { name: 'data_mode', label: modeTerm, words: optionLabels(modeOptions(dataModes)) },
  orderField,
  disabledField,
];

function versionOf(repository: Repository, etag: string | undefined): Version<RepositoryValues> {
  const { meta, state, data_mode, featured, disabled } = repository;
  const given = { ...meta, keywords: meta.keywords?.join(', ') };
  const texts = Object.fromEntries(metaFields.map(({ name }) => [name, given[name] ?? ''])) as Record<
    MetaField,
    string
  >;
  return { values: { ...texts, state, data_mode, featured: String(featured), disabled }, etag };
}

export function storedRepository(scope: RepositoryScope): Stored<RepositoryValues> {
  const { account_id, repository_id, repository, etag, reload } = scope;
  const params = { path: { account_id, repository_id } };
  const read = async () => {
    const { data, etag } = await answerOf(api.GET('/repositories/{account_id}/{repository_id}', { params }));
    return versionOf(data, etag);
  };
  return { fields: repositoryFields, was: versionOf(repository, etag), read, reload };
}

/** Returns the values to send to the API for the values that the user typed. */
export function normalizedValues(typed: RepositoryValues): RepositoryValues {
  const normalized = metaFields.map(({ name, normalize }) => [name, normalize?.(typed[name]) ?? typed[name]]);
  return { ...typed, ...Object.fromEntries(normalized) };
}
