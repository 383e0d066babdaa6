import { useState } from 'preact/hooks';
import { api, dataOf } from '../api/client.ts';
import { Button } from '../components/button.tsx';
import { Form } from '../components/form.tsx';
import { useFoundAccounts } from '../components/found-accounts.ts';
import { goTo } from '../router.ts';

interface SearchField<Name extends string> {
  name: Name;
  label: string;
  hint: string;
  /** True if the field takes an account ID. The field then suggests accounts whose ID or name begins with its text. */
  isAccount?: boolean;
}

interface SearchProps<Name extends string> {
  /** The path of the view. Its query contains the search, so that administrators can share it. */
  path: string;
  /** The searched texts. Empty for no search. */
  search: Readonly<Record<Name, string>>;
  fields: readonly SearchField<Name>[];
  /** The label of the button that ends the search. */
  all: string;
}

/** Number of accounts that a field suggests. */
const suggestionsMax = 10;

/** Returns the texts of a search in the query of a view's URL. */
export function searchIn<Name extends string>(query: URLSearchParams, ...names: Name[]): Record<Name, string> {
  return Object.fromEntries(names.map((name) => [name, query.get(name) ?? ''])) as Record<Name, string>;
}

/** Returns the fields that are not empty, which are the query of the API and of the URL. */
export function filled<Fields extends Readonly<Record<string, string>>>(fields: Fields): Partial<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== '')) as Partial<Fields>;
}

/** Renders the fields that search a list of the administration. */
export function Search<Name extends string>(props: SearchProps<Name>) {
  return (
    <div class="filters">
      <Fields key={JSON.stringify(props.search)} {...props} />
    </div>
  );
}

function Fields<Name extends string>({ path, search, fields, all }: SearchProps<Name>) {
  const [values, setValues] = useState<Record<string, string>>(search);
  const [typed, setTyped] = useState('');
  const accounts = useFoundAccounts(typed, (prefix) =>
    dataOf(api.GET('/administration/accounts', { params: { query: { search: prefix, limit: suggestionsMax } } })),
  );
  const change = (changed: Record<string, string>) => {
    const field = fields.find(({ name }) => changed[name] !== values[name]);
    if (field?.isAccount) setTyped(changed[field.name] ?? '');
    setValues(changed);
  };
  const show = (chosen: Readonly<Record<string, string>>) => {
    const query = new URLSearchParams(filled(chosen) as Record<string, string>);
    goTo(query.size === 0 ? path : `${path}?${query}`);
  };
  return (
    <Form
      onSubmit={async () => show(Object.fromEntries(Object.entries(values).map(([name, text]) => [name, text.trim()])))}
      submitLabel="Search"
      losesNothing
      values={values}
      onChange={change}
      fields={[
        ...fields.map(({ isAccount, ...field }) => ({
          ...field,
          isVerbatim: true,
          maxLength: 128,
          ...(isAccount && { suggestions: accounts }),
        })),
        Object.values(search).some((text) => text !== '') && (
          <p class="all">
            <Button kind="plain" label={all} onClick={() => show({})} />
          </p>
        ),
      ]}
    />
  );
}
