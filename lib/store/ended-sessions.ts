import { conflict, ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import {
  type Ending,
  endSource,
  type ListedEnding,
  noEnding,
  showEnding,
} from '../domain/service-accounts/ended-sessions.ts';
import { type ServiceAccountRecord, serviceAccountRecord } from '../domain/service-accounts/service-accounts.ts';
import { keys } from './keys.ts';
import { retryOn, TableStore } from './table.ts';
import { type Update, update } from './writes.ts';

type WithSources = Pick<ServiceAccountRecord, 'service_account_id' | 'uid' | 'ended_sources'>;

const overtaken = conflict('The sessions of another key were ended at the same time; send the request again');
const gone = new ServiceError('not_found', 'The service account was deleted; its sessions ended with it');

/** Stores which keys and workflows have ended sessions. The list is in the record of the service account. */
export class EndedSessionStore extends TableStore {
  /**
   * Revokes a key or removes a workflow. With `isEnding`, also ends its sessions. The caller's function `revoke` runs a
   * transaction that contains the given update. If another request changed the list of ended sessions at the same time,
   * `revoke` runs again with a new update.
   */
  async revoke(
    { serviceAccount, id, isEnding }: { serviceAccount: WithSources; id: string; isEnding: boolean },
    now: number,
    revoke: (ending: Update | undefined) => Promise<void>,
  ): Promise<Ending> {
    let read = serviceAccount;
    const revokeOnce = async () => {
      const ending = isEnding ? endSource(read.ended_sources, id, now) : undefined;
      await revoke(ending && endingUpdate(read, ending));
      return isEnding ? showEnding(ending) : noEnding;
    };
    return retryOn(overtaken, limits.changeTriesMax, revokeOnce, async (attempt) => {
      await this.table.pause(attempt);
      const found = await this.#find(read);
      if (found === undefined) throw gone;
      read = found;
    });
  }

  /** Ends the sessions of a key that another request has already revoked. */
  async write(ending: Update | undefined): Promise<void> {
    if (ending !== undefined) await this.table.transact([ending]);
  }

  /** Ends the sessions of a leaked key if its service account has the setting `end_sessions_on_revocation`. */
  async endLeaked(key: Pick<WithSources, 'service_account_id' | 'uid'> & { key_id: string }, now: number) {
    const serviceAccount = await this.#find(key);
    if (!serviceAccount?.end_sessions_on_revocation) return;
    await this.revoke({ serviceAccount, id: key.key_id, isEnding: true }, now, async (ending) => {
      if (ending === undefined) return;
      const written = await this.table.update(ending.key, ending.change, ending.condition);
      if (written === undefined) throw overtaken;
    });
  }

  async #find({ service_account_id, uid }: Pick<WithSources, 'service_account_id' | 'uid'>) {
    const item = await this.table.get(keys.account(service_account_id));
    return item?.['uid'] === uid ? serviceAccountRecord.parse(item) : undefined;
  }
}

function endingUpdate({ service_account_id, uid, ended_sources }: WithSources, ending: ListedEnding): Update {
  return update(
    keys.account(service_account_id),
    { set: { ended_sources: ending.ended_sources }, ...(ending.endsAll ? { add: { times_disabled: 1 } } : {}) },
    { equals: { uid }, absentOrEquals: { ended_sources } },
    overtaken,
  );
}
