import type { RepositoryRecord } from '../../domain/data/repositories.ts';
import type { TransferRecord } from '../../domain/data/transfers.ts';
import { conflict, ServiceError } from '../../domain/errors.ts';
import { parseTimestamp } from '../../domain/time.ts';
import { firstVersionAt } from '../../domain/versions.ts';
import { encode } from '../codec.ts';
import { type Key, keys } from '../keys.ts';
import { encodeRepository } from '../repositories/repositories.ts';
import { transferPrefixes } from '../repositories/repository-prefixes.ts';
import { check, put, remove, type Write } from '../writes.ts';

const changedMeanwhile = conflict(
  'The repository was changed, deleted or transferred at the same time; look at the offer and try again',
);

/**
 * Returns the writes that move a repository to the receiving account. Its storage prefixes stay. Its new internal ID
 * ends all rights that were granted in it. The forwarding item under the old path redirects, and tells the stream
 * consumer what to remove.
 */
export function acceptanceWrites(
  { account_id, repository_id, to, repository_uid, state_changed }: TransferRecord,
  repository: RepositoryRecord,
  uid: string,
): Write[] {
  const version = firstVersionAt(parseTimestamp(state_changed));
  const given = { ...repository, account_id: to, uid, updated: state_changed, version };
  return [
    remove(
      keys.repository(account_id, repository_id),
      { equals: { version: repository.version, uid: repository_uid, disabled: false } },
      changedMeanwhile,
    ),
    put(
      encodeRepository(given),
      { exists: false },
      new ServiceError(
        'repository_id_taken',
        `${to} has a repository ${repository_id} already; delete that one, or ask for an offer under another ID`,
      ),
    ),
    ...transferPrefixes(repository, { account_id: to, repository_id }),
    put(
      encode(
        'repository_forwarding',
        {
          account_id,
          repository_id,
          former_uid: repository_uid,
          to_account_id: to,
          to_repository_id: repository_id,
          to_uid: uid,
        },
        { key: keys.forwarding(account_id, repository_id) },
      ),
    ),
    // A repository that was transferred away from there is no longer found under that path.
    remove(keys.forwarding(to, repository_id)),
    enabled(keys.account(account_id), account_id),
    enabled(keys.account(to), to),
  ];
}

function enabled(key: Key, accountId: string): Write {
  return check(
    key,
    { equals: { disabled: false } },
    new ServiceError('wrong_state', `The account ${accountId} is disabled, or gone; nothing is transferred then`),
  );
}
