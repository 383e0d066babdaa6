import { useState } from 'preact/hooks';
import { formatCount } from '../../../lib/pages/site/format.ts';
import { api, dataOf } from '../api/client.ts';
import { useDraft } from '../components/draft.ts';
import { Field, Form } from '../components/form.tsx';
import { Loaded, useLoading } from '../components/loaded.tsx';
import { notify } from '../components/notices.tsx';
import { useChange, type Version } from '../components/stale.tsx';
import { loadPerson } from '../person.ts';
import type { AccountViewProps } from '../routes.ts';
import { texts } from '../texts.ts';
import { type AccountValues, accountFields, readAccount } from '../views/account-version.ts';

/** The effect of each flag and of its removal. */
const flagLabel = [
  [
    'create_repositories',
    'May place repositories on storage that asks for it',
    'Without it, repositories that are there stay.',
  ],
  ['create_organizations', 'Can create organizations', 'Without it, existing organizations stay.'],
  [
    'admin',
    'Administers the platform',
    'It changes storage, flags and accounts of everybody. It gives no access to data.',
  ],
] as const;

/** Shows the flags of an account, which administrators can change. */
export function View({ account: { account_id, account, may, reload } }: AccountViewProps) {
  const loading = useLoading(() => readAccount(account_id), [account_id]);
  const reloadAll = async () => {
    await Promise.all([loading.reload(), reload(), loadPerson()]);
  };
  return (
    <>
      <Loaded loading={loading}>
        {(was) =>
          may('updateAccountFlags') && account?.account_type !== 'service' ? (
            <Editing now={was} account_id={account_id} load={reloadAll} />
          ) : (
            <Held values={was.values} account_id={account_id} isLogin={account?.account_type === 'service'} />
          )
        }
      </Loaded>
      {may('setRepositoryLimit') && <RepositoryLimit account_id={account_id} />}
    </>
  );
}

/** Sets the repository limit. The API returns the current limit only after a change. */
function RepositoryLimit({ account_id }: { account_id: string }) {
  const [typed, setTyped] = useState('');
  const set = async () => {
    const body = { repositories_max: Number(typed) };
    const { repositories, repositories_max } = await dataOf(
      api.PUT('/accounts/{account_id}/repository-limit', { params: { path: { account_id } }, body }),
    );
    setTyped('');
    notify(`${account_id} has ${formatCount(repositories)} of ${formatCount(repositories_max)} repositories.`);
  };
  return (
    <section class="block">
      <h3>How many repositories</h3>
      <p class="soft">An account may have 1,000, unless you say otherwise.</p>
      <Form onSubmit={set} submitLabel="Set the limit" isDisabled={typed.trim() === ''}>
        {(problem) => (
          <Field
            label="Repositories, at most"
            name="repositories_max"
            value={typed}
            onChange={setTyped}
            problem={problem}
            isVerbatim
            hint="From 1 to 10,000."
          />
        )}
      </Form>
    </section>
  );
}

/** Shows the flags to users who may not change them, with a way to request them. */
function Held({ values, isLogin, account_id }: { values: AccountValues; isLogin: boolean; account_id: string }) {
  if (isLogin)
    return (
      <div class="empty">
        <p>A platform login has no flags.</p>
      </div>
    );
  return (
    <>
      <p class="lead">
        What this account may do at this site beyond its own things. Only administrators of the site change it; you see
        it here so that you know what to ask them for.
      </p>
      <p class="soft">
        Send an administrator the ID of the account, <code>{account_id}</code>, and say which of these it needs and what
        for.
      </p>
      <dl class="facts wide">
        {flagLabel.map(([flag, words]) => (
          <div key={flag}>
            <dt>
              {words} <code class="soft">{flag}</code>
            </dt>
            <dd>{values[flag] ? 'Yes' : 'No'}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

interface EditingProps {
  now: Version<AccountValues>;
  account_id: string;
  load: () => Promise<void>;
}

function Editing({ now, account_id, load }: EditingProps) {
  const { was, draft, setDraft, reload, times } = useDraft(now, load);
  const { change, staleDialog } = useChange();
  const save = async (values: AccountValues, header: object) => {
    const params = { path: { account_id }, header };
    const body = flagLabel.flatMap(([flag]) => (values[flag] ? flag : []));
    await dataOf(api.PUT('/accounts/{account_id}/flags', { params, body }));
    await reload();
    notify(texts.saved);
  };
  const submit = () =>
    change({ fields: accountFields, was, yours: draft, read: () => readAccount(account_id), save, reload });
  const gained = draft.admin && !was.values.admin;
  return (
    <>
      <Form onSubmit={submit} submitLabel={texts.save} saved={times}>
        {() => (
          <>
            <fieldset class="field">
              <legend>What this account may</legend>
              {flagLabel.map(([flag, words, note]) => (
                <label class="check" key={flag}>
                  <input
                    type="checkbox"
                    name={flag}
                    checked={draft[flag]}
                    onChange={() => setDraft({ ...draft, [flag]: !draft[flag] })}
                  />
                  <span>
                    {words} <code class="soft">{flag}</code>
                    <br />
                    <span class="soft">{note}</span>
                  </span>
                </label>
              ))}
            </fieldset>
            {gained && (
              <p class="notice">
                {account_id} will be able to do all that you can do here, and to take your flags away.
              </p>
            )}
          </>
        )}
      </Form>
      {staleDialog}
    </>
  );
}
