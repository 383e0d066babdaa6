import { type AuditEvent, eventWithoutActor } from '../../domain/changes/audit.ts';
import type { RepositoryRecord } from '../../domain/data/repositories.ts';
import { endOfOffer, type TransferRecord } from '../../domain/data/transfers.ts';
import { conflict, ServiceError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import { dayMs, parseTimestamp } from '../../domain/time.ts';
import { firstVersionAt } from '../../domain/versions.ts';
import { auditWrite } from '../audit.ts';
import { encode } from '../codec.ts';
import { closingWrites, type Invitation } from '../invitations/open-invitations.ts';
import { type Key, keys, listPosition, lists } from '../keys.ts';
import { encodeRepository } from '../repositories/repositories.ts';
import { transferPrefixes } from '../repositories/repository-prefixes.ts';
import { check, put, remove, update, type Write } from '../writes.ts';

const answeredMeanwhile = conflict('The offer was answered at the same time; list the offers there are');

/** Returns the two items of an offer, for the lists of the sender and of the receiver. */
export function offerWrites(transfer: TransferRecord): Write[] {
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

/** Returns the writes that remove both items from the lists. The items remain for a while to show the result. */
export function closedWrites({ transfer_id, state, state_changed }: TransferRecord): Write[] {
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

/** Returns the writes that answer an offer: its items, and the counts of open invitations. */
export function answerWrites(closed: TransferRecord): Write[] {
  const declinedAt = closed.state === 'declined' ? parseTimestamp(closed.state_changed) : undefined;
  return [...closedWrites(closed), ...closingWrites(invitationOf(closed), declinedAt)];
}

/** Returns the offer as an invitation, for the counts of open invitations. */
export function invitationOf(transfer: TransferRecord): Invitation {
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

/** Returns the event for both trails. The other account sees only the acting account, not the member. */
export function auditWritesOfBoth(event: AuditEvent, { account_id, to }: TransferRecord): Write[] {
  const other = event.account_id === account_id ? to : account_id;
  const actor = { account_id: event.actor.account_id === null ? null : event.account_id };
  return [auditWrite(event), auditWrite({ ...event, account_id: other, actor })];
}

/** Returns the audit event of an offer that expired or whose repository or account was deleted. It has no actor. */
export function endEvent({ transfer_id, account_id, repository_id, to, state_changed }: TransferRecord): AuditEvent {
  return eventWithoutActor({
    event_id: `${transfer_id}-ended`,
    time: state_changed,
    kind: 'transfer.ended',
    account_id,
    subject: { transfer_id, account_id, repository_id, to },
  });
}

const concurrentChange = conflict(
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
