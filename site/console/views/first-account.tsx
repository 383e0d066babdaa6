import { currentLocation, goTo } from '../router.ts';
import { loadUser } from '../signed-in-user.ts';
import { NewAccountForm } from './new-account-form.tsx';

/**
 * Asks a new user to choose an account ID. Until the account exists, the console shows no other view except the view of
 * an invitation link. `isInvited` is true for a user who follows an invitation link and then returns to it.
 */
export function FirstAccount({ isInvited = false }: { isInvited?: boolean }) {
  return (
    <>
      {isInvited ? <h2>Create your account</h2> : <h1 tabindex={-1}>Create your account</h1>}
      <p class="lead">
        {isInvited
          ? 'You are invited. Create your account first. Then this page shows the invitation, and you can accept it.'
          : 'Your data is published under your account, and others invite you by its ID.'}
      </p>
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
