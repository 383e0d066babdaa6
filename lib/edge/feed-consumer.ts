import { type FeedReader, feedTiming } from '../domain/changes/revocation-feed.ts';
import type { Clock } from '../domain/time.ts';

export interface FeedConsumerOptions {
  feed: FeedReader;
  /**
   * Called with the error of a failed read of the change feed. The instance continues to use cached authorization data
   * until its TTL ends.
   */
  report: (failure: unknown) => void;
}

/**
 * The partitions that may have changed since the last read of the change feed. `everything` means that the last read
 * was too long ago to know the partitions.
 */
export type ChangedPartitions = ReadonlySet<string> | 'everything';

/**
 * Reads the change feed for a warm instance. Requests trigger the read, at most every ten seconds. Simultaneous
 * requests wait for a single read.
 */
export class FeedConsumer {
  readonly #listening: FeedConsumerOptions;
  readonly #clock: Clock;
  readonly #onHeard: (heard: ChangedPartitions) => void;
  #lookedAt: number;
  /** The time at which the last successful read of the change feed started. */
  #heardUntil: number;
  #read: ReadonlySet<string> = new Set();
  #looking: Promise<void> | undefined;

  constructor(listening: FeedConsumerOptions, clock: Clock, onHeard: (heard: ChangedPartitions) => void) {
    this.#listening = listening;
    this.#clock = clock;
    this.#onHeard = onHeard;
    // Start at the current time, because a new instance has no cached data that could be outdated.
    this.#lookedAt = this.#heardUntil = clock();
  }

  /**
   * Reads the change feed if the last read is too old. When the promise resolves, `onHeard` has received every entry
   * that is at least ten seconds old. Never rejects, even if the read fails.
   */
  async catchUp(): Promise<void> {
    if (this.#looking === undefined) {
      const now = this.#clock();
      if (now - this.#lookedAt < feedTiming.pollEverySeconds * 1000) return;
      this.#lookedAt = now;
      this.#looking = this.#look(now).finally(() => {
        this.#looking = undefined;
      });
    }
    await this.#looking;
  }

  async #look(now: number): Promise<void> {
    const isSilenceTooLong = now - this.#heardUntil > feedTiming.silenceMaxSeconds * 1000;
    const since = (isSilenceTooLong ? now : this.#heardUntil) - feedTiming.overlapSeconds * 1000;
    try {
      const entries = await this.#listening.feed.readSince(since, now);
      // Skip entries that the previous read already handled. Data that was cached after that read is current and must
      // stay cached.
      const unread = entries.filter(({ id }) => !this.#read.has(id));
      this.#read = new Set(entries.map(({ id }) => id));
      this.#heardUntil = now;
      const changed = new Set(unread.flatMap(({ partitions }) => partitions));
      if (isSilenceTooLong) this.#onHeard('everything');
      else if (changed.size > 0) this.#onHeard(changed);
    } catch (failure) {
      this.#listening.report(failure);
    }
  }
}
