import { createCipheriv, hash } from 'node:crypto';

/**
 * The seed of everything that tests generate. `npm test` always uses the same one, so that a run fails because of a change
 * and never by chance. `npm run fuzz` draws a new one for each run, and `SEED=7` repeats a run.
 */
export const testSeed = Number(process.env['SEED'] ?? 13);

/** Returns bytes that no one can compress, the same for each run of one seed; `label` tells several of them apart. */
export function seededBytes(length: number, label = ''): Buffer<ArrayBuffer> {
  const key = hash('sha256', `${testSeed} ${label}`, 'buffer').subarray(0, 16);
  return createCipheriv('aes-128-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(length)) as Buffer<ArrayBuffer>;
}

/** Returns a function like `Math.random`, with the same numbers for each run of one seed. */
export function seededNumbers(label: string): () => number {
  let drawn = 0;
  return () => {
    drawn += 1;
    return seededBytes(4, `${label} ${drawn}`).readUInt32BE() / 2 ** 32;
  };
}
