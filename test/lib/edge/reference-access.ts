import { ServiceError } from '../../../lib/domain/errors.ts';
import { keys } from '../../../lib/store/keys.ts';

interface Remembered {
  answer: Promise<unknown>;
  readAt: number;
  partitions: string[];
  /** The previous answer. While the new answer is pending, callers that accept the age of the previous one get it. */
  before?: Remembered | undefined;
}

/** The table partitions that each kind of authorization data comes from, written by hand. */
export const partitionsOfReads: Record<string, (...ids: string[]) => string[]> = {
  anonymousAccess: (account = '', repository = '') => [
    keys.account(account).pk,
    keys.repository(account, repository).pk,
  ],
  serviceAccess: (account = '', repository = '', service = '', uid = '') => [
    keys.account(account).pk,
    keys.repository(account, repository).pk,
    keys.account(service).pk,
    keys.grant(uid, '').pk,
  ],
  keyAccess: (account = '', repository = '', keyAccount = '') => [
    keys.account(account).pk,
    keys.repository(account, repository).pk,
    keys.account(keyAccount).pk,
  ],
  serviceRights: (service = '', uid = '') => [keys.account(service).pk, keys.grant(uid, '').pk],
  keyRights: (keyAccount = '') => [keys.account(keyAccount).pk],
  accounts: (...accounts) => accounts.map((account) => keys.account(account).pk),
  repositories: (account = '', ...repositories) => repositories.map((id) => keys.repository(account, id).pk),
  // Every repository of the account shares this prefix.
  names: (account = '') => [`${keys.repository(account, '').pk}`],
  connection: (id = '') => [keys.dataConnection(id).pk],
  apiKey: (id = '') => [keys.apiKey(id).pk],
  version: (uid = '', name = '') => [keys.repositoryVersion(uid, name).pk],
};

/**
 * Reference model of the cache. It returns a cached answer until the answer is too old for the caller or the feed names
 * one of its partitions. A failed read is refused and leaves the cache unchanged. While a read is pending, callers that
 * accept the age of the previous answer get it.
 */
export class ReferenceCache {
  readonly #remembered = new Map<string, Remembered>();

  read(name: string, partitions: string[], ageMaxSeconds: number, now: number, read: () => Promise<unknown>) {
    const newest = this.#remembered.get(name);
    const before = newest?.before ?? newest;
    const isFresh = (one: Remembered | undefined) => one !== undefined && now - one.readAt <= ageMaxSeconds * 1000;
    if (before !== undefined && isFresh(before)) return before.answer;
    if (newest !== undefined && isFresh(newest)) return newest.answer;
    const mine: Remembered = {
      answer: read().catch(() => {
        throw new ServiceError('unavailable', 'not to be had');
      }),
      readAt: now,
      partitions,
      before,
    };
    this.#remembered.set(name, mine);
    const settled = () => {
      mine.before = undefined;
    };
    mine.answer.then(settled, () => {
      if (this.#remembered.get(name) !== mine) return;
      if (before === undefined) this.#remembered.delete(name);
      else this.#remembered.set(name, before);
    });
    return mine.answer;
  }

  hear(changed: ReadonlySet<string> | 'everything'): void {
    for (const [name, { partitions }] of [...this.#remembered]) {
      const isNamed = (partition: string) =>
        changed !== 'everything' &&
        [...changed].some((one) => one === partition || (partition.endsWith('/') && one.startsWith(partition)));
      if (changed === 'everything' || partitions.some(isNamed)) this.#remembered.delete(name);
    }
  }
}
