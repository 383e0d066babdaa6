import type { AuditEvent } from '../../domain/changes/audit.ts';
import { endOfOffer, type TransferRecord } from '../../domain/data/transfers.ts';
import { conflict } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import { dayMs, parseTimestamp } from '../../domain/time.ts';
import { auditWrite } from '../audit.ts';
import { encode } from '../codec.ts';
import { closingWrites, type Invitation } from '../invitations/open-invitations.ts';
import { keys, listPosition, lists } from '../keys.ts';
import { put, update, type Write } from '../writes.ts';

export const answeredMeanwhile = conflict('The offer was answered at the same time; list the offers there are');

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

/**
 * Returns the writes that remove both items from the lists. The items remain for a while to show the result of the
 * offer.
 */
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

/**
 * Returns the event for the trails of both accounts. The other account sees only the acting account, because members of
 * an organization are not visible to others.
 */
export function auditWritesOfBoth(event: AuditEvent, { account_id, to }: TransferRecord): Write[] {
  const other = event.account_id === account_id ? to : account_id;
  const actor = { account_id: event.actor.account_id === null ? null : event.account_id };
  return [auditWrite(event), auditWrite({ ...event, account_id: other, actor })];
}

/** Returns the audit event of an offer that expired or whose repository or account was deleted. It has no actor. */
export function endEvent({ transfer_id, account_id, repository_id, to, state_changed }: TransferRecord): AuditEvent {
  return {
    event_id: `${transfer_id}-ended`,
    time: state_changed,
    kind: 'transfer.ended',
    account_id,
    actor: { account_id: null },
    subject: { transfer_id, account_id, repository_id, to },
    request_id: '',
  };
}
