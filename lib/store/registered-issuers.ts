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
  /** Counts one attempt to register an issuer. Throws `throttled` above the account's hourly limit. */
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

  /** Lists the registered issuers of an account, oldest first. */
  async list(accountId: string, page: ListPageRequest): Promise<ListPage<RegisteredIssuerRecord>> {
    return this.table.list(registeredIssuerRecord, 'lists', lists.registeredIssuers(accountId), page);
  }

  async find(accountId: string, issuer: string): Promise<RegisteredIssuerRecord | undefined> {
    return this.table.find(registeredIssuerRecord, keys.registeredIssuer(accountId, issuer));
  }

  /** Returns a registered issuer by its ID, with a strongly consistent read. Throws `not_found`. */
  async load(accountId: string, issuerId: string): Promise<RegisteredIssuerRecord> {
    const page = { limit: limits.registeredIssuersMax, after: undefined };
    const { items } = await this.table.partitionPage(keys.registeredIssuerCount(accountId).pk, ofIssuers, page);
    const issuer = items.map((item) => decode(registeredIssuerRecord, item)).find((one) => one.issuer_id === issuerId);
    if (issuer === undefined) throw gone;
    return issuer;
  }

  /** Deletes the registered issuer. Exchanges then refuse its tokens, because they find no signing keys. */
  async delete({ account_id, issuer, issuer_id }: RegisteredIssuerRecord, event: AuditEvent): Promise<void> {
    await this.table.transact([
      remove(keys.registeredIssuer(account_id, issuer), { equals: { issuer_id } }, gone),
      update(keys.registeredIssuerCount(account_id), { add: { issuer_count: -1 } }),
      auditWrite(event),
    ]);
  }

  /** Returns the number of the account's trusted workflows of an issuer. Stops counting at `countMax`. */
  async countTrusts({ account_id, issuer }: NamedIssuer, countMax: number): Promise<number> {
    const partition = sublists.trustsOfIssuer(account_id, issuer);
    const { items } = await this.table.listPage('sublists', partition, { limit: countMax, after: undefined });
    return items.length;
  }

  /**
   * Returns the registered issuers of a shard whose next fetch is due, up to a limit. The issuers that have waited
   * longest come first.
   */
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
   * Reserves a due issuer for one run that fetches its keys. Returns undefined if another run has reserved it. If the
   * run fails, the issuer is due again after five minutes.
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

  /** Postpones the next fetch of an issuer, because no trusted workflow needs its keys. */
  async postpone({ account_id, issuer, issuer_id, ...claimed }: RegisteredIssuerRecord, now: number): Promise<void> {
    const set = dueAt({ issuer_id }, now + fetchEveryMs(claimed, now));
    await this.table.update(keys.registeredIssuer(account_id, issuer), { set }, { equals: { issuer_id } });
  }

  /**
   * Stores the result of a fetch of an issuer's keys that began at `now`. Stores nothing if a later result exists or
   * the issuer was deleted. After a failed fetch, the stored keys remain.
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

  /** Moves the next fetch of an issuer's keys to an earlier time, but at least five minutes after the last fetch. */
  async fetchSoon({ account_id, issuer }: NamedIssuer, now: number): Promise<void> {
    const record = await this.find(account_id, issuer);
    if (record !== undefined) await this.#bringForward(record, Math.max(now, nextEarlyFetchAt(record)), {});
  }

  /**
   * Records the day of a sign-in with a registered issuer. The service fetches the keys of recently used issuers more
   * often.
   */
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
 * Records that a token named an unknown key ID, or that the stored keys of the issuer are outdated. The stream consumer
 * then starts a fetch. Tokens of strangers can cause a record, so the function writes at most one per issuer in five
 * minutes. Returns true if it wrote one. If `isNoted` is false, sends a request that takes as long but writes nothing.
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
    // With `isNoted` false, the condition of the write never holds: it requires that the item does not exist and that
    // it has an attribute.
    isNoted
      ? { absentOrLessThan: { noted_at: toTimestamp(now - everyMs) } }
      : { exists: false, equals: { noted_at: '' } },
  );
}

const ofIssuers = { from: 'ISSUER#', to: 'ISSUER$' };

/**
 * The shards of the list of due issuers: the first digits of issuer IDs. The service generates the IDs, so nobody can
 * fill one shard.
 */
export const issuerShards = [...'0123456789abcdef'];

function shardOf({ issuer_id }: Pick<RegisteredIssuerRecord, 'issuer_id'>): string {
  return issuer_id.slice(0, 1);
}

/** Returns the attributes that contain the time of an issuer's next fetch. */
function dueAt({ issuer_id }: Pick<RegisteredIssuerRecord, 'issuer_id'>, time: number) {
  const next_fetch_at = toTimestamp(time);
  return { next_fetch_at, sublist_sk: listPosition(next_fetch_at, issuer_id) };
}
