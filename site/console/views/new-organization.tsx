import { useState } from 'preact/hooks';
import { api, dataOf, onceOnly } from '../api/client.ts';
import { Field, Form } from '../components/form.tsx';
import { Loaded, useLoading } from '../components/loaded.tsx';
import { loadPerson, ownAccountId } from '../person.ts';
import { loadPlatformPermissions } from '../platform/permissions.ts';
import { goTo } from '../router.ts';
import { HowToFound } from './how-to-found.tsx';

/** Creates an organization. A user who opens the URL without the permission sees a notice instead of the form. */
export function View() {
  const loading = useLoading(loadPlatformPermissions, []);
  return (
    <Loaded loading={loading}>
      {(may) =>
        may('createAccount') ? (
          <Founding />
        ) : (
          <p class="notice">
            <HowToFound accountId={ownAccountId()} />
          </p>
        )
      }
    </Loaded>
  );
}

function Founding() {
  const [accountId, setAccountId] = useState('');
  const [name, setName] = useState('');
  const create = async () => {
    const { account_id } = await dataOf(
      api.POST('/accounts', {
        params: { header: onceOnly() },
        body: { account_id: accountId, account_type: 'organization', profile: name === '' ? {} : { name } },
      }),
    );
    await loadPerson();
    goTo(`/accounts/${account_id}`);
  };
  return (
    <>
      <p class="lead">
        An organization holds the data of several people. You are its first owner and invite the others.
      </p>
      <Form onSubmit={create} submitLabel="Create the organization">
        {(problem) => (
          <>
            <Field
              label="Account ID"
              name="account_id"
              value={accountId}
              onChange={setAccountId}
              problem={problem}
              isRequired
              isVerbatim
              maxLength={40}
              hint="Part of the URL of all its data. 3 to 40 small letters, digits and hyphens; it cannot be changed."
            />
            <Field label="Name" name="profile.name" value={name} onChange={setName} problem={problem} maxLength={128} />
          </>
        )}
      </Form>
    </>
  );
}
