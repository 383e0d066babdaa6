import { useState } from 'preact/hooks';
import { formatDay } from '../../../lib/pages/site/format.ts';
import { api, dataOf, onceOnly } from '../api/client.ts';
import { atField } from '../api/problem.ts';
import { Form } from '../components/form.tsx';
import { Lines, List, useList } from '../components/list.tsx';
import { goTo, hrefOf } from '../router.ts';
import type { AccountViewProps } from '../routes.ts';

const pathOf = (account_id: string, name: string) => `/accounts/${account_id}/service-accounts/${name}`;

/** Lists the service accounts of an account and creates new ones. */
export function View({ account: { account_id, may } }: AccountViewProps) {
  const list = useList(
    (query) => api.GET('/accounts/{account_id}/service-accounts', { params: { path: { account_id }, query } }),
    [account_id],
  );
  return (
    <>
      <p class="lead">
        Software signs in with a service account, without a user: a CI job without a secret, a server with a key. It can
        reach only the repositories that you grant.
      </p>
      {may('createServiceAccount') && <NewServiceAccount account_id={account_id} />}
      <List
        list={list}
        label="Service accounts"
        columns={[
          {
            title: 'Name',
            cell: ({ name, service_account_id }) => (
              <Lines of={[<a href={hrefOf(pathOf(account_id, name))}>{name}</a>, service_account_id]} />
            ),
          },
          { title: 'Purpose', cell: ({ description }) => description || <span class="soft">–</span> },
          {
            title: 'State',
            cell: ({ disabled }) => (
              <span class={disabled ? 'badge over' : 'badge live'}>{disabled ? 'disabled' : 'enabled'}</span>
            ),
          },
          {
            title: 'Last refused sign-in',
            class: 'day',
            isLabeled: true,
            cell: ({ last_refused_sign_in: refused }) =>
              refused ? formatDay(refused.time) : <span class="soft">none</span>,
          },
        ]}
        empty={`There is no service account yet.${
          may('createServiceAccount')
            ? ' Create one for each job or server. Then you can limit and stop each one separately.'
            : ''
        }`}
      />
    </>
  );
}

function NewServiceAccount({ account_id }: { account_id: string }) {
  const [values, setValues] = useState({ name: '', description: '' });
  const create = async () => {
    const params = { path: { account_id }, header: onceOnly() };
    await dataOf(api.POST('/accounts/{account_id}/service-accounts', { params, body: values })).catch((error) => {
      throw atField(error, 'service_account_id_taken', 'name');
    });
    goTo(pathOf(account_id, values.name));
  };
  return (
    <Form
      summary="New service account"
      onSubmit={create}
      submitLabel="Create service account"
      values={values}
      onChange={setValues}
      fields={[
        {
          name: 'name',
          label: 'Name',
          isRequired: true,
          isVerbatim: true,
          maxLength: 40,
          hint: (
            <>
              Its ID is <code>{`${account_id}--${values.name || '…'}`}</code>. 3 to 40 lowercase letters, digits and
              single hyphens. You cannot change it later.
            </>
          ),
        },
        { name: 'description', label: 'Purpose', maxLength: 256, hint: 'For others who manage this account.' },
      ]}
    />
  );
}
