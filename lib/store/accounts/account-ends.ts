import * as z from 'zod';
import { type AccountRecord, accountRecord } from '../../domain/accounts/accounts.ts';
import type { AuditEvent } from '../../domain/changes/audit.ts';
import { ServiceError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import { auditWrite } from '../audit.ts';
import { decode } from '../codec.ts';
import { ifUnchanged } from '../expressions.ts';
import { type Item, keyOf, keys, lists } from '../keys.ts';
import type { MembershipStore } from '../memberships/memberships.ts';
import { membershipRecord, roleRecord } from '../records.ts';
import { forEachItem, itemsAtOnce, type Table, TableStore } from '../table.ts';
import type { TransferStore } from '../transfers/transfers.ts';
import { remove, update, type Write } from '../writes.ts';
import { accountConflict, deletionMarker } from './account-status.ts';
import type { Identities } from './accounts.ts';

const revisedRecord = z.object({ revision: z.number().optional() });

/** The user's ownership of an organization that has other owners too. */
interface Ownership {
  organization_id: string;
  membership_id: string;
}

/** Deletes user and organization accounts. */
export class AccountEndStore extends TableStore {
  readonly #identities: Identities;
  readonly #memberships: Pick<MembershipStore, 'endWith'>;
  readonly #transfers: Pick<TransferStore, 'endWithAccount'>;

  constructor(
    table: Table,
    identities: Identities,
    memberships: Pick<MembershipStore, 'endWith'>,
    transfers: Pick<TransferStore, 'endWithAccount'>,
  ) {
    super(table);
    this.#identities = identities;
    this.#memberships = memberships;
    this.#transfers = transfers;
  }

  /**
   * Deletes the account if it is unchanged, and releases its user identity. A marker reserves the account's ID forever.
   * Refuses while the account owns anything, or is the last owner of an organization. The stream consumer deletes the
   * remaining items. At most three round trips come before the transaction.
   */
  async delete(account: AccountRecord, events: readonly AuditEvent[]): Promise<void> {
    const { account_id, account_type } = account;
    const [event] = events;
    if (event === undefined) throw new Error('a deletion has an event');
    const isUser = account_type === 'user';
    const { owned, revision } = isUser ? await this.#ownedBy(account_id) : { owned: [], revision: undefined };
    await this.table.transact([
      remove(
        keys.repositoryCount(account_id),
        { absentOrLessThan: { repository_count: 1, file_deletion_count: 1 } },
        new ServiceError(
          'account_not_empty',
          `${account_id} has repositories, or files that are being deleted; delete or transfer the repositories first, and wait until the files are deleted`,
        ),
      ),
      remove(
        keys.serviceAccountCount(account_id),
        { absentOrLessThan: { service_account_count: 1 } },
        notEmpty(account_id, 'service accounts'),
      ),
      remove(
        keys.dataConnectionCount(account_id),
        { absentOrLessThan: { connection_count: 1 } },
        notEmpty(account_id, 'data connections'),
      ),
      ...owned.flatMap((ownership) => endOfOwnership(account_id, ownership)),
      remove(keys.account(account_id), ifUnchanged(account), accountConflict),
      deletionMarker({ account_id, account_type, deleted_at: event.time }),
      ...this.#identities.removalWrites(account),
      ...(isUser ? [remove(keys.acceptedCount(account_id), { equals: { revision } }, accountConflict)] : []),
      ...events.map(auditWrite),
    ]);
  }

  /**
   * Returns the organizations that the account owns, and the revision of its memberships. One query reads all of this,
   * because the item with the revision comes first in the sort order.
   */
  async #ownedBy(accountId: string): Promise<{ owned: Ownership[]; revision: number | undefined }> {
    const count = keys.acceptedCount(accountId);
    const { sk } = keys.role(accountId, '');
    const page = { limit: limits.acceptedMembershipsMax + itemsAtOnce, after: undefined };
    const found = await this.table.partitionPage(count.pk, { from: count.sk, to: 'ROLE$' }, page);
    const { revision } = decode(revisedRecord, found.items.find((item) => item['sk'] === count.sk) ?? {});
    const owned = found.items.flatMap((item): Ownership[] => {
      if (!String(item['sk']).startsWith(sk)) return [];
      const { role, membership_id } = decode(roleRecord, item);
      const scope = String(item['sk']).slice(sk.length);
      return role === 'owners' && !scope.includes('/') ? [{ organization_id: scope, membership_id }] : [];
    });
    const accounts = await this.table.getMany(owned.map(({ organization_id }) => keys.account(organization_id)));
    const ofOrganizations = owned.filter(
      (_, at) => decode(accountRecord, accounts[at])?.account_type === 'organization',
    );
    if (ofOrganizations.length > limits.ownedOrganizationsAtDeletionMax) {
      throw new ServiceError(
        'limit_reached',
        `You are an owner of ${ofOrganizations.length} organizations; leave some until you own at most ${limits.ownedOrganizationsAtDeletionMax}, and try again`,
      );
    }
    return { owned: ofOrganizations, revision };
  }

  /** Deletes the remaining items of a deleted account. If a call is interrupted, the next call continues. */
  async removeRemains(accountId: string, now: string): Promise<void> {
    const { table } = this;
    const remove = (item: Item) => table.delete(keyOf(item));
    const leave = async (item: Item) => {
      if (decode(membershipRecord, item).state !== 'revoked') await this.#memberships.endWith('member', item, now);
    };
    const joined = { from: 'MEMBERSHIP#', to: 'MEMBERSHIP$' };
    await this.#transfers.endWithAccount(accountId, now);
    await forEachItem(table.listPages('lists', lists.apiKeys(accountId)), remove);
    await forEachItem(table.listPages('lists', lists.members(accountId)), (item) =>
      this.#memberships.endWith('scope', item, now),
    );
    await forEachItem(table.partitionPages(keys.acceptedMembership(accountId, '', '').pk, joined), leave);
    await forEachItem(table.partitionPages(keys.openMembership(accountId, '', '').pk, { from: '0', to: '9' }), leave);
    for (const { pk } of [keys.blockedCount(accountId), keys.registeredIssuerCount(accountId)])
      await forEachItem(table.partitionPages(pk, { from: ' ', to: '~' }), remove);
  }
}

function notEmpty(accountId: string, what: string): ServiceError {
  return new ServiceError('account_not_empty', `${accountId} has ${what}; delete or transfer them first`);
}

/**
 * Returns the writes that end one ownership: they delete the role and reduce the organization's count of owners. The
 * count prevents an organization without an owner when two owners delete their accounts at the same time.
 */
function endOfOwnership(accountId: string, { organization_id, membership_id }: Ownership): Write[] {
  return [
    update(
      keys.account(organization_id),
      { add: { owner_count: -1 } },
      { greaterThan: { owner_count: 1 } },
      new ServiceError(
        'last_owner',
        `You are the last owner of ${organization_id}; make someone else an owner, or delete it first`,
      ),
    ),
    remove(keys.role(accountId, organization_id), { equals: { membership_id, role: 'owners' } }, accountConflict),
  ];
}
