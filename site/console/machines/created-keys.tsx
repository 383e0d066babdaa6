import { useState } from 'preact/hooks';
import { formatDay } from '../../../lib/pages/site/format.ts';
import { api, type Schemas } from '../api/client.ts';
import { Form } from '../components/form.tsx';
import { Lines, List, useList } from '../components/list.tsx';
import { goTo, hrefOf } from '../router.ts';
import { ownAccountId } from '../signed-in-user.ts';
import { accountIdOf } from '../views/account-id.ts';
import { createdKeysPath } from './created-keys-path.ts';
import { KeyState } from './key-parts.tsx';

interface CreatedKeysProps {
  account_id: string;
  /** The user who created the keys. Null for the signed-in user. */
  creator: string | null;
  /** True for a platform login, which has no repositories and no service accounts. */
  isLogin: boolean;
}

/**
 * Lists the keys that a user created in an account and in everything that it owns. These keys stay valid after the user
 * leaves.
 */
export function CreatedKeys({ account_id, creator, isLogin }: CreatedKeysProps) {
  const me = ownAccountId() ?? '';
  const [values, setValues] = useState({ created_by: creator ?? me });
  const show = async () => goTo(createdKeysPath(account_id, accountIdOf(values.created_by, 'created_by', 'open')));
  return (
    <section class="block">
      <details class="create" open={creator !== null}>
        <summary>Find keys by creator</summary>
        <p class="soft">
          {isLogin
            ? 'The keys of this login.'
            : 'The keys of this account, of its repositories, and of its service accounts.'}
        </p>
        <Form
          onSubmit={show}
          submitLabel="Show"
          isDisabled={values.created_by.trim() === ''}
          losesNothing
          values={values}
          onChange={setValues}
          fields={[
            {
              name: 'created_by',
              label: 'Created by',
              isVerbatim: true,
              hint: (
                <>
                  An account ID. Yours is <code>{me}</code>.
                </>
              ),
            },
          ]}
        />
        {creator !== null && <KeysOf key={creator} account_id={account_id} creator={creator} />}
      </details>
    </section>
  );
}

function KeysOf({ account_id, creator }: { account_id: string; creator: string }) {
  const path = { account_id };
  const list = useList(
    (query) => api.GET('/accounts/{account_id}/keys', { params: { path, query: { ...query, created_by: creator } } }),
    [account_id, creator],
  );
  return (
    <List
      list={list}
      label={`Keys that ${creator} created`}
      columns={[
        { title: 'Key', cell: (key) => <Lines of={[key.name, <code>{key.access_key_id ?? key.key_id}</code>]} /> },
        { title: 'Of', isLabeled: true, cell: (key) => ownerLink(account_id, key) },
        { title: 'State', cell: KeyState },
        { title: 'Created', isLabeled: true, cell: (key) => formatDay(key.created_at) },
      ]}
      empty={`${creator} created no key here.`}
    />
  );
}

/**
 * Links to the view of the service account, repository, or account to which the key belongs. The user can revoke the
 * key there.
 */
function ownerLink(account_id: string, { repository_id, service_account_id }: Schemas['CreatedKey']) {
  if (repository_id !== undefined) {
    return <a href={hrefOf(`/repositories/${account_id}/${repository_id}/api-keys`)}>{repository_id}</a>;
  }
  if (service_account_id === undefined) return account_id;
  const name = service_account_id.slice(account_id.length + 2);
  return <a href={hrefOf(`/accounts/${account_id}/service-accounts/${name}`)}>{service_account_id}</a>;
}
