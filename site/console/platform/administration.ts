import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { api, dataOf, onceOnly } from '../api/client.ts';
import { atField, type Problem } from '../api/problem.ts';
import { Field, Form } from '../components/form.ts';
import { Loaded, useLoading } from '../components/loaded.ts';
import { notify } from '../components/notices.ts';
import { goTo, hrefOf } from '../router.ts';
import { accountIdOf } from '../views/account-id.ts';
import { loadPlatformPermissions, type May } from './permissions.ts';

/** Where whoever runs the place begins. */
export function View() {
  const loading = useLoading(loadPlatformPermissions, []);
  return html`<${Loaded} loading=${loading}>
    ${(may: May) =>
      may('createDataConnection')
        ? html`<${Storage} /><${AnAccount} /><${PlatformLogin} /><${AnApiKey} />`
        : html`<p class="notice">This is for administrators. If you should be one, ask another to give your account the flag.</p>`}
  <//>`;
}

function Storage() {
  return html`<section class="block"><h2>Storage</h2>
      <p>A data connection is a place in a storage, on which repositories are placed.</p>
      <p><a class="button second" href=${hrefOf('/data-connections')}>Data connections</a></p>
    </section>`;
}

/** Of a login its keys are what one looks for, of all others their flags. */
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
  return html`<section class="block"><h2>An account</h2>
      <p>Of a person, an organization or a platform login. Its flags say what it may do beyond its own; its settings disable it and enable it again.</p>
      <${Form} onSubmit=${() => openAccount(accountId)} submitLabel="Open the account" isDisabled=${accountId.trim() === ''} losesNothing>
        ${(problem: Problem | undefined) => html`<${Field} label="Account ID" name="account_id" value=${accountId} onChange=${setAccountId} problem=${problem} isVerbatim isRequired />`}
      <//>
    </section>`;
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
  return html`<section class="block"><h2>Platform logins</h2>
      <p>Accounts of the type “service”, for software of whoever runs this site. Nobody owns one and it has no profile: administrators make its API keys and end them. Software of publishers signs in as a service account of theirs.</p>
      <p class="soft">There is no list of them. Open one above by its ID.</p>
      <details class="create"><summary>New platform login</summary>
        <${Form} onSubmit=${create} submitLabel="Make the login">
          ${(
            problem: Problem | undefined,
          ) => html`<${Field} label="ID of the login" name="account_id" value=${accountId} onChange=${setAccountId} problem=${problem} isVerbatim isRequired maxLength=${40}
            hint="3 to 40 small letters, digits and hyphens; it cannot be changed." />`}
        <//></details>
    </section>`;
}

/** Administrators may end a key whose list they may not see. */
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
  return html`<section class="block"><h2>An API key</h2>
      <p>Ends the key of any account or repository by its ID, where its owner cannot. Nothing brings it back; the owner sees it in the audit trail.</p>
      <${Form} onSubmit=${end} submitLabel="End the key" isDanger isDisabled=${keyId.trim() === ''}>
        ${(problem: Problem | undefined) => html`<${Field} label="Access key ID" name="access_key_id" value=${keyId} onChange=${setKeyId} problem=${problem} isVerbatim isRequired hint=${html`It begins with <code>SCAK</code>.`} />`}
      <//>
    </section>`;
}
