import * as z from 'zod';
import { type BlockedAccount, blockedAccountSchema } from '../../domain/accounts/accounts.ts';
import { invitationRefusal, isPausedAfter, isYoungAccount } from '../../domain/accounts/invitations.ts';
import type { AuditEvent } from '../../domain/changes/audit.ts';
import type { RepositoryIdentity } from '../../domain/data/data-access.ts';
import { conflict, ServiceError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import type { ListPage, ListPageRequest } from '../../domain/list-pages.ts';
import { dayMs, parseTimestamp } from '../../domain/time.ts';
import { auditWrite } from '../audit.ts';
import { decode, encode } from '../codec.ts';
import type { Change } from '../expressions.ts';
import { type Item, inList, type Key, keys, lists, scopeOf } from '../keys.ts';
import { retryOn, TableStore } from '../table.ts';
import { check, put, remove, type Update, update, type Write } from '../writes.ts';

/** An invitation of an account to a membership, or an offer of a repository to an account. */
export interface Invitation {
  kind: 'membership' | 'transfer';
  invitation_id: string;
  from_account_id: string;
  /** The repository of the invitation. Undefined for an invitation to an account. */
  repository?: RepositoryIdentity | undefined;
  to_account_id: string;
  /** The expiry of the invitation, in milliseconds since the Unix epoch. */
  ends_at: number;
}

type ClosedInvitation = Omit<Invitation, 'ends_at'>;

const openRecord = z.object({
  invitation_id: z.string(),
  ends_at: z.number(),
  repository_uid: z.string().optional(),
});

const revisedRecord = z.object({ revision: z.number().optional() });
const accountAge = z.object({ created_at: z.string().optional() });
const rejection = z.object({ rejected_at: z.number().optional() });

/**
 * Maximum number of attempts to open an invitation. Other users may invite at the same time for the same scope or the same
 * account.
 */
const openTriesMax = 10;
const pauseGrowthMax = 4;

const concurrentChange = conflict('Others were invited at the same time; list the open invitations and try again');

/**
 * Stores the open invitations, and the counts that limit them. Each limit has one item. A new invitation is written
 * only if this item is unchanged. If two invitations are written at the same time, one succeeds, and the other is
 * checked again with the new count. The end of an invitation only lowers a count, so its write has no condition.
 */
export class OpenInvitations extends TableStore {
  /**
   * Adds an invitation. Calls `transact` with the writes that the invitation's transaction must contain, and calls it
   * again after a conflict. Two round trips come before the transaction.
   *
   * Refuses (409) at a limit, for a disabled scope, and if an equal invitation is already open. If the invited account
   * is deleted at the same moment, the invitation stays open until it expires, but no one can accept it.
   */
  async open(
    invitation: Invitation,
    now: number,
    transact: (writes: readonly Write[]) => Promise<void>,
  ): Promise<void> {
    const open = async () => transact(await this.#openingWrites(invitation, now));
    await this.#retry(open);
  }

  /**
   * Admits a user who accepts an invitation link. The limits and blocks of invitations apply, but no invitation stays
   * open. `accountChange` is a change of the inviting account in the same transaction.
   */
  async admit(
    invitation: Invitation,
    { now, accountChange }: { now: number; accountChange: Change | undefined },
    transact: (writes: readonly Write[]) => Promise<void>,
  ): Promise<void> {
    await this.#retry(async () => {
      const { read, isYoung } = await this.#checkLimits(invitation, now, { opens: false });
      await transact([
        ...countingWrites(invitation, read, { isYoung, opens: false }, now),
        ...admissionChecks(invitation, accountChange),
      ]);
    });
  }

  async #retry(open: () => Promise<void>): Promise<void> {
    await retryOn(concurrentChange, openTriesMax, open, (attempt) =>
      this.table.pause(Math.min(attempt, pauseGrowthMax)),
    );
  }

  /** Deletes the item of an expired invitation, unless a new invitation uses the item. */
  async forget(invitation: ClosedInvitation): Promise<void> {
    await this.table.delete(openKey(invitation), { equals: { invitation_id: invitation.invitation_id } });
  }

  async #openingWrites(invitation: Invitation, now: number): Promise<Write[]> {
    const { read, isYoung, openThere } = await this.#checkLimits(invitation, now, { opens: true });
    return [
      put(openInvitationItem(invitation), { equals: { invitation_id: openThere?.invitation_id } }, concurrentChange),
      ...countingWrites(invitation, read, { isYoung, opens: true }, now),
      ...admissionChecks(invitation),
    ];
  }

  async #checkLimits(invitation: Invitation, now: number, { opens }: { opens: boolean }) {
    const { from_account_id: from, to_account_id: to, repository } = invitation;
    const scope = scopeNameOf(invitation);
    // Read the revisions of the accounts before the number of open invitations. A change between the two reads then
    // causes a conflict.
    const read = await this.table.getNamed({
      account: keys.account(from),
      toOne: keys.invitationsToOne(from, to),
      ofDay: keys.invitationsOfDay(from),
      block: keys.blockedAccount(to, from),
      revision: keys.invitedRevision(scope),
    });
    const openInScope = await this.#openInScope(scope, repository?.uid, now);
    const openThere = openInScope.find(({ sk }) => sk === openKey(invitation).sk);
    if (openThere !== undefined && openThere.ends_at > now) {
      throw invitation.kind === 'transfer'
        ? new ServiceError('already_offered', `${scope} is offered to ${to} already; withdraw that offer first`)
        : new ServiceError('already_member', `${to} is invited or a member already`);
    }
    const openToOne = marksOf(read.toOne, 'open').filter(({ time }) => time > now);
    const madeToOne = marksOf(read.toOne, 'made');
    const madeOfDay = marksOf(read.ofDay, 'made');
    const isToday = ({ time }: Mark) => now - time < dayMs;
    const rejectedAt = decode(rejection, read.toOne)?.rejected_at;
    const createdAt = decode(accountAge, read.account)?.created_at;
    const isYoung = isYoungAccount(createdAt === undefined ? undefined : parseTimestamp(createdAt), now);
    const refusal = invitationRefusal(
      {
        openToOne: opens ? openToOne.length : 0,
        madeToOneToday: madeToOne.filter(isToday).length,
        isDeclined: isPausedAfter(rejectedAt, now) || read.block !== undefined,
        madeByYoungAccountToday: isYoung ? madeOfDay.filter(isToday).length : undefined,
        openInScope: opens ? openInScope.filter((one) => one.ends_at > now).length : 0,
      },
      { from, to, scope },
    );
    if (refusal !== undefined) throw refusal;
    return { read, isYoung, openThere };
  }

  /**
   * Returns the invitations of a scope: at most a hundred open invitations, and the invitations that expired less than
   * two days ago. They always fit in one page of the table.
   */
  async #openInScope(scope: string, uid: string | undefined, now: number) {
    const { pk } = keys.openInvitation(scope, '', '');
    const range = { from: 'OPEN#', to: 'OPEN$' };
    const { items } = await this.table.partitionPage(pk, range, { limit: limits.listPageMax, after: undefined });
    return (
      items
        .map((item) => ({ sk: String(item['sk']), ...decode(openRecord, item) }))
        // Treat invitations of a deleted repository with this name as expired, so that their accounts can be invited to
        // the current repository.
        .map((open) => {
          const isOfAnother = ![undefined, uid].includes(open.repository_uid);
          return isOfAnother ? { ...open, ends_at: now } : open;
        })
    );
  }
}

/** Returns the writes that count a new invitation, and that remove outdated entries from the counts. */
function countingWrites(
  invitation: Invitation,
  read: { toOne?: Item; ofDay?: Item; revision?: Item },
  { isYoung, opens }: { isYoung: boolean; opens: boolean },
  now: number,
): Write[] {
  const { from_account_id: from, to_account_id: to, invitation_id, ends_at } = invitation;
  const endOfToday = now + 2 * dayMs;
  const open = marksOf(read.toOne, 'open');
  const namesOf = (marks: readonly Mark[]) => marks.map(({ name }) => name);
  const pastOf = (item: Item | undefined) => namesOf(marksOf(item, 'made').filter(({ time }) => now - time >= dayMs));
  const made = { [markName('made', invitation_id)]: now };
  const toOne = revised(keys.invitationsToOne(from, to), read.toOne, {
    set: {
      ...made,
      entity: 'invitations_to_one',
      ...(opens ? { [markName('open', invitation_id)]: ends_at } : {}),
      ttl: ttlOf(Math.max(endOfToday, opens ? ends_at : 0, ...open.map(({ time }) => time))),
    },
    remove: [...namesOf(open.filter(({ time }) => time <= now)), ...pastOf(read.toOne)],
  });
  const inScope = revised(keys.invitedRevision(scopeNameOf(invitation)), read.revision, {
    set: { entity: 'invited_revision', ttl: ttlOf(Math.max(endOfToday, ends_at)) },
  });
  const ofDay = revised(keys.invitationsOfDay(from), read.ofDay, {
    set: { ...made, entity: 'invitations_of_day', ttl: ttlOf(endOfToday) },
    remove: pastOf(read.ofDay),
  });
  return isYoung ? [toOne, inScope, ofDay] : [toOne, inScope];
}

/**
 * Returns the writes that end an open invitation. `rejectedAt` is the time of the rejection, if the invited account
 * rejected it.
 */
export function closingWrites(invitation: ClosedInvitation, rejectedAt?: number): Write[] {
  const condition = { absentOrEquals: { invitation_id: invitation.invitation_id } };
  return [remove(openKey(invitation), condition, concurrentChange), uncounted(invitation, rejectedAt)];
}

/** Returns the write that removes an invitation from the count of open invitations to its account. */
export function uncounted(invitation: ClosedInvitation, rejectedAt?: number): Write {
  return update(keys.invitationsToOne(invitation.from_account_id, invitation.to_account_id), {
    set: {
      entity: 'invitations_to_one',
      ...(rejectedAt === undefined ? {} : { rejected_at: rejectedAt, ttl: ttlOf(rejectedAt + 2 * dayMs) }),
    },
    remove: [markName('open', invitation.invitation_id)],
  });
}

/** Returns the checks that the invited account does not block the inviting account, and that the scope is enabled. */
function admissionChecks(invitation: Invitation, accountChange?: Change): Write[] {
  const { kind, from_account_id, to_account_id, repository } = invitation;
  const before = kind === 'transfer' ? 'you offer the repository' : 'you invite anyone';
  return [
    check(keys.blockedAccount(to_account_id, from_account_id), { exists: false }, concurrentChange),
    ...enabledChecks({ account_id: from_account_id, repository }, before, accountChange),
  ];
}

/**
 * Returns the checks that an account, and its repository if there is one, are enabled. A transaction can have only one
 * write for each item. If the transaction also changes the account, one write does both.
 */
export function enabledChecks(
  { account_id: accountId, repository }: { account_id: string; repository?: RepositoryIdentity | undefined },
  before: string,
  accountChange?: Change,
): Write[] {
  const refusalOf = (name: string) =>
    new ServiceError('wrong_state', `${name} is disabled; enable it before ${before}`);
  const isEnabled = { equals: { disabled: false } };
  const ofAccount =
    accountChange === undefined
      ? check(keys.account(accountId), isEnabled, refusalOf(accountId))
      : update(keys.account(accountId), accountChange, isEnabled, refusalOf(accountId));
  if (repository === undefined) return [ofAccount];
  const { account_id, repository_id, uid } = repository;
  const isSame = { equals: { disabled: false, uid } };
  return [ofAccount, check(keys.repository(account_id, repository_id), isSame, refusalOf(scopeOf(repository)))];
}

function scopeNameOf({ from_account_id, repository }: Pick<Invitation, 'from_account_id' | 'repository'>): string {
  return scopeOf({ account_id: from_account_id, repository_id: repository?.repository_id });
}

function openKey(invitation: Pick<Invitation, 'kind' | 'from_account_id' | 'repository' | 'to_account_id'>) {
  return keys.openInvitation(
    scopeNameOf(invitation),
    invitation.kind,
    invitation.to_account_id,
    invitation.repository?.uid,
  );
}

/**
 * The entry of an invitation in an item that counts invitations. Each entry is an attribute of its own, so that one
 * update can remove it without a read.
 */
interface Mark {
  name: string;
  /**
   * The expiry of an open invitation, or the creation time of an invitation that is counted for a day. In milliseconds
   * since the Unix epoch.
   */
  time: number;
}

/** Returns the item that prevents a second open invitation to the same account. */
function openInvitationItem(invitation: Invitation): Item {
  const { invitation_id, ends_at, repository, to_account_id } = invitation;
  const record = { invitation_id, ends_at, repository_uid: repository?.uid, to_account_id };
  return encode('open_invitation', record, { key: openKey(invitation), deleteAfter: ends_at });
}

export function markName(kind: 'open' | 'made', invitationId: string): string {
  return `${kind}_${invitationId.replaceAll('-', '')}`;
}

export function marksOf(item: Item | undefined, kind: 'open' | 'made'): Mark[] {
  return Object.entries(item ?? {}).flatMap(([name, time]) =>
    name.startsWith(`${kind}_`) && typeof time === 'number' ? [{ name, time }] : [],
  );
}

/** Returns an update of an item that must be unchanged since it was read. */
export function revised(
  key: Key,
  read: Item | undefined,
  change: { set: Record<string, unknown>; remove?: string[] },
  refusal: ServiceError = concurrentChange,
): Update {
  const revision = decode(revisedRecord, read)?.revision;
  return update(key, { ...change, add: { revision: 1 } }, { equals: { revision } }, refusal);
}

export function ttlOf(time: number): number {
  return Math.ceil(time / 1000);
}

export class BlockedAccountStore extends TableStore {
  /** Lists the accounts that an account blocks, oldest first. All of them fit in one page. */
  async list(byId: string, page: ListPageRequest): Promise<ListPage<BlockedAccount>> {
    return this.table.list(blockedAccountSchema, 'lists', lists.blockedAccounts(byId), page);
  }

  async find(byId: string, blockedId: string): Promise<BlockedAccount | undefined> {
    return this.table.find(blockedAccountSchema, keys.blockedAccount(byId, blockedId));
  }

  /** Blocks an account. Throws `limit_reached` at the limit of blocked accounts. */
  async block(byId: string, blocked: BlockedAccount, event: AuditEvent): Promise<void> {
    const { account_id, blocked_at } = blocked;
    const { blockedAccountsMax } = limits;
    await this.table.transact([
      put(
        encode('blocked_account', blocked, {
          key: keys.blockedAccount(byId, account_id),
          list: inList(lists.blockedAccounts(byId), blocked_at, account_id),
        }),
        { exists: false },
        conflict('The account was blocked at the same time; list the blocked accounts'),
      ),
      {
        ...counted(byId, 1),
        condition: { absentOrLessThan: { blocked_count: blockedAccountsMax } },
        refusal: new ServiceError(
          'limit_reached',
          `A user blocks at most ${blockedAccountsMax} accounts; unblock one first`,
        ),
      },
      auditWrite(event),
    ]);
  }

  /** Unblocks an account. Throws `not_found` for an account that is not blocked. */
  async unblock(byId: string, blockedId: string, event: AuditEvent): Promise<void> {
    await this.table.transact([
      remove(
        keys.blockedAccount(byId, blockedId),
        { exists: true },
        new ServiceError('not_found', 'This account is not blocked; list the blocked accounts'),
      ),
      counted(byId, -1),
      auditWrite(event),
    ]);
  }
}

function counted(byId: string, gained: number): Update {
  const change = { set: { entity: 'blocked_count' }, add: { blocked_count: gained } };
  return update(keys.blockedCount(byId), change);
}
