import type { AuditEvent } from '../domain/changes/audit.ts';
import {
  type FetchedKeys,
  fetchEveryMs,
  nextEarlyFetchAt,
  type RegisteredIssuerRecord,
  registeredIssuerRecord,
} from '../domain/ci/registered-issuers.ts';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import type { ListPage, ListPageRequest } from '../domain/list-pages.ts';
import { parseTimestamp, toTimestamp } from '../domain/time.ts';
import { checkAccountNotDeleted } from './accounts/account-status.ts';
import { auditWrite } from './audit.ts';
import { decode, encode } from './codec.ts';
import { inList, keys, listPosition, lists, sublists } from './keys.ts';
import { type Table, TableStore } from './table.ts';
import { countInWindow, put, remove, update, windowOf } from './writes.ts';

type NamedIssuer = Pick<RegisteredIssuerRecord, 'account_id' | 'issuer'>;

const gone = new ServiceError('not_found', 'No such issuer; list the issuers of the account');

export class RegisteredIssuerStore extends TableStore {
  /** Counts an attempt to register an issuer. Throws `throttled` above the limit of the account per hour. */
  async countRegistration(accountId: string, time: string): Promise<void> {
    await this.table.transact([
      countInWindow({
        key: keys.issuerRegistrations(accountId, windowOf(time, 'hour')),
        entity: 'issuer_registrations_tally',
        counter: 'registrations',
        max: limits.issuerRegistrationsPerHourMax,
        window: 'hour',
        time,
        sentence: (endsAt) =>
          `An account tries to register an issuer at most ${limits.issuerRegistrationsPerHourMax} times an hour; wait until ${endsAt}`,
      }),
    ]);
  }

  async create(record: RegisteredIssuerRecord, event: AuditEvent): Promise<void> {
    const { account_id, issuer, issuer_id, created_at } = record;
    await this.table.transact([
      put(
        encode('registered_issuer', record, {
          key: keys.registeredIssuer(account_id, issuer),
          list: inList(lists.registeredIssuers(account_id), created_at, issuer_id),
          sublist: inList(sublists.dueIssuers(shardOf(record)), record.next_fetch_at, issuer_id),
        }),
        { exists: false },
        new ServiceError('already_registered', 'The account has registered this issuer already'),
      ),
      update(
        keys.registeredIssuerCount(account_id),
        { set: { entity: 'registered_issuer_count' }, add: { issuer_count: 1 } },
        { absentOrLessThan: { issuer_count: limits.registeredIssuersMax } },
        new ServiceError(
          'limit_reached',
          `An account has at most ${limits.registeredIssuersMax} registered issuers; delete one first`,
        ),
      ),
      checkAccountNotDeleted(account_id),
      auditWrite(event),
    ]);
  }

  /** Lists the issuers of an account, oldest first. */
  async list(accountId: string, page: ListPageRequest): Promise<ListPage<RegisteredIssuerRecord>> {
    return this.table.list(registeredIssuerRecord, 'lists', lists.registeredIssuers(accountId), page);
  }

  async find(accountId: string, issuer: string): Promise<RegisteredIssuerRecord | undefined> {
    return this.table.find(registeredIssuerRecord, keys.registeredIssuer(accountId, issuer));
  }

  /** Returns an issuer by its ID, strongly consistent. Throws `not_found`. */
  async load(accountId: string, issuerId: string): Promise<RegisteredIssuerRecord> {
    const page = { limit: limits.registeredIssuersMax, after: undefined };
    const { items } = await this.table.partitionPage(keys.registeredIssuerCount(accountId).pk, ofIssuers, page);
    const issuer = items.map((item) => decode(registeredIssuerRecord, item)).find((one) => one.issuer_id === issuerId);
    if (issuer === undefined) throw gone;
    return issuer;
  }

  /** Deletes the issuer. Exchanges then find no keys for its tokens. */
  async delete({ account_id, issuer, issuer_id }: RegisteredIssuerRecord, event: AuditEvent): Promise<void> {
    await this.table.transact([
      remove(keys.registeredIssuer(account_id, issuer), { equals: { issuer_id } }, gone),
      update(keys.registeredIssuerCount(account_id), { add: { issuer_count: -1 } }),
      auditWrite(event),
    ]);
  }

  /** Returns the number of trusted workflows of the issuer in the account, at most `countMax`. */
  async countTrusts({ account_id, issuer }: NamedIssuer, countMax: number): Promise<number> {
    const partition = sublists.trustsOfIssuer(account_id, issuer);
    const { items } = await this.table.listPage('sublists', partition, { limit: countMax, after: undefined });
    return items.length;
  }

  /** Returns the first issuers of a shard whose next fetch is due, longest due first. */
  async listDue(shard: string, now: number): Promise<RegisteredIssuerRecord[]> {
    const page = {
      limit: limits.issuersOfShardPerRunMax,
      after: undefined,
      from: '0',
      to: listPosition(toTimestamp(now), '~'),
    };
    const { items } = await this.table.listPage('sublists', sublists.dueIssuers(shard), page);
    return items.map((item) => decode(registeredIssuerRecord, item));
  }

  /**
   * Claims a due issuer for one run. Returns undefined if another run has claimed it. A run that dies leaves the issuer
   * due again after five minutes.
   */
  async claim(read: RegisteredIssuerRecord, now: number): Promise<RegisteredIssuerRecord | undefined> {
    const { issuer_id, next_fetch_at } = read;
    const again = now + limits.issuerEarlyFetchEverySeconds * 1000;
    const item = await this.table.update(
      keys.registeredIssuer(read.account_id, read.issuer),
      { set: dueAt(read, again) },
      { equals: { issuer_id, next_fetch_at } },
    );
    return decode(registeredIssuerRecord, item);
  }

  /** Postpones the next fetch for an issuer without trusted workloads. */
  async postpone({ account_id, issuer, issuer_id, ...claimed }: RegisteredIssuerRecord, now: number): Promise<void> {
    const set = dueAt({ issuer_id }, now + fetchEveryMs(claimed, now));
    await this.table.update(keys.registeredIssuer(account_id, issuer), { set }, { equals: { issuer_id } });
  }

  /**
   * Stores the result of a fetch that began at `now`, unless a later one was stored or the issuer was deleted. A failure
   * leaves the keys of the last success.
   */
  async recordFetch(claimed: RegisteredIssuerRecord, fetched: FetchedKeys, now: number): Promise<void> {
    const { account_id, issuer, issuer_id } = claimed;
    const time = toTimestamp(now);
    const success = 'jwks' in fetched ? { jwks: fetched.jwks, keys_fetched_at: time } : {};
    const last_failure = 'jwks' in fetched ? null : fetched.failure;
    const due = dueAt(claimed, now + fetchEveryMs(claimed, now));
    await this.table.update(
      keys.registeredIssuer(account_id, issuer),
      { set: { ...due, ...success, last_failure, last_attempt_at: time } },
      { equals: { issuer_id }, absentOrLessThan: { last_attempt_at: time } },
    );
  }

  /** Brings the next fetch forward, but not to less than five minutes after the last one. */
  async fetchSoon({ account_id, issuer }: NamedIssuer, now: number): Promise<void> {
    const record = await this.find(account_id, issuer);
    if (record !== undefined) await this.#bringForward(record, Math.max(now, nextEarlyFetchAt(record)), {});
  }

  /** Records the day of a sign-in. The interval of the fetches depends on it. */
  async recordUse({ account_id, issuer }: NamedIssuer, time: number): Promise<void> {
    const record = await this.find(account_id, issuer);
    if (record === undefined) return;
    const used = { last_used_at: toTimestamp(time) };
    if (record.last_used_at !== null && record.last_used_at.slice(0, 10) >= used.last_used_at.slice(0, 10)) return;
    const due = parseTimestamp(record.last_attempt_at) + fetchEveryMs(used, time);
    await this.#bringForward(record, Math.max(time, due), used);
  }

  async #bringForward(
    read: RegisteredIssuerRecord,
    to: number,
    used: Partial<Pick<RegisteredIssuerRecord, 'last_used_at'>>,
  ): Promise<void> {
    const { account_id, issuer, issuer_id, next_fetch_at } = read;
    const isEarlier = to < parseTimestamp(next_fetch_at);
    if (!isEarlier && used.last_used_at === undefined) return;
    const set = { ...used, ...(isEarlier ? dueAt(read, to) : {}) };
    await this.table.update(
      keys.registeredIssuer(account_id, issuer),
      { set },
      { equals: { issuer_id, next_fetch_at } },
    );
  }
}

/**
 * Notes for the stream consumer that an exchange met an unknown key ID, or outdated keys. Writes at most one note of an
 * issuer in five minutes, because tokens of strangers cause it. Returns true if it wrote one. With `isNoted` false, it
 * sends the same request and writes nothing.
 */
export async function noteUnknownKey(
  table: Table,
  { account_id, issuer }: NamedIssuer,
  now: number,
  isNoted = true,
): Promise<boolean> {
  const everyMs = limits.issuerEarlyFetchEverySeconds * 1000;
  const note = { account_id, issuer, noted_at: toTimestamp(now) };
  return table.put(
    encode('issuer_kid_miss', note, { key: keys.issuerKidMiss(account_id, issuer), deleteAfter: now + everyMs }),
    limits.signInWriteMs,
    // The condition of an item that may not exist and must exist never holds.
    isNoted
      ? { absentOrLessThan: { noted_at: toTimestamp(now - everyMs) } }
      : { exists: false, equals: { noted_at: '' } },
  );
}

const ofIssuers = { from: 'ISSUER#', to: 'ISSUER$' };

/** The shards of the issuers by their next fetch. The service chooses the ID, so nobody can fill one shard. */
export const issuerShards = [...'0123456789abcdef'];

function shardOf({ issuer_id }: Pick<RegisteredIssuerRecord, 'issuer_id'>): string {
  return issuer_id.slice(0, 1);
}

/** Returns the attributes that make an issuer due at a time. */
function dueAt({ issuer_id }: Pick<RegisteredIssuerRecord, 'issuer_id'>, time: number) {
  const next_fetch_at = toTimestamp(time);
  return { next_fetch_at, sublist_sk: listPosition(next_fetch_at, issuer_id) };
}
