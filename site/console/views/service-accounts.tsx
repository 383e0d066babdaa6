import { useState } from 'preact/hooks';
import { formatDay } from '../../../lib/pages/site/format.ts';
import { answerOf, api, dataOf, onceOnly, pageQuery, type Schemas } from '../api/client.ts';
import { atField } from '../api/problem.ts';
import { Field, Form } from '../components/form.tsx';
import { List, useList } from '../components/list.tsx';
import { goTo, hrefOf } from '../router.ts';
import type { AccountViewProps } from '../routes.ts';

type ServiceAccount = Schemas['ServiceAccount'];

const placeOf = (account_id: string, name: string) => `/accounts/${account_id}/service-accounts/${name}`;

/** Lists the service accounts of an account and creates new ones. */
export function View({ account: { account_id, may } }: AccountViewProps) {
  const list = useList(
    (cursor) =>
      answerOf(
        api.GET('/accounts/{account_id}/service-accounts', {
          params: { path: { account_id }, query: pageQuery(cursor) },
        }),
      ),
    [account_id],
  );
  const row = (each: ServiceAccount) => (
    <>
      <td>
        <a href={hrefOf(placeOf(account_id, each.name))}>{each.name}</a>
        <br />
        <span class="soft">{each.service_account_id}</span>
      </td>
      <td>{each.description || <span class="soft">–</span>}</td>
      <td>{each.disabled ? <span class="badge over">disabled</span> : <span class="badge live">enabled</span>}</td>
      <td class="day" data-label="Last refused">
        {each.last_refused_sign_in ? formatDay(each.last_refused_sign_in.time) : <span class="soft">none</span>}
      </td>
    </>
  );
  return (
    <>
      <p class="lead">
        A service account is how software signs in, with nobody present: a CI job without a secret, a server with a key.
        It reaches the repositories that you grant it, and nothing else.
      </p>
      {may('createServiceAccount') && <NewServiceAccount account_id={account_id} />}
      <List
        list={list}
        label="Service accounts"
        columns={['Name', 'What it is for', 'State', 'Last refused']}
        row={row}
        empty={
          may('createServiceAccount') ? (
            <p>
              No software signs in here yet. Make a service account for each job or server: then each reaches only what
              it needs, and one is stopped without the others.
            </p>
          ) : (
            <p>No software signs in here yet.</p>
          )
        }
      />
    </>
  );
}

function NewServiceAccount({ account_id }: { account_id: string }) {
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const create = async () => {
    const params = { path: { account_id }, header: onceOnly() };
    try {
      await dataOf(api.POST('/accounts/{account_id}/service-accounts', { params, body: { name, description } }));
    } catch (error) {
      throw atField(error, 'service_account_id_taken', 'name');
    }
    goTo(placeOf(account_id, name));
  };
  return (
    <details class="create">
      <summary>New service account</summary>
      <Form onSubmit={create} submitLabel="Create the service account">
        {(problem) => (
          <>
            <Field
              label="Name"
              name="name"
              value={name}
              onChange={setName}
              problem={problem}
              isRequired
              isVerbatim
              maxLength={40}
              hint={
                <>
                  Its ID is{' '}
                  <code>
                    {account_id}--{name || '…'}
                  </code>
                  . It cannot be changed. 3 to 40 small letters, digits and single hyphens.
                </>
              }
            />
            <Field
              label="What it is for"
              name="description"
              value={description}
              onChange={setDescription}
              problem={problem}
              maxLength={256}
              hint="For those who find it in a year."
            />
          </>
        )}
      </Form>
    </details>
  );
}
