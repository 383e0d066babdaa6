import type { Account } from '../accounts/accounts.ts';
import type { RequestDataReader } from '../accounts/request-data.ts';
import { invalidInput } from '../errors.ts';
import type { SessionHolder } from '../secrets/session-credentials.ts';
import { mayReadData } from './data-access.ts';

/**
 * Returns the holder of a user's new data credentials, and the number of times that the account was disabled. Throws
 * the same `field_invalid` for a repository that does not exist and for one that the user may not read.
 *
 * @param repositoryPath `account/repository`, to limit the credentials to one repository
 */
export async function userHolder(
  { account_id }: Pick<Account, 'account_id'>,
  repositoryPath: string | undefined,
  requestData: Pick<RequestDataReader, 'readRequestData'>,
): Promise<{ holder: SessionHolder; times_disabled: number }> {
  const [of = '', repository_id] = repositoryPath?.split('/') ?? [];
  const scope = repositoryPath === undefined ? undefined : { account_id: of, repository_id };
  const data = await requestData.readRequestData({ callerAccountId: account_id, scope });
  const times_disabled = data.callerAccount?.times_disabled ?? 0;
  const holder = { kind: 'user', account_id } as const;
  if (repositoryPath === undefined) return { holder, times_disabled };
  const { account: owner, callerAccount, repository } = data;
  const rights = { ...data, owner, actingAccount: callerAccount && { ...callerAccount, times_disabled } };
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
