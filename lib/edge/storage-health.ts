import { LRUCache } from 'lru-cache';
import { faultOfErrorCode, faultOfRole } from '../domain/data/storage-faults.ts';
import type { StorageFault } from '../domain/data/storage-health.ts';
import { limits } from '../domain/limits.ts';
import type { Clock } from '../domain/time.ts';
import { readErrorCode } from '../domain/xml.ts';
import type { StorageHealthStore } from '../store/storage-health.ts';
import type { RoleCredentialSource } from './assumed-roles.ts';

interface Reported {
  /** The step of the last failed request to storage. Undefined after a success. */
  failing?: StorageFault['step'] | undefined;
  failedAt: number;
  workedAt: number;
}

/**
 * Reports failures of storage to the home region. No request waits for a report. For one connection, a warm instance
 * reports a failure at most every five minutes, and a success after a failure at most once an hour. For all connections
 * together, it sends at most `limits.storageReportsPerMinuteMax` reports in a minute.
 */
export class StorageHealthReports {
  readonly #store: Pick<StorageHealthStore, 'recordFault' | 'recordSuccess'>;
  readonly #clock: Clock;
  readonly #log: (failure: unknown) => void;
  readonly #reported = new LRUCache<string, Reported>({ max: 1000 });
  #minute = { start: 0, reports: 0 };

  constructor(
    store: Pick<StorageHealthStore, 'recordFault' | 'recordSuccess'>,
    clock: Clock,
    log: (failure: unknown) => void,
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
  }

  /** Reports the error or the success in a storage response whose body the instance has read. */
  answered(dataConnectionId: string, { status, body }: { status: number; body: string }): void {
    const fault = status < 300 ? undefined : faultOfErrorCode(readErrorCode(body));
    if (status < 300) this.#worked(dataConnectionId);
    if (fault !== undefined) this.#failed(dataConnectionId, fault);
  }

  /** Wraps the source of credentials, so that it reports roles that STS refuses. */
  watching(roles: RoleCredentialSource): RoleCredentialSource {
    return async (connection, authentication) => {
      const { data_connection_id } = connection;
      try {
        const credentials = await roles(connection, authentication);
        this.#worked(data_connection_id, 'role');
        return credentials;
      } catch (error) {
        const fault = faultOfRole(error);
        if (fault !== undefined) this.#failed(data_connection_id, fault);
        throw error;
      }
    };
  }

  #failed(id: string, fault: StorageFault): void {
    const now = this.#clock();
    const last = this.#reported.get(id) ?? never;
    const isDue = now - last.failedAt >= limits.storageFaultRecordedEverySeconds * 1000 && this.#mayReport(now);
    this.#reported.set(id, { ...last, failing: fault.step, ...(isDue ? { failedAt: now } : {}) });
    if (isDue) this.#store.recordFault(id, fault, now).catch((failure) => this.#retryLater(id, last, failure));
  }

  /** @param step the step that succeeded; by default, all steps succeeded */
  #worked(id: string, step?: StorageFault['step']): void {
    const last = this.#reported.get(id);
    if (last?.failing === undefined || (step !== undefined && last.failing !== step)) return;
    const now = this.#clock();
    const everySeconds = limits.storageSuccessRecordedEverySeconds;
    if (now - last.workedAt < everySeconds * 1000 || !this.#mayReport(now)) return;
    this.#reported.set(id, { ...last, failing: undefined, workedAt: now });
    this.#store.recordSuccess(id, now, everySeconds).catch((failure) => this.#retryLater(id, last, failure));
  }

  /** Let a later request report again, because Lambda can freeze an instance before a report ends. */
  #retryLater(id: string, last: Reported, failure: unknown): void {
    this.#reported.set(id, last);
    this.#log(failure);
  }

  #mayReport(now: number): boolean {
    if (now - this.#minute.start >= 60_000) this.#minute = { start: now, reports: 0 };
    this.#minute.reports += 1;
    return this.#minute.reports <= limits.storageReportsPerMinuteMax;
  }
}

const never: Reported = { failedAt: Number.NEGATIVE_INFINITY, workedAt: Number.NEGATIVE_INFINITY };
