import { useState } from 'preact/hooks';
import { formatCount } from '../../../lib/pages/site/format.ts';
import { api, dataOf } from '../api/client.ts';
import { useVersionedForm } from '../components/draft.ts';
import { Form } from '../components/form.tsx';
import { Lines, Properties } from '../components/list.tsx';
import { Loaded, useLoading } from '../components/loaded.tsx';
import { notify } from '../components/notices.tsx';
import type { Version } from '../components/stale.tsx';
import type { AccountViewProps } from '../routes.ts';
import { loadUser } from '../signed-in-user.ts';
import { flagNames } from '../views/account-flags.ts';
import { type AccountValues, readAccount, storedAccount } from '../views/account-version.ts';

/** The flags in the order of the form, each with a note. */
const flags = [
  ['create_repositories', 'Without it, existing repositories stay.'],
  ['create_organizations', 'Without it, existing organizations stay.'],
  ['create_data_connections', 'Counts where the site requires it.'],
  ['admin', 'Can change storage, flags and accounts. The flag gives no access to data.'],
] as const;

/** Shows the flags of an account, which administrators can change. */
export function View({ account: { account_id, account, may, reload } }: AccountViewProps) {
  const loading = useLoading(() => readAccount(account_id), [account_id]);
  const reloadAll = async () => {
    await Promise.all([loading.reload(), reload(), loadUser()]);
  };
  return (
    <>
      <Loaded loading={loading}>
        {(now) =>
          account?.account_type === 'service' ? (
            <div class="empty">
              <p>A platform login has no flags.</p>
            </div>
          ) : may('updateAccountFlags') ? (
            <FlagsForm now={now} account_id={account_id} load={reloadAll} />
          ) : (
            <CurrentFlags values={now.values} account_id={account_id} />
          )
        }
      </Loaded>
      {may('setRepositoryLimit') && <RepositoryLimit account_id={account_id} />}
    </>
  );
}

/**
 * Sets the maximum number of repositories. The form begins empty, because the API returns this number only in the
 * response to a change.
 */
function RepositoryLimit({ account_id }: { account_id: string }) {
  const [values, setValues] = useState({ repositories_max: '' });
  const set = async () => {
    const body = { repositories_max: Number(values.repositories_max) };
    const { repositories, repositories_max } = await dataOf(
      api.PUT('/accounts/{account_id}/repository-limit', { params: { path: { account_id } }, body }),
    );
    setValues({ repositories_max: '' });
    notify(`${account_id} has ${formatCount(repositories)} of ${formatCount(repositories_max)} repositories.`);
  };
  return (
    <section class="block">
      <h3>Repository limit</h3>
      <p class="soft">The default is 1,000 repositories per account.</p>
      <Form
        onSubmit={set}
        submitLabel="Set limit"
        isDisabled={values.repositories_max.trim() === ''}
        values={values}
        onChange={setValues}
        fields={[{ name: 'repositories_max', label: 'Maximum number', isVerbatim: true, hint: 'From 1 to 10,000.' }]}
      />
    </section>
  );
}

/** Shows the flags to users who may not change them, and explains how to request a flag. */
function CurrentFlags({ values, account_id }: { values: AccountValues; account_id: string }) {
  return (
    <>
      <p class="lead">
        Flags give an account additional rights at this site. Only administrators of the site can change them.
      </p>
      <p class="soft">
        To request a flag, send an administrator the account ID, <code>{account_id}</code>, and the reason.
      </p>
      <Properties rows={flags.map(([flag]) => [flagNames[flag], values[flag] ? 'Yes' : 'No'])} />
    </>
  );
}

interface FlagsFormProps {
  now: Version<AccountValues>;
  account_id: string;
  load: () => Promise<void>;
}

function FlagsForm({ now, account_id, load }: FlagsFormProps) {
  const { was, draft, setDraft, form, staleDialog } = useVersionedForm({
    ...storedAccount(account_id, now, load),
    save(values, header) {
      const params = { path: { account_id }, header };
      const body = flags.flatMap(([flag]) => (values[flag] ? flag : []));
      return dataOf(api.PUT('/accounts/{account_id}/flags', { params, body }));
    },
  });
  return (
    <>
      <Form {...form}>
        <fieldset class="field">
          <legend>Flags of this account</legend>
          {flags.map(([flag, note]) => (
            <label class="check" key={flag}>
              <input
                type="checkbox"
                name={flag}
                checked={draft[flag]}
                onChange={() => setDraft({ ...draft, [flag]: !draft[flag] })}
              />
              <span>
                <Lines of={[flagNames[flag], note]} />
              </span>
            </label>
          ))}
        </fieldset>
        {draft.admin && !was.values.admin && (
          <p class="notice">{account_id} will have all your administrator rights. It can also remove your flags.</p>
        )}
      </Form>
      {staleDialog}
    </>
  );
}
