import { useState } from 'preact/hooks';
import { formatDay } from '../../../lib/pages/site/format.ts';
import { answerOf, api, pageQuery, type Schemas } from '../api/client.ts';
import { Field, Form } from '../components/form.tsx';
import { List, useList } from '../components/list.tsx';
import { ownAccountId } from '../person.ts';
import { goTo, hrefOf } from '../router.ts';
import { accountIdOf } from '../views/account-id.ts';
import { endOf, stateLabels } from './key-texts.ts';

type CreatedKey = Schemas['CreatedKey'];

/** Returns the path of the view of the keys that a user created in an account. */
export function createdKeysPath(account_id: string, maker: string): string {
  return `/accounts/${account_id}/api-keys?made_by=${encodeURIComponent(maker)}`;
}

interface CreatedKeysProps {
  account_id: string;
  /** The user who created the keys. Null for the signed-in user. */
  madeBy: string | null;
  /** True for a platform login, which has no repositories and no service accounts. */
  isLogin: boolean;
}

/**
 * Lists the keys that a user created in an account, its repositories, and its service accounts. They stay valid after
 * the user leaves the account.
 */
export function CreatedKeys({ account_id, madeBy, isLogin }: CreatedKeysProps) {
  const me = ownAccountId() ?? '';
  const maker = madeBy ?? me;
  const [typed, setTyped] = useState(maker);
  const show = async () => {
    goTo(createdKeysPath(account_id, accountIdOf(typed, 'created_by', 'open')));
  };
  return (
    <section class="block">
      <details class="create" open={madeBy !== null}>
        <summary>Look up keys by who made them</summary>
        <p class="soft">
          {isLogin
            ? 'Those of this login.'
            : 'Those of this account, of its repositories and of its service accounts together.'}
        </p>
        <Form onSubmit={show} submitLabel="Show" isDisabled={typed.trim() === ''} losesNothing>
          {(problem) => (
            <Field
              label="Made by"
              name="created_by"
              value={typed}
              onChange={setTyped}
              problem={problem}
              isVerbatim
              hint={
                <>
                  The ID of an account. Yours is <code>{me}</code>.
                </>
              }
            />
          )}
        </Form>
        {madeBy !== null && <MadeBy key={maker} account_id={account_id} maker={maker} />}
      </details>
    </section>
  );
}

function MadeBy({ account_id, maker }: { account_id: string; maker: string }) {
  const list = useList(
    (cursor) =>
      answerOf(
        api.GET('/accounts/{account_id}/keys', {
          params: { path: { account_id }, query: { created_by: maker, ...pageQuery(cursor) } },
        }),
      ),
    [account_id, maker],
  );
  const row = (key: CreatedKey) => (
    <>
      <td>
        {key.name}
        <br />
        <code class="soft">{key.access_key_id ?? key.key_id}</code>
      </td>
      <td data-label="Of">{placeOf(account_id, key)}</td>
      <td>
        <span class={`badge ${key.state === 'active' ? 'live' : 'over'}`}>{stateLabels[key.state]}</span>
        <br />
        <span class="soft">{endOf(key)}</span>
      </td>
      <td data-label="Made">{formatDay(key.created_at)}</td>
    </>
  );
  return (
    <List
      list={list}
      label={`Keys that ${maker} made`}
      columns={['Key', 'Of', 'State', 'Created']}
      row={row}
      empty={<p>{`${maker} made no key here.`}</p>}
    />
  );
}

/** Links to the view in which the key can be revoked. */
function placeOf(account_id: string, { repository_id, service_account_id }: CreatedKey) {
  if (repository_id !== undefined) {
    return <a href={hrefOf(`/repositories/${account_id}/${repository_id}/api-keys`)}>{repository_id}</a>;
  }
  if (service_account_id === undefined) return account_id;
  const name = service_account_id.slice(account_id.length + 2);
  return <a href={hrefOf(`/accounts/${account_id}/service-accounts/${name}`)}>{service_account_id}</a>;
}
