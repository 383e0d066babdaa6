import { type FeedReader, feedTiming } from '../domain/changes/revocation-feed.ts';
import type { Clock } from '../domain/time.ts';

export interface FeedConsumerOptions {
  feed: FeedReader;
  /** Told of looks that failed; requests go on, on facts of the age that they may have. */
  report: (failure: unknown) => void;
}

/** What may have changed since the last look: `everything` after a silence too long to read up on. */
export type ChangedPartitions = ReadonlySet<string> | 'everything';

/** Looks into the revocation feed for a warm instance: when a request needs it, at most every ten seconds, once for all requests that wait. */
export class FeedConsumer {
  readonly #listening: FeedConsumerOptions;
  readonly #clock: Clock;
  readonly #onHeard: (heard: ChangedPartitions) => void;
  #lookedAt: number;
  /** When the last look that succeeded began. */
  #heardUntil: number;
  #read: ReadonlySet<string> = new Set();
  #looking: Promise<void> | undefined;

  constructor(listening: FeedConsumerOptions, clock: Clock, onHeard: (heard: ChangedPartitions) => void) {
    this.#listening = listening;
    this.#clock = clock;
    this.#onHeard = onHeard;
    // Who has just begun remembers nothing that could have changed.
    this.#lookedAt = this.#heardUntil = clock();
  }

  /** Settles when `onHeard` was told of all that the feed held at most ten seconds ago; never rejects. */
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
      // What lies in the overlap was heard before, and what was read anew since is not to be forgotten again.
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
