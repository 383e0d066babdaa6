import { currentLocation, goTo } from '../router.ts';
import { loadUser } from '../signed-in-user.ts';
import { NewAccountForm } from './new-account-form.tsx';

/** Asks a new user to choose an account ID. The console shows no other view until the account exists. */
export function FirstAccount() {
  return (
    <>
      <h1 tabindex={-1}>Create your account</h1>
      <p class="lead">Your data is published under your account, and others invite you by its ID.</p>
      <NewAccountForm
        account_type="user"
        submitLabel="Create account"
        nameLabel="Your name"
        nameHint="Visible to everyone. Optional."
        onCreated={async () => {
          await loadUser();
          goTo(currentLocation.value.path, { replace: true });
        }}
      />
    </>
  );
}
