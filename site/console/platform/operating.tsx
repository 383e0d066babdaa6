import { useState } from 'preact/hooks';
import { api, dataOf } from '../api/client.ts';
import { atField } from '../api/problem.ts';
import { Form } from '../components/form.tsx';
import { notify } from '../components/notices.tsx';
import { goTo } from '../router.ts';
import { NewAccountForm } from '../views/new-account-form.tsx';

/** Shows the tasks of the site's operator that belong to no list. */
export function View() {
  return (
    <>
      <PlatformLogins />
      <RevokeApiKey />
    </>
  );
}

function PlatformLogins() {
  return (
    <section class="block">
      <h3>Platform logins</h3>
      <p>
        A platform login is an account for software of the site's operator. It has no owner and no profile.
        Administrators create and revoke its API keys. Software of publishers uses service accounts instead.
      </p>
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

/** Revokes an API key by its ID. Administrators can revoke a key even if they may not list the account's keys. */
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
      <h3>API keys</h3>
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
