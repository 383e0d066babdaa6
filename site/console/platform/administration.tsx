import { useState } from 'preact/hooks';
import { api, dataOf } from '../api/client.ts';
import { atField } from '../api/problem.ts';
import { Form } from '../components/form.tsx';
import { Loaded, useLoading } from '../components/loaded.tsx';
import { notify } from '../components/notices.tsx';
import { goTo, hrefOf } from '../router.ts';
import { accountIdOf } from '../views/account-id.ts';
import { NewAccountForm } from '../views/new-account-form.tsx';
import { loadPlatformPermissions } from './permissions.ts';

/** The view with which site administrators begin. */
export function View() {
  const loading = useLoading(loadPlatformPermissions, []);
  return (
    <Loaded loading={loading}>
      {(may) =>
        may('createDataConnection') ? (
          <>
            <section class="block">
              <h2>Storage</h2>
              <p>A data connection is a location in a storage for the data of repositories.</p>
              <p>
                <a class="button second" href={hrefOf('/data-connections')}>
                  Data connections
                </a>
              </p>
            </section>
            <section class="block">
              <h2>Usage</h2>
              <p>How often the files of all repositories are read.</p>
              <p>
                <a class="button second" href={hrefOf('/usage')}>
                  Usage of all repositories
                </a>
              </p>
            </section>
            <OpenAccount />
            <PlatformLogins />
            <RevokeApiKey />
          </>
        ) : (
          <p class="notice">Only administrators can use this page. An administrator can give your account the flag.</p>
        )
      }
    </Loaded>
  );
}

function OpenAccount() {
  const [values, setValues] = useState({ account_id: '' });
  /** Opens the API keys of a platform login. For any other account, opens its flags. */
  const open = async () => {
    const account_id = accountIdOf(values.account_id, 'account_id', 'open');
    const params = { path: { account_id } };
    const { account_type } = await dataOf(api.GET('/accounts/{account_id}', { params })).catch((error) => {
      throw atField(error, 'not_found', 'account_id');
    });
    goTo(`/accounts/${account_id}/${account_type === 'service' ? 'api-keys' : 'flags'}`);
  };
  return (
    <section class="block">
      <h2>Accounts</h2>
      <p>
        Open the account of a user, an organization or a platform login. You can change its flags, disable it and enable
        it again.
      </p>
      <Form
        onSubmit={open}
        submitLabel="Open account"
        isDisabled={values.account_id.trim() === ''}
        losesNothing
        values={values}
        onChange={setValues}
        fields={[{ name: 'account_id', label: 'Account ID', isVerbatim: true, isRequired: true }]}
      />
    </section>
  );
}

function PlatformLogins() {
  return (
    <section class="block">
      <h2>Platform logins</h2>
      <p>
        A platform login is an account of the type “service”, for software of the site's operator. It has no owner and
        no profile. Administrators create and revoke its API keys. Software of publishers uses service accounts instead.
      </p>
      <p class="soft">There is no list of platform logins. Open one above by its ID.</p>
      <NewAccountForm
        account_type="service"
        summary="New platform login"
        submitLabel="Create login"
        idLabel="ID of the login"
        onCreated={async (account_id) => goTo(`/accounts/${account_id}/api-keys`)}
      />
    </section>
  );
}

/** Revokes an API key by its ID. Administrators can do this although they may not list the account's keys. */
function RevokeApiKey() {
  const [values, setValues] = useState({ access_key_id: '' });
  const revoke = async () => {
    const params = { path: { access_key_id: values.access_key_id.trim() } };
    const { name } = await dataOf(api.DELETE('/api-keys/{access_key_id}', { params })).catch((error) => {
      throw atField(error, 'not_found', 'access_key_id');
    });
    notify(`The key “${name}” is revoked.`);
    setValues({ access_key_id: '' });
  };
  const hint = (
    <>
      It begins with <code>SCAK</code>.
    </>
  );
  return (
    <section class="block">
      <h2>API keys</h2>
      <p>
        Revoke the key of any account or repository by its ID. A revoked key cannot be restored. The owner sees the
        revocation in the audit trail.
      </p>
      <Form
        onSubmit={revoke}
        submitLabel="Revoke key"
        isDanger
        isDisabled={values.access_key_id.trim() === ''}
        values={values}
        onChange={setValues}
        fields={[{ name: 'access_key_id', label: 'Access key ID', isVerbatim: true, isRequired: true, hint }]}
      />
    </section>
  );
}
