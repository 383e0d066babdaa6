import type { Account } from '../domain/accounts/accounts.ts';
import { mayReadData } from '../domain/data/data-access.ts';
import type { SessionHolder } from '../domain/secrets/session-credentials.ts';
import { invalidInput } from '../http/validate.ts';
import type { Services } from './services.ts';

/**
 * Returns the holder of a user's credentials, and the number of times that the account was disabled. Throws
 * `field_invalid` for a repository that the user may not read, with the same error if it does not exist.
 * @param place `account/repository`, to limit the credentials to one repository
 */
export async function personHolder(
  { account_id }: Pick<Account, 'account_id'>,
  place: string | undefined,
  { store }: Pick<Services, 'store'>,
): Promise<{ holder: SessionHolder; times_disabled: number }> {
  const [of = '', repository_id] = place?.split('/') ?? [];
  const scope = place === undefined ? undefined : { account_id: of, repository_id };
  const facts = await store.facts.readRequestData({ callerAccountId: account_id, scope });
  const times_disabled = facts.callerAccount?.times_disabled ?? 0;
  const holder = { kind: 'person', account_id } as const;
  if (place === undefined) return { holder, times_disabled };
  const { account: owner, callerAccount, repository } = facts;
  const rights = { ...facts, owner, actingAccount: callerAccount && { ...callerAccount, times_disabled } };
  const principal = { ...holder, times_disabled, role: 'ReadOnly' } as const;
  const isReadable = mayReadData(principal, { ...rights, repository, serviceAccount: undefined, grant: undefined });
  if (!isReadable || repository?.uid === undefined) {
    throw invalidInput([{ path: 'repository', message: 'is not a repository that you may read; check both IDs' }]);
  }
  return {
    holder: {
      ...holder,
      narrowed_to: { account_id: of, repository_id: repository.repository_id, uid: repository.uid },
    },
    times_disabled,
  };
}
