import { type Account, accountRecord } from '../../domain/accounts/accounts.ts';
import { type AuditEvent, eventWithoutActor } from '../../domain/changes/audit.ts';
import type { EndedRepository } from '../../domain/changes/table-changes.ts';
import { type DataConnectionRecord, dataConnectionRecord } from '../../domain/data/data-connections.ts';
import { isOpenToAnyone, type RepositoryRecord, repositoryRecord } from '../../domain/data/repositories.ts';
import { versionsUidOf } from '../../domain/data/repository-versions.ts';
import {
  closedTransfer,
  endOfOffer,
  type TransferRecord,
  transferAt,
  transferRecord,
} from '../../domain/data/transfers.ts';
import { conflict, ServiceError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import type { ListPage, ListPageRequest } from '../../domain/list-pages.ts';
import { dayMs, parseTimestamp } from '../../domain/time.ts';
import { firstVersionAt } from '../../domain/versions.ts';
import { auditWrite } from '../audit.ts';
import { decode, encode } from '../codec.ts';
import { closingWrites, type Invitation, type OpenInvitations } from '../invitations/open-invitations.ts';
import { type Key, keys, listPosition, lists } from '../keys.ts';
import { endInventory, startInventory } from '../repositories/job-records.ts';
import {
  checkNoFileDeletion,
  citedPathTaken,
  closedPath,
  decrementWrite,
  encodeRepository,
  type Opener,
  opennessWrites,
  type RepositoryCountStore,
  transferPrefixes,
} from '../repositories/repositories.ts';
import { leavePath } from '../repositories/repository-versions.ts';
import { type Table, TableStore } from '../table.ts';
import { check, put, remove, update, type Write } from '../writes.ts';

/**
 * The data for accepting a transfer offer, from one read. `repository` is the repository that has the offer's path now.
 */
export interface AcceptanceData {
  from: Account | undefined;
  repository: RepositoryRecord | undefined;
  dataConnection: DataConnectionRecord | undefined;
}

/** Stores transfer offers: offers of repositories to other accounts, and their results. */
export class TransferStore extends TableStore {
  readonly #invitations: OpenInvitations;
  readonly #counts: Pick<RepositoryCountStore, 'incrementWrite'>;

  constructor(table: Table, invitations: OpenInvitations, counts: Pick<RepositoryCountStore, 'incrementWrite'>) {
    super(table);
    this.#invitations = invitations;
    this.#counts = counts;
  }

  /**
   * Creates a transfer offer. Refuses (409) at a limit, for a disabled repository or account, and if the repository
   * already has an open offer to the account.
   */
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
   * Transfers the repository to the receiving account, with the new internal ID `uid`. Refuses (409) if the
   * repository, an account, or the offer has changed. Also refuses (409) if the receiver has a repository with this
   * ID, or too many repositories. Throws `throttled` if the new path was public before, and the receiver has made data
   * public again too often in this hour.
   */
  async accept(
    transfer: TransferRecord,
    repository: RepositoryRecord,
    uid: string,
    event: AuditEvent,
    opener?: Opener,
  ): Promise<TransferRecord> {
    const accepted = closedTransfer(transfer, 'accepted', parseTimestamp(event.time));
    const [counted, left, openness] = await Promise.all([
      this.#counts.incrementWrite(transfer.to),
      leavePath(this.table, repository, { requiresNoVersion: false }),
      opennessWrites(this.table, undefined, { ...repository, account_id: transfer.to }, event.time, opener),
    ]);
    await this.table.transact([
      ...answerWrites(accepted),
      ...acceptanceWrites(accepted, repository, uid),
      counted,
      ...left,
      ...openness,
      ...(isOpenToAnyone(repository) ? [closedPath(repository, event.time)] : []),
      decrementWrite(transfer.account_id),
      ...auditWritesOfBoth(event, accepted),
    ]);
    return accepted;
  }

  /**
   * Ends a transfer offer: the receiver declines it, or the sender withdraws it. Refuses (409) if the offer is no
   * longer open.
   */
  async close(transfer: TransferRecord, state: 'declined' | 'withdrawn', event: AuditEvent): Promise<TransferRecord> {
    const closed = closedTransfer(transfer, state, parseTimestamp(event.time));
    await this.table.transact([...answerWrites(closed), ...auditWritesOfBoth(event, closed)]);
    return closed;
  }

  /**
   * Lists the open transfer offers from and to an account, oldest first, on one page. An offer that has just expired
   * may still be listed, with the state `ended`.
   */
  async list(accountId: string, page: ListPageRequest, now: number): Promise<ListPage<TransferRecord>> {
    const found = await this.table.listPage('lists', lists.transfers(accountId), page);
    return { items: found.items.map((item) => transferAt(decode(transferRecord, item), now)), next: found.next };
  }

  /** Returns the list position of a transfer offer. */
  positionOf({ created_at, transfer_id }: TransferRecord): string {
    return listPosition(created_at, transfer_id);
  }

  /**
   * Records the expiry of a transfer offer in the audit trails of both accounts. The stream consumer calls this after
   * DynamoDB's time to live deleted the offer.
   */
  async recordExpiry(transfer: TransferRecord): Promise<void> {
    await this.#invitations.forget(invitationOf(transfer));
    const ended = { ...transfer, state: 'ended', state_changed: transfer.expires_at } as const;
    await this.table.transact(auditWritesOfBoth(endEvent(ended), ended));
  }

  /** Ends the transfer offers of a deleted or transferred repository. The stream consumer calls this method. */
  async endWithRepository({ account_id, repository_id, uid }: EndedRepository, now: string): Promise<void> {
    const { pk, sk } = keys.openInvitation(`${account_id}/${repository_id}`, 'transfer', '');
    const range = { from: sk, to: `${sk}~` };
    for await (const page of this.table.partitionPages(pk, range)) {
      const wanted = page.map(({ invitation_id }) => keys.transfer(String(invitation_id)));
      const read = (await this.table.getMany(wanted)).map((item) => decode(transferRecord, item));
      await this.#end(read, ({ repository_uid }) => repository_uid === uid, now);
    }
  }

  /** Ends the transfer offers from and to a deleted account. The stream consumer calls this method. */
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
      // Write nothing if the receiver answered the offer first.
      await this.table.transactIfHolding([...closedWrites(ended), ...auditWritesOfBoth(endEvent(ended), ended)]);
    }
  }
}

const answeredMeanwhile = conflict('The offer was answered at the same time; list the open offers');

/** Returns the writes of a transfer offer's two items: one in the sender's list, and one in the receiver's list. */
function offerWrites(transfer: TransferRecord): Write[] {
  const { transfer_id, account_id, to, created_at, expires_at } = transfer;
  const position = listPosition(created_at, transfer_id);
  const deleteAfter = parseTimestamp(expires_at);
  return [
    put(
      encode('transfer', transfer, {
        key: keys.transfer(transfer_id),
        list: { partition: lists.transfers(account_id), position },
        deleteAfter,
      }),
      { exists: false },
    ),
    put(
      encode('incoming_transfer', transfer, {
        key: keys.incomingTransfer(transfer_id),
        list: { partition: lists.transfers(to), position },
        deleteAfter,
      }),
    ),
  ];
}

/**
 * Returns the writes that remove both items of a transfer offer from the lists. The items stay stored for some days, so
 * that the API can show the result.
 */
function closedWrites({ transfer_id, state, state_changed }: TransferRecord): Write[] {
  const storedUntil = parseTimestamp(state_changed) + limits.closedTransferRetentionDays * dayMs;
  const change = {
    set: { state, state_changed, ttl: Math.ceil(storedUntil / 1000) },
    remove: ['list_pk', 'list_sk'],
  };
  const condition = { equals: { state: 'offered' } };
  return [keys.transfer(transfer_id), keys.incomingTransfer(transfer_id)].map((key) =>
    update(key, change, condition, answeredMeanwhile),
  );
}

/** Returns the writes that end a transfer offer: the writes of its items, and of the counts of open invitations. */
function answerWrites(closed: TransferRecord): Write[] {
  const declinedAt = closed.state === 'declined' ? parseTimestamp(closed.state_changed) : undefined;
  return [...closedWrites(closed), ...closingWrites(invitationOf(closed), declinedAt)];
}

/** Returns the transfer offer in the form in which open invitations are counted. */
function invitationOf(transfer: TransferRecord): Invitation {
  const { transfer_id, account_id, repository_id, repository_uid: uid, to, created_at } = transfer;
  return {
    kind: 'transfer',
    invitation_id: transfer_id,
    from_account_id: account_id,
    repository: { account_id, repository_id, uid },
    to_account_id: to,
    ends_at: endOfOffer(parseTimestamp(created_at)),
  };
}

/**
 * Returns the writes of an audit event in the trails of the sending and the receiving account. The event in the other
 * account's trail names only the acting account, not the member who acted.
 */
function auditWritesOfBoth(event: AuditEvent, { account_id, to }: TransferRecord): Write[] {
  const other = event.account_id === account_id ? to : account_id;
  const actor = { account_id: event.actor.account_id === null ? null : event.account_id };
  return [auditWrite(event), auditWrite({ ...event, account_id: other, actor })];
}

/**
 * Returns the audit event of a transfer offer that ended because it expired, or because its repository or account was
 * deleted. The event has no actor.
 */
function endEvent({ transfer_id, account_id, repository_id, to, state_changed }: TransferRecord): AuditEvent {
  return eventWithoutActor({
    event_id: `${transfer_id}-ended`,
    time: state_changed,
    kind: 'transfer.ended',
    account_id,
    subject: { transfer_id, account_id, repository_id, to },
  });
}

const concurrentChange = conflict(
  'The repository was changed, deleted or transferred at the same time; read the transfer request and try again',
);

/**
 * Returns the writes that move a repository to the receiving account. All earlier rights end, because the repository
 * gets a new internal ID. Its storage prefixes stay the same.
 */
function acceptanceWrites(
  { account_id, repository_id, to, repository_uid, state_changed }: TransferRecord,
  repository: RepositoryRecord,
  uid: string,
): Write[] {
  const version = firstVersionAt(parseTimestamp(state_changed));
  const versions_uid = versionsUidOf(repository);
  const given = { ...repository, account_id: to, uid, versions_uid, featured: 0, updated: state_changed, version };
  return [
    remove(
      keys.repository(account_id, repository_id),
      { equals: { version: repository.version, uid: repository_uid, disabled: false } },
      concurrentChange,
    ),
    put(
      encodeRepository(given),
      { exists: false },
      new ServiceError(
        'repository_id_taken',
        `${to} has a repository ${repository_id} already; delete that one, or ask for an offer under another ID`,
      ),
    ),
    check(
      keys.citedPath(to, repository_id),
      { absentOrEquals: { versions_uid } },
      citedPathTaken({ account_id: to, repository_id }),
    ),
    checkNoFileDeletion({ account_id: to, repository_id }),
    ...transferPrefixes(repository, { account_id: to, repository_id }),
    ...endInventory(repository),
    startInventory(given, state_changed),
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
    // Delete the forwarding record of a repository that had the new path before its own transfer.
    remove(keys.forwarding(to, repository_id)),
    enabled(keys.account(account_id), account_id),
    enabled(keys.account(to), to),
  ];
}

function enabled(key: Key, accountId: string): Write {
  return check(
    key,
    { equals: { disabled: false } },
    new ServiceError('wrong_state', `The account ${accountId} is disabled or deleted, so nothing was transferred`),
  );
}
