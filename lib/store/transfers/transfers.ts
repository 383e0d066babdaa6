import type { Account } from '../../domain/accounts/accounts.ts';
import type { AuditEvent } from '../../domain/changes/audit.ts';
import type { EndedRepository } from '../../domain/changes/table-changes.ts';
import type { DataConnectionRecord } from '../../domain/data/data-connections.ts';
import { isOpenToAnyone, type RepositoryRecord } from '../../domain/data/repositories.ts';
import { closedTransfer, type TransferRecord, transferAt } from '../../domain/data/transfers.ts';
import { everyPage, type ListPage, type ListPageRequest } from '../../domain/list-pages.ts';
import { parseTimestamp } from '../../domain/time.ts';
import { decode } from '../codec.ts';
import type { OpenInvitations } from '../invitations/open-invitations.ts';
import { keys, listPosition, lists } from '../keys.ts';
import { accountRecord, dataConnectionRecord, repositoryRecord, transferRecord } from '../records.ts';
import { closedPath, type Opener, opennessWrites } from '../repositories/reopenings.ts';
import { oneLess, type RepositoryCountStore } from '../repositories/repository-counts.ts';
import { readNamed } from '../request-data.ts';
import type { Table } from '../table.ts';
import { acceptanceWrites } from './acceptance.ts';
import {
  answerWrites,
  auditWritesOfBoth,
  closedWrites,
  endEvent,
  invitationOf,
  offerWrites,
} from './transfer-items.ts';

/** What an acceptance hangs on, as it was at one moment; `repository` is whatever has the name. */
export interface AcceptanceData {
  from: Account | undefined;
  repository: RepositoryRecord | undefined;
  dataConnection: DataConnectionRecord | undefined;
}

/** Of the offers that an end leaves, how many are looked at together. */
const atOnce = 25;

/** Offers of repositories to other accounts, and what becomes of them. */
export class TransferStore {
  readonly #table: Table;
  readonly #invitations: OpenInvitations;
  readonly #counts: Pick<RepositoryCountStore, 'oneMore'>;

  constructor(table: Table, invitations: OpenInvitations, counts: Pick<RepositoryCountStore, 'oneMore'>) {
    this.#table = table;
    this.#invitations = invitations;
    this.#counts = counts;
  }

  /** Refuses (409) for the limit that is reached, for what is disabled, and for what is offered to them already. */
  async offer(transfer: TransferRecord, event: AuditEvent, now: number): Promise<void> {
    await this.#invitations.open(invitationOf(transfer), now, (writes) =>
      this.#table.transact([...offerWrites(transfer), ...writes, ...auditWritesOfBoth(event, transfer)]),
    );
  }

  async readForAcceptance({ account_id, repository_id, data_connection_id }: TransferRecord): Promise<AcceptanceData> {
    const read = await readNamed(this.#table, {
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
   * Gives the repository, as it was read, to the account it was offered to, under the internal id `uid`. Refuses (409)
   * when it, either account or the offer has changed, or the receiving account has a repository of that ID, or as many as
   * it may; and with `throttled` where the new path was closed before and the account has used up its reopenings.
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
      this.#counts.oneMore(transfer.to),
      opennessWrites(this.#table, undefined, { ...repository, account_id: transfer.to }, event.time, opener),
    ]);
    await this.#table.transact([
      ...answerWrites(accepted),
      ...acceptanceWrites(accepted, repository, uid),
      counted,
      ...openness,
      ...(isOpenToAnyone(repository) ? [closedPath(repository, event.time)] : []),
      oneLess(transfer.account_id),
      ...auditWritesOfBoth(event, accepted),
    ]);
    return accepted;
  }

  /** Declined by whoever got the offer, or withdrawn by whoever made it. Refuses (409) when it is open no longer. */
  async close(transfer: TransferRecord, state: 'declined' | 'withdrawn', event: AuditEvent): Promise<TransferRecord> {
    const closed = closedTransfer(transfer, state, parseTimestamp(event.time));
    await this.#table.transact([...answerWrites(closed), ...auditWritesOfBoth(event, closed)]);
    return closed;
  }

  /** Open offers by and to an account, oldest first; never more than a page. Some may have ended since. */
  async list(accountId: string, page: ListPageRequest, now: number): Promise<ListPage<TransferRecord>> {
    const found = await this.#table.listPage('lists', lists.transfers(accountId), page);
    return { items: found.items.map((item) => transferAt(decode(transferRecord, item), now)), next: found.next };
  }

  /** Where a list of offers goes on after this one. */
  positionOf({ created_at, transfer_id }: TransferRecord): string {
    return listPosition(created_at, transfer_id);
  }

  /** Tells both accounts of an offer that its time to live took away. For whoever reads the table's stream. */
  async noteExpiry(transfer: TransferRecord): Promise<void> {
    await this.#invitations.forget(invitationOf(transfer));
    const ended = { ...transfer, state: 'ended', state_changed: transfer.expires_at } as const;
    await this.#table.transact(auditWritesOfBoth(endEvent(ended), ended));
  }

  /** Ends the offers of a repository that is gone, for whoever reads the table's stream. */
  async endWithRepository({ account_id, repository_id, uid }: EndedRepository, now: string): Promise<void> {
    const { pk, sk } = keys.openInvitation(`${account_id}/${repository_id}`, 'transfer', '');
    const range = { from: sk, to: `${sk}~` };
    for await (const page of everyPage((after) => this.#table.partitionPage(pk, range, { limit: atOnce, after }))) {
      const wanted = page.map(({ invitation_id }) => keys.transfer(String(invitation_id)));
      const read = (await this.#table.getMany(wanted)).map((item) => decode(transferRecord, item));
      await this.#end(read, ({ repository_uid }) => repository_uid === uid, now);
    }
  }

  /** The same of the offers by and to an account that is gone. */
  async endWithAccount(accountId: string, now: string): Promise<void> {
    const partition = lists.transfers(accountId);
    for await (const page of everyPage((after) => this.#table.listPage('lists', partition, { limit: atOnce, after })))
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
      // Otherwise somebody answered it meanwhile.
      await this.#table.transactIfHolding([...closedWrites(ended), ...auditWritesOfBoth(endEvent(ended), ended)]);
    }
  }
}
