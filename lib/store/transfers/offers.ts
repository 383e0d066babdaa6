import type { Account } from '../../domain/accounts/accounts.ts';
import type { Caller } from '../../domain/accounts/callers.ts';
import { mayUseDataConnection } from '../../domain/accounts/permissions.ts';
import type { RepositoryRecord } from '../../domain/data/repositories.ts';
import { endOfOffer, type TransferRecord } from '../../domain/data/transfers.ts';
import { invalidInput, ServiceError } from '../../domain/errors.ts';
import type { RandomSource } from '../../domain/random.ts';
import { toTimestamp } from '../../domain/time.ts';
import type { Store } from '../store.ts';

const refused = (reason: string) => new ServiceError('wrong_state', reason);
const connectionRefused = (reason: string) => new ServiceError('data_connection_refused', reason);

const ownConnection = () =>
  connectionRefused(
    'The repository is on a data connection of its account, and its objects cannot move; create a repository in the other account and copy them',
  );

/**
 * Returns a new transfer offer. Throws `wrong_state` for a disabled repository, `data_connection_refused` for a
 * repository on storage of its account, and `invalid_request` for an invalid receiver.
 */
export async function newTransfer(
  repository: RepositoryRecord,
  to: string,
  { store, random }: { store: Pick<Store, 'requestData'>; random: RandomSource },
  now: number,
): Promise<TransferRecord> {
  const { account_id, repository_id, uid: repository_uid, data } = repository;
  if (repository.disabled) throw refused('The repository is disabled; enable it before you offer it');
  if (repository.on_own_connection) throw ownConnection();
  if (repository_uid === undefined) throw refused('The repository was changed at the same time; try again');
  const { account: receiver } = await store.requestData.readRequestData({ scope: { account_id: to } });
  const canOwn = receiver?.account_type === 'user' || receiver?.account_type === 'organization';
  if (receiver === undefined || !canOwn || receiver.disabled || to === account_id) {
    throw invalidInput([{ path: 'to', message: 'must be another account, enabled, of a user or an organization' }]);
  }
  const created_at = toTimestamp(now);
  return {
    transfer_id: random.uuid(),
    account_id,
    repository_id,
    repository_uid,
    data_connection_id: data.primary_mirror,
    to,
    state: 'offered',
    state_changed: created_at,
    created_at,
    expires_at: toTimestamp(endOfOffer(now)),
  };
}

/**
 * Returns the offered repository. Throws `wrong_state` or `data_connection_refused` if the receiver cannot accept it
 * now.
 */
export async function requireAcceptable(
  transfer: TransferRecord,
  receiver: Account,
  caller: Caller,
  { store }: { store: Pick<Store, 'transfers'> },
): Promise<RepositoryRecord> {
  const { account_id, repository_id, repository_uid } = transfer;
  if (receiver.disabled) throw refused(`The account ${receiver.account_id} is disabled; enable it first`);
  const { from, repository, dataConnection } = await store.transfers.readForAcceptance(transfer);
  if (repository?.uid !== repository_uid) {
    throw refused(`The repository ${account_id}/${repository_id} that was offered was deleted or transferred`);
  }
  if (repository.disabled || from === undefined || from.disabled) {
    throw refused(`${account_id}/${repository_id} or its account is disabled; ask its owners to enable it first`);
  }
  if (repository.on_own_connection) throw ownConnection();
  const use = { account_id: receiver.account_id, asAdmin: false };
  if (dataConnection === undefined || !mayUseDataConnection(caller, use, dataConnection)) {
    throw connectionRefused(
      'The repository is on a data connection that you may not use; ask an administrator for the right to',
    );
  }
  const { allowed_data_modes } = dataConnection;
  if (!allowed_data_modes.includes(repository.data_mode)) {
    const modes = allowed_data_modes.join(', ') || 'none';
    throw connectionRefused(
      `The repository is ${repository.data_mode}, and its data connection allows ${modes}; ask its owners to change that first`,
    );
  }
  return repository;
}
