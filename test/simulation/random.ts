import { hash } from 'node:crypto';
import type { RandomSource } from '../../lib/domain/random.ts';

/** A random generator that is much faster than `seeded-random.ts`, because a history needs thousands of numbers. */
export class Random {
  #state: number;

  constructor(...seeds: (number | string)[]) {
    this.#state = hash('sha256', seeds.join(' '), 'buffer').readUInt32BE();
  }

  /** Returns an integer of at least 0 and less than `count` (mulberry32). */
  below(count: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * count);
  }

  /** Returns true in the given share of calls. */
  chance(share: number): boolean {
    return this.below(1_000_000) < share * 1_000_000;
  }

  one<const T extends readonly unknown[]>(choices: T): T[number] {
    if (choices.length === 0) throw new Error('nothing to choose from');
    return choices[this.below(choices.length)];
  }
}

/**
 * Returns the random source of the service. IDs differ within a history, but are equal in each run with the same seed.
 */
export function randomSource(random: Random): RandomSource {
  const bytes = (length: number) => Uint8Array.from({ length }, () => random.below(256));
  return {
    bytes,
    uuid: () => {
      const hex = Buffer.from(bytes(16)).toString('hex');
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
    },
  };
}
