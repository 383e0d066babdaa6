import type { Account } from '../../domain/accounts/accounts.ts';
import type { AuditEvent } from '../../domain/changes/audit.ts';
import type { EndedRepository } from '../../domain/changes/table-changes.ts';
import type { DataConnectionRecord } from '../../domain/data/data-connections.ts';
import { isOpenToAnyone, type RepositoryRecord } from '../../domain/data/repositories.ts';
import { closedTransfer, type TransferRecord, transferAt } from '../../domain/data/transfers.ts';
import type { ListPage, ListPageRequest } from '../../domain/list-pages.ts';
import { parseTimestamp } from '../../domain/time.ts';
import { decode } from '../codec.ts';
import type { OpenInvitations } from '../invitations/open-invitations.ts';
import { keys, listPosition, lists } from '../keys.ts';
import { accountRecord, dataConnectionRecord, repositoryRecord, transferRecord } from '../records.ts';
import { closedPath, type Opener, opennessWrites } from '../repositories/reopenings.ts';
import { decrementWrite, type RepositoryCountStore } from '../repositories/repository-counts.ts';
import { type Table, TableStore } from '../table.ts';
import {
  acceptanceWrites,
  answerWrites,
  auditWritesOfBoth,
  closedWrites,
  endEvent,
  invitationOf,
  offerWrites,
} from './transfer-items.ts';

/** The data for an acceptance, read at one moment. `repository` is the current repository of this name. */
export interface AcceptanceData {
  from: Account | undefined;
  repository: RepositoryRecord | undefined;
  dataConnection: DataConnectionRecord | undefined;
}

/** Stores offers of repositories to other accounts, and their results. */
export class TransferStore extends TableStore {
  readonly #invitations: OpenInvitations;
  readonly #counts: Pick<RepositoryCountStore, 'incrementWrite'>;

  constructor(table: Table, invitations: OpenInvitations, counts: Pick<RepositoryCountStore, 'incrementWrite'>) {
    super(table);
    this.#invitations = invitations;
    this.#counts = counts;
  }

  /** Creates an offer. Refuses (409) at a limit, for a disabled repository or account, and for a repeated offer. */
  async offer(transfer: TransferRecord, event: AuditEvent, now: number): Promise<void> {
    await this.#invitations.open(invitationOf(transfer), now, (writes) =>
      this.table.transact([...offerWrites(transfer), ...writes, ...auditWritesOfBoth(event, transfer)]),
    );
  }

  async readForAcceptance({ account_id, repository_id, data_connection_id }: TransferRecord): Promise<AcceptanceData> {
    const read = await this.table.getNamed({
      from: keys.account(account_id),
      repository: keys.repository(account_id, repository_id),
      dataConnection: keys.dataConnection(data_connection_id),
    });
    return {
      from: decode(accountRecord, read.from),
      repository: decode(repositoryRecord, read.repository),
      dataConnection: decode(dataConnectionRecord, read.dataConnection),
    };
  }

  /**
   * Transfers the unchanged repository to the receiving account, with the internal ID `uid`. Refuses (409) if the
   * repository, an account, or the offer has changed. Refuses (409) if the receiver has a repository of this ID, or has
   * reached its limit. Throws `throttled` if the new path was public before and the receiver has used all its
   * reopenings.
   */
  async accept(
    transfer: TransferRecord,
    repository: RepositoryRecord,
    uid: string,
    event: AuditEvent,
    opener?: Opener,
  ): Promise<TransferRecord> {
    const accepted = closedTransfer(transfer, 'accepted', parseTimestamp(event.time));
    const [counted, openness] = await Promise.all([
      this.#counts.incrementWrite(transfer.to),
      opennessWrites(this.table, undefined, { ...repository, account_id: transfer.to }, event.time, opener),
    ]);
    await this.table.transact([
      ...answerWrites(accepted),
      ...acceptanceWrites(accepted, repository, uid),
      counted,
      ...openness,
      ...(isOpenToAnyone(repository) ? [closedPath(repository, event.time)] : []),
      decrementWrite(transfer.account_id),
      ...auditWritesOfBoth(event, accepted),
    ]);
    return accepted;
  }

  /** Declines an offer, or withdraws it for the sender. Refuses (409) if the offer is no longer open. */
  async close(transfer: TransferRecord, state: 'declined' | 'withdrawn', event: AuditEvent): Promise<TransferRecord> {
    const closed = closedTransfer(transfer, state, parseTimestamp(event.time));
    await this.table.transact([...answerWrites(closed), ...auditWritesOfBoth(event, closed)]);
    return closed;
  }

  /** Lists the open offers from and to an account, oldest first, on one page. Some may have expired since. */
  async list(accountId: string, page: ListPageRequest, now: number): Promise<ListPage<TransferRecord>> {
    const found = await this.table.listPage('lists', lists.transfers(accountId), page);
    return { items: found.items.map((item) => transferAt(decode(transferRecord, item), now)), next: found.next };
  }

  /** Returns the list position of an offer. */
  positionOf({ created_at, transfer_id }: TransferRecord): string {
    return listPosition(created_at, transfer_id);
  }

  /** Audits an offer that the TTL deleted, for both accounts. The stream consumer calls this method. */
  async recordExpiry(transfer: TransferRecord): Promise<void> {
    await this.#invitations.forget(invitationOf(transfer));
    const ended = { ...transfer, state: 'ended', state_changed: transfer.expires_at } as const;
    await this.table.transact(auditWritesOfBoth(endEvent(ended), ended));
  }

  /** Ends the offers of a deleted or transferred repository. The stream consumer calls this method. */
  async endWithRepository({ account_id, repository_id, uid }: EndedRepository, now: string): Promise<void> {
    const { pk, sk } = keys.openInvitation(`${account_id}/${repository_id}`, 'transfer', '');
    const range = { from: sk, to: `${sk}~` };
    for await (const page of this.table.partitionPages(pk, range)) {
      const wanted = page.map(({ invitation_id }) => keys.transfer(String(invitation_id)));
      const read = (await this.table.getMany(wanted)).map((item) => decode(transferRecord, item));
      await this.#end(read, ({ repository_uid }) => repository_uid === uid, now);
    }
  }

  /** Ends the offers from and to a deleted account. The stream consumer calls this method. */
  async endWithAccount(accountId: string, now: string): Promise<void> {
    for await (const page of this.table.listPages('lists', lists.transfers(accountId)))
      await this.#end(
        page.map((item) => decode(transferRecord, item)),
        () => true,
        now,
      );
  }

  async #end(
    transfers: readonly (TransferRecord | undefined)[],
    isMeant: (transfer: TransferRecord) => boolean,
    now: string,
  ): Promise<void> {
    for (const transfer of transfers) {
      if (transfer?.state !== 'offered' || !isMeant(transfer)) continue;
      const ended = closedTransfer(transfer, 'ended', parseTimestamp(now));
      await this.#invitations.forget(invitationOf(transfer));
      // The write fails if the offer was answered first.
      await this.table.transactIfHolding([...closedWrites(ended), ...auditWritesOfBoth(endEvent(ended), ended)]);
    }
  }
}
