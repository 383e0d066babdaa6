import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import type { Problem } from '../api/problem.ts';
import { Field, Form } from '../components/form.ts';
import { Loaded, useLoading } from '../components/loaded.ts';
import { goTo, hrefOf } from '../router.ts';
import { refuseMailAddress } from '../views/account-id.ts';
import { loadPlatformPermissions, type May } from './permissions.ts';

/** Where whoever runs the place begins. */
export function View() {
  const loading = useLoading(loadPlatformPermissions, []);
  return html`<${Loaded} loading=${loading}>
    ${(may: May) =>
      may('createDataConnection')
        ? html`<${Administration} />`
        : html`<p class="notice">This is for administrators. If you should be one, ask another to give your account the flag.</p>`}
  <//>`;
}

function Administration() {
  const [accountId, setAccountId] = useState('');
  const open = async () => {
    refuseMailAddress(accountId, 'account_id', 'open');
    goTo(`/accounts/${encodeURIComponent(accountId.trim())}/flags`);
  };
  return html`<section class="block"><h2>Storage</h2>
      <p>A data connection is a place in a storage, on which repositories are placed.</p>
      <p><a class="button second" href=${hrefOf('/data-connections')}>Data connections</a></p>
    </section>
    <section class="block"><h2>An account</h2>
      <p>Its flags say what it may do beyond its own; its settings disable it and enable it again.</p>
      <${Form} onSubmit=${open} submitLabel="Open the account" isDisabled=${accountId.trim() === ''}>
        ${(problem: Problem | undefined) => html`<${Field} label="Account ID" name="account_id" value=${accountId} onChange=${setAccountId} problem=${problem} isVerbatim isRequired />`}
      <//>
    </section>`;
}
