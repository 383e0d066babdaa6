import { Loaded, useLoading } from '../components/loaded.tsx';
import { loadPlatformPermissions } from '../platform/permissions.ts';
import { goTo } from '../router.ts';
import { loadUser, ownAccountId } from '../signed-in-user.ts';
import { NewAccountForm } from './new-account-form.tsx';

/** Creates an organization. Shows a notice instead of the form when the user lacks the permission. */
export function View() {
  const loading = useLoading(loadPlatformPermissions, []);
  return (
    <Loaded loading={loading}>
      {(may) =>
        may('createAccount') ? (
          <>
            <p class="lead">
              An organization holds the data of several users. You are its first owner and invite the others.
            </p>
            <NewAccountForm
              account_type="organization"
              submitLabel="Create organization"
              nameLabel="Name"
              onCreated={async (account_id) => {
                await loadUser();
                goTo(`/accounts/${account_id}`);
              }}
            />
          </>
        ) : (
          <p class="notice">
            <OrganizationRequest />
          </p>
        )
      }
    </Loaded>
  );
}

/** Explains how to request the permission to create organizations. */
export function OrganizationRequest() {
  return (
    <>
      To create an organization, ask an administrator of this site to allow it for your account,{' '}
      <code>{ownAccountId()}</code>.
    </>
  );
}
