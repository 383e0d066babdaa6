import { useState } from 'preact/hooks';
import { api, dataOf, onceOnly } from '../api/client.ts';
import { atField } from '../api/problem.ts';
import { Field, Form } from '../components/form.tsx';
import { Loaded, useLoading } from '../components/loaded.tsx';
import { notify } from '../components/notices.tsx';
import { goTo, hrefOf } from '../router.ts';
import { accountIdOf } from '../views/account-id.ts';
import { loadPlatformPermissions } from './permissions.ts';

/** The start view of administrators. */
export function View() {
  const loading = useLoading(loadPlatformPermissions, []);
  return (
    <Loaded loading={loading}>
      {(may) =>
        may('createDataConnection') ? (
          <>
            <Storage />
            <AnAccount />
            <PlatformLogin />
            <AnApiKey />
          </>
        ) : (
          <p class="notice">
            This is for administrators. If you should be one, ask another to give your account the flag.
          </p>
        )
      }
    </Loaded>
  );
}

function Storage() {
  return (
    <section class="block">
      <h2>Storage</h2>
      <p>A data connection is a place in a storage, on which repositories are placed.</p>
      <p>
        <a class="button second" href={hrefOf('/data-connections')}>
          Data connections
        </a>
      </p>
    </section>
  );
}

/** Opens the keys of a platform login, or the flags of any other account. */
async function openAccount(typed: string): Promise<void> {
  const account_id = accountIdOf(typed, 'account_id', 'open');
  const params = { path: { account_id } };
  const { account_type } = await dataOf(api.GET('/accounts/{account_id}', { params })).catch((error) => {
    throw atField(error, 'not_found', 'account_id');
  });
  goTo(`/accounts/${account_id}/${account_type === 'service' ? 'api-keys' : 'flags'}`);
}

function AnAccount() {
  const [accountId, setAccountId] = useState('');
  return (
    <section class="block">
      <h2>An account</h2>
      <p>
        Of a person, an organization or a platform login. Its flags say what it may do beyond its own; its settings
        disable it and enable it again.
      </p>
      <Form
        onSubmit={() => openAccount(accountId)}
        submitLabel="Open the account"
        isDisabled={accountId.trim() === ''}
        losesNothing
      >
        {(problem) => (
          <Field
            label="Account ID"
            name="account_id"
            value={accountId}
            onChange={setAccountId}
            problem={problem}
            isVerbatim
            isRequired
          />
        )}
      </Form>
    </section>
  );
}

function PlatformLogin() {
  const [accountId, setAccountId] = useState('');
  const create = async () => {
    const body = { account_id: accountId, account_type: 'service', profile: {} } as const;
    await dataOf(api.POST('/accounts', { params: { header: onceOnly() }, body })).catch((error) => {
      throw atField(error, 'account_id_taken', 'account_id');
    });
    goTo(`/accounts/${accountId}/api-keys`);
  };
  return (
    <section class="block">
      <h2>Platform logins</h2>
      <p>
        Accounts of the type “service”, for software of whoever runs this site. Nobody owns one and it has no profile:
        administrators make its API keys and end them. Software of publishers signs in as a service account of theirs.
      </p>
      <p class="soft">There is no list of them. Open one above by its ID.</p>
      <details class="create">
        <summary>New platform login</summary>
        <Form onSubmit={create} submitLabel="Make the login">
          {(problem) => (
            <Field
              label="ID of the login"
              name="account_id"
              value={accountId}
              onChange={setAccountId}
              problem={problem}
              isVerbatim
              isRequired
              maxLength={40}
              hint="3 to 40 small letters, digits and hyphens; it cannot be changed."
            />
          )}
        </Form>
      </details>
    </section>
  );
}

/** Revokes an API key by its ID. Administrators may do so without access to the list of keys. */
function AnApiKey() {
  const [keyId, setKeyId] = useState('');
  const end = async () => {
    const access_key_id = keyId.trim();
    const { name } = await dataOf(
      api.DELETE('/api-keys/{access_key_id}', { params: { path: { access_key_id } } }),
    ).catch((error) => {
      throw atField(error, 'not_found', 'access_key_id');
    });
    notify(`The key “${name}” is ended.`);
    setKeyId('');
  };
  return (
    <section class="block">
      <h2>An API key</h2>
      <p>
        Ends the key of any account or repository by its ID, where its owner cannot. Nothing brings it back; the owner
        sees it in the audit trail.
      </p>
      <Form onSubmit={end} submitLabel="Revoke key" isDanger isDisabled={keyId.trim() === ''}>
        {(problem) => (
          <Field
            label="Access key ID"
            name="access_key_id"
            value={keyId}
            onChange={setKeyId}
            problem={problem}
            isVerbatim
            isRequired
            hint={
              <>
                It begins with <code>SCAK</code>.
              </>
            }
          />
        )}
      </Form>
    </section>
  );
}
