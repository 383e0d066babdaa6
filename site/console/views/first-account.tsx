import { useState } from 'preact/hooks';
import { api, dataOf, onceOnly } from '../api/client.ts';
import { Field, Form } from '../components/form.tsx';
import { loadPerson } from '../person.ts';
import { goTo, place } from '../router.ts';

const idHint =
  'Part of the URL of everything that you publish. 3 to 40 small letters, digits and hyphens; it cannot be changed.';

/** Asks a new user for an account ID before any other view. */
export function FirstAccount() {
  const [accountId, setAccountId] = useState('');
  const [name, setName] = useState('');
  const create = async () => {
    await dataOf(
      api.POST('/accounts', {
        params: { header: onceOnly() },
        body: { account_id: accountId, account_type: 'user', profile: name === '' ? {} : { name } },
      }),
    );
    await loadPerson();
    goTo(place.value.path, { replace: true });
  };
  return (
    <>
      <h1 tabindex={-1}>Create your account</h1>
      <p class="lead">Your data is published under your account, and others invite you by its ID.</p>
      <Form onSubmit={create} submitLabel="Create my account">
        {(problem) => (
          <>
            <Field
              label="Account ID"
              name="account_id"
              value={accountId}
              onChange={setAccountId}
              problem={problem}
              hint={idHint}
              isRequired
              isVerbatim
              maxLength={40}
            />
            <Field
              label="Your name"
              name="profile.name"
              value={name}
              onChange={setName}
              problem={problem}
              hint="Shown to everybody. You can leave it empty."
              maxLength={128}
            />
          </>
        )}
      </Form>
    </>
  );
}
